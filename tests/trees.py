"""Arrays and nested tables of arrays, treated alike by the tests: what a layer takes and gives."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

Array = np.ndarray
Tree = Any


def mapped(function: Callable[..., Any], *trees: Tree) -> Tree:
    """The tree of the results of `function` for the arrays in the same place of all trees."""
    if isinstance(trees[0], list):
        return [mapped(function, *branches) for branches in zip(*trees, strict=True)]
    if isinstance(trees[0], dict):
        assert all(tree.keys() == trees[0].keys() for tree in trees)
        return {key: mapped(function, *(tree[key] for tree in trees)) for key in sorted(trees[0])}
    return function(*trees)


def leaves(tree: Tree) -> list[Array]:
    """All arrays, from left to right; those of a dict in the order of its keys."""
    if isinstance(tree, dict):
        return [leaf for key in sorted(tree) for leaf in leaves(tree[key])]
    return [leaf for branch in tree for leaf in leaves(branch)] if isinstance(tree, list) else [tree]


def copied(tree: Tree) -> Tree:
    """Copies in row-major order, which share no memory with the originals."""
    return mapped(lambda array: np.array(array, order="C"), tree)


def cast(tree: Tree, dtype: Any) -> Tree:
    """Copies with the floating-point arrays converted to `dtype`; integers (labels, indices) stay."""

    def convert(leaf: Array) -> Array:
        return np.array(leaf, dtype if np.asarray(leaf).dtype.kind == "f" else None, order="C")

    return mapped(convert, tree)


def vector(tree: Tree) -> Array:
    """All elements in one vector."""
    return np.concatenate([np.ravel(leaf) for leaf in leaves(tree)])


def shaped(elements: Array, example: Tree) -> Tree:
    """The opposite of `vector`: a tree of new arrays with the shapes of `example`."""
    at = 0

    def cut(leaf: Array) -> Array:
        nonlocal at
        at += leaf.size
        return elements[at - leaf.size : at].reshape(leaf.shape).copy()

    return mapped(cut, example)


def shapes(tree: Tree) -> Tree:
    return mapped(lambda leaf: leaf.shape, tree)


def share_memory(a: Tree, b: Tree) -> bool:
    return any(np.may_share_memory(x, y) for x in leaves(a) for y in leaves(b))


def assert_same(actual: Tree, expected: Tree, what: str = "") -> None:
    """Equal bit for bit, except that one NaN is as good as another and 0 equals -0."""
    assert shapes(actual) == shapes(expected), what
    for a, e in zip(leaves(actual), leaves(expected), strict=True):
        assert a.dtype == e.dtype, what
        if not np.array_equal(a, e):  # NumPy's own test, which is slower, knows NaN and says what differs
            np.testing.assert_array_equal(a, e, err_msg=what)


def largest(tree: Tree) -> float:
    """The largest finite magnitude, 0 if there is none."""
    return max(map(magnitude, leaves(tree)), default=0.0)


def magnitude(array: Array) -> float:
    whole = float(np.abs(array).max(initial=0))
    return whole if np.isfinite(whole) else float(np.abs(array[np.isfinite(array)]).max(initial=0))


def assert_close(actual: Tree, expected: Tree, tolerance: float, what: str = "", least: float = 0.0) -> None:
    """Equal shapes, and elements that differ by at most `tolerance` times the largest finite element of their array.

    Numbers are arrays without dimensions. Where sums cancel, `least` gives the size of their terms: it stands in for a
    largest element that is smaller.
    """
    actual, expected = mapped(np.asarray, actual), mapped(np.asarray, expected)
    assert shapes(actual) == shapes(expected), what
    for a, e in zip(leaves(actual), leaves(expected), strict=True):
        most = tolerance * (max(largest(e), least) or 1.0)
        if not within(a, e, most):  # NumPy's own test, which is slower, knows NaN and infinities and says what differs
            np.testing.assert_allclose(a, e, rtol=0, atol=most, equal_nan=True, err_msg=what)


def within(a: Array, b: Array, most: float) -> bool:
    """Returns True if all differences are numbers up to `most`. Integer arrays are not compared."""
    if a.dtype.kind != "f" or b.dtype.kind != "f":
        return False
    with np.errstate(all="ignore"):
        return bool((np.abs(a - b) <= most).all())


def some(size: int, count: int) -> Array:
    """All indices below `size`, or `count` random ones if there are more."""
    return np.arange(size) if size <= count else np.random.default_rng(size).choice(size, count, replace=False)
