"""Numbers of files as Python's: many at once are what each is alone."""

import struct

import numpy as np
import pytest

from pytorch_legacy import t7
from pytorch_legacy.files.t7.numbers import all_plain, pairs_plain, plain

LARGE = 2.0**53
RUNS = [
    [], [5], [1.5, 2.5, 3.5, 4.5], [1.5, 1, 2.5, 2], [1, 2, 2, 3, 3, 4], [1, 9, 2, 8], [1, np.nan, 2, np.inf], [0, 1, 1, 2],
    [-0.0, 0.0, 0.0, -0.0], [LARGE - 2, 0, LARGE - 1, 0, LARGE, 0], [-1, 0.5, 0, 0.5, 1, 0.5], [1, 2, 2, 2.5, 3, -0.0],
]  # fmt: skip


@pytest.mark.parametrize("numbers", RUNS, ids=str)
def test_many_numbers_are_what_each_is(numbers):
    for many in (all_plain, pairs_plain):
        assert repr(many(np.array(numbers, float))) == repr([plain(float(number)) for number in numbers])


@pytest.mark.parametrize("change", [None, (0, 5.0), (21, "word"), (20, 9000.5), (16400, 2.0), (16401, True)], ids=str)
@pytest.mark.parametrize("order", "<>")
def test_lists_of_numbers_are_read_as_other_tables(order, change):
    """One key or value of 9,000 pairs is another one: the table is what it is item by item."""
    count = 9000
    items = [number for i in range(1, count + 1) for number in (float(i), i / 2)]
    if change:
        items[change[0]] = change[1]

    def written(item):
        if isinstance(item, bool):
            return struct.pack(order + "ii", 5, item)
        if isinstance(item, str):
            return struct.pack(order + "ii", 2, len(item)) + item.encode()
        return struct.pack(order + "id", 1, item)

    found = t7.read(struct.pack(order + "iii", 3, 1, count) + b"".join(map(written, items)))
    pairs = dict(zip(items[::2], items[1::2], strict=True))
    wanted = [plain(i / 2) for i in range(1, count + 1)] if change is None else pairs
    if change and change[0] % 2:
        wanted = [*pairs.values()]
    assert found == wanted and type(found) is type(wanted)
