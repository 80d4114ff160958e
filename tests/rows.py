"""Tests of many rows: one item runs a group of them, and names each row that fails.

An item costs pytest a few milliseconds, most rows cost less. `rows` groups them; conftest.py has `run` call the test for each.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import product
from typing import Any, NamedTuple

import pytest

MOST_FAILURES = 10
"""An item that has failed so often goes no further."""


class Row(NamedTuple):
    """The arguments of one call of a test, for its `Rows`."""

    id: str
    values: tuple[Any, ...]


class Rows:
    """The rows of one item; it stands for each of the arguments `names` until the test is called.

    Those to which `applies` says no are left out when the item runs: to ask may take a file.
    """

    def __init__(self, names: str, rows: Iterable[Row], applies: Callable[..., bool] | None = None) -> None:
        self.names = names.replace(",", " ").split()
        self._rows = list(rows)
        self._applies = applies

    @property
    def rows(self) -> list[Row]:
        return [row for row in self._rows if self._applies is None or self._applies(*row.values)]


def rows(names: str, table: Iterable[tuple[str, str, Any]], applies: Callable[..., bool] | None = None) -> pytest.MarkDecorator:
    """Decorator: the test is called for each row of a table, those of a group in one item.

    Parameters
    ----------
    names : str
        Names of arguments, as for pytest's `parametrize`.
    table : iterable of (group, id, values)
        `values` is a tuple where there are several names. Items are named after their groups.
    applies : callable, optional
        Tells from a row's values whether the test is for it. It is asked when the item runs.
    """
    groups: dict[str, list[Row]] = {}
    several = "," in names
    for group, id, values in table:
        groups.setdefault(group, []).append(Row(id, values if several else (values,)))
    found = [(group, Rows(names, members, applies)) for group, members in groups.items()]
    count = len(names.split(","))
    return pytest.mark.parametrize(names, [pytest.param(*[group] * count, id=name) for name, group in found])


def all_of(name: str, values: Iterable[Any]) -> pytest.MarkDecorator:
    """Decorator: the test is called with each of the values, in one item that is not named after them."""
    group = Rows(name, [Row(str(getattr(value, "name", value)), (value,)) for value in values])
    return pytest.mark.parametrize(name, [pytest.param(group, id=pytest.HIDDEN_PARAM)])


def run(item: pytest.Function, before: Callable[[], None]) -> bool | None:
    """Calls the test of an item for each of its rows, after `before`; None if it has none.

    Raises what a row raises, with a note that names the row; where several fail, all of it together.
    """
    arguments = {name: item.funcargs[name] for name in item._fixtureinfo.argnames}
    groups = list({id(value): value for value in arguments.values() if isinstance(value, Rows)}.values())
    if not groups:
        return None
    failures: list[BaseException] = []
    skipped, passed = None, 0
    combinations = list(product(*(group.rows for group in groups)))
    if not combinations:
        pytest.skip("the test is for none of these rows")
    for combination in combinations:
        for group, row in zip(groups, combination, strict=True):
            arguments.update(zip(group.names, row.values, strict=True))
        before()
        try:
            item.obj(**arguments)
        except pytest.skip.Exception as reason:
            skipped = reason
        except (Exception, pytest.fail.Exception) as error:
            error.add_note(f"row: {', '.join(row.id for row in combination)}")
            failures.append(error)
            if len(failures) == MOST_FAILURES:
                break
        else:
            passed += 1
    if failures:
        raise failures[0] if len(failures) == 1 else BaseExceptionGroup(f"{item.name}: {len(failures)} rows", failures)
    if skipped is not None and not passed:
        raise skipped
    return True
