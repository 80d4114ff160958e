"""The walk over tables: `arrays.tree`."""

import numpy as np
import pytest

from pytorch_legacy.arrays import as_arrays, overlap, to_host, tree

A, B = np.ones(3), np.zeros((2, 2))


def deep(leaf, levels=20_000):
    for i in range(levels):
        leaf = [leaf] if i % 2 else {"in": leaf}
    return leaf


def test_leaves_come_in_order_and_as_often_as_they_stand():
    inner = [A, 1]
    found = [*tree.leaves([inner, {"x": (B, inner)}, None])]
    assert [id(leaf) for leaf in found] == [id(leaf) for leaf in (A, 1, B, A, 1, None)]
    assert [*tree.leaves(5)] == [5] and [*tree.leaves([])] == []


def test_a_table_in_itself_is_passed_over():
    table = [A]
    table += [{"itself": table}, B]
    assert len([*tree.leaves(table)]) == 2
    twin = tree.map_arrays(np.copy, table)
    assert twin[1]["itself"] is twin and twin[0] is not A


def test_tables_lie_deeper_than_python_can_call_itself():
    table = deep(A)
    assert next(tree.leaves(table)) is A and next(tree.leaves(tree.map_arrays(np.negative, table)))[0] == -1
    assert as_arrays(table, False) is table and overlap(table, A[1:]) and not overlap(table, B)
    assert next(tree.leaves(to_host(table))) is A


def test_one_table_stays_one_table_and_keys_are_leaves():
    inner = [1]
    first, second = tree.map(lambda leaf: -leaf, [inner, inner])
    assert first is second and first == [-1]
    memo: dict = {}
    assert tree.map(str, inner, memo) is tree.map(str, inner, memo)
    assert tree.map(lambda leaf: leaf + 1, {1: (2, 3)}) == {2: (3, 4)}
    assert tree.map(lambda leaf: leaf, (1, (2,)), lists=True) == [1, [2]]


def test_an_identity_key_is_renewed_with_its_value():
    (key,) = tree.map_arrays(np.copy, {tree.IdentityKey(A): 1})
    assert key.value is not A and (key.value == A).all()


def test_paired_gives_what_the_other_table_has_in_the_same_place():
    seen = []
    tree.paired(lambda value, other: seen.append((value, other)), [1, {"x": 2, "y": 3}, (4, 5)], [10, {"y": 30}, [40]])
    assert seen == [(1, 10), (2, None), (3, 30), (4, None), (5, None)]


@pytest.mark.parametrize("table", [[A, B], [A, [B, {"x": 1}]], {"x": A}, A, 3, "text", None, []])
def test_what_needs_no_change_is_handed_on_as_it_is(table):
    assert as_arrays(table, False) is table


def test_tuples_become_lists_and_other_libraries_arrays_ours():
    class Foreign:
        def __dlpack_device__(self):
            return 1, 0

        def __dlpack__(self, **keywords):
            return A.__dlpack__(**keywords)

    class Own(list):
        pass

    taken = as_arrays([(A, {"x": Foreign()}), Own([Foreign()])], False)
    assert type(taken[0]) is list and taken[0][0] is A and type(taken[1]) is list
    assert np.shares_memory(taken[0][1]["x"], A) and np.shares_memory(taken[1][0], A)
    assert type(as_arrays([A, (B,)], False)[1]) is list


@pytest.mark.parametrize("one, other, isSo", [
    (A, A[1:], True), ([A, B], A[1:], True), (A[1:], [B, {"x": (A,)}], True), ([B], [A], False), ([], A, False), (None, A, False),
])  # fmt: skip
def test_overlap_of_tables(one, other, isSo):
    assert overlap(one, other) is isSo and overlap(other, one) is isSo
