"""Each field that a class declares, with values of other kinds in it: an error that names a field, or a module that can be saved.

The files are those of modules that are made here and of the golden files, the smallest of each class; classes without one are
read from nothing but the field.
"""

from __future__ import annotations

import io
import warnings
from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np

import pytorch_legacy as pl
from pytorch_legacy import migration, nn, t7
from pytorch_legacy.files import fields
from pytorch_legacy.files.classes import classes, find_class
from pytorch_legacy.objects import Object
from tests.rows import rows
from tests.table import CASES
from tests.test_golden import GOLDEN, MANIFEST

# Values of each kind, and values of no kind that must not pass for one.
VALUES: dict[str, Any] = {
    "text": "abc", "empty text": "", "zero": 0, "negative": -3, "fraction": 2.5, "NaN": float("nan"), "infinity": float("-inf"),
    "huge": 2**31, "beyond": 2.0**60, "true": True, "false": False, "empty table": {}, "table": {"a": 1, 7: "b"},
    "list": [1, "x"], "numbers": [2.0, 1], "text list": ["a", "b"], "lists": [[1], [2, 3]],
    "tensor": np.ones(2), "whole tensor": np.ones((2, 3), np.int64), "empty tensor": np.empty(0),
    "deep tensor": np.ones((1, 2, 1, 2, 1)), "storage": t7.longs([2, 3]),
    "expanded": np.broadcast_to(np.float64(1), (1 << 20, 1 << 20)), "function": t7.Function(b"\x1bLJ"),
    "module": t7.TorchObject("nn.Tanh", 1, {}), "modules": [t7.TorchObject("nn.Tanh", 1, {})],
    "broken module": t7.TorchObject("nn.Linear", 1, {}), "stranger": t7.TorchObject("my.Layer", 1, {"weight": 1}),
}  # fmt: skip


def declared(cls: type[Object]) -> set[str]:
    """The names in files of all fields that the class says something of."""
    form = cls._form
    attributes = {*form.names(), *form.kinds, *(name for name in fields.of(cls) if hasattr(cls, name))}
    annotated = {name for base in cls.__mro__ for name in vars(base).get("__annotations__", {}) if name in fields.of(cls)}
    return {form.renamed.get(name, name) for name in attributes | annotated} | {"output", "gradInput", "_type", "train"}


OF_ALL = declared(nn.Module)


@cache
def samples() -> dict[type[Object], bytes]:
    """A small file of each class."""
    best: dict[type[Object], bytes] = {}

    def take(record: Any) -> None:
        cls = find_class(record.typename, record.fields)
        content = io.BytesIO()
        t7.write(content, record)
        if cls is not None and len(content.getvalue()) < len(best.get(cls, bytes(1 << 14))):
            best[cls] = content.getvalue()

    for entry in MANIFEST:
        if entry["kind"] in ("module", "criterion") and entry["bytes"] < 20_000:
            whole = t7.read(GOLDEN / entry["file"])
            waiting = [value for value in whole.values() if isinstance(value, t7.TorchObject)]
            for record in waiting:
                take(record)
    for _, case in CASES:
        content = io.BytesIO()
        pl.save(content, case.make())
        take(t7.read(content.getvalue()))
    return best


def content(record: t7.TorchObject) -> bytes:
    file = io.BytesIO()
    t7.write(file, record)
    return file.getvalue()


def files(cls: type[Object], field: str) -> Iterator[tuple[str, bytes]]:
    """Yields the values of the field in files, and such files; then one without it."""
    sample = samples().get(cls)
    record = t7.read(sample) if sample is not None else t7.TorchObject(cls._typename, 1, {})
    whole = record.fields
    step = 1 if sample is None or len(sample) < 3000 else 3  # a few values for large ones: each file takes its time
    if field in OF_ALL:  # read alike for all classes, which share the values
        step = 7
    for name, value in list(VALUES.items())[len(cls.__name__ + field) % step :: step]:
        record.fields = whole | {field: value}
        yield name, content(record)
    record.fields = {key: value for key, value in whole.items() if key != field}
    yield "missing", content(record)


FIELDS = [(cls._typename, f"{cls.__name__}.{name}", (cls, name)) for cls in classes() for name in sorted(declared(cls))]


@rows("cls, field", FIELDS)
def test_a_field_of_another_kind(cls: type[Object], field: str) -> None:
    for name, file in files(cls, field):
        with warnings.catch_warnings(), migration.collect() as found:
            warnings.simplefilter("ignore")
            try:
                thing = pl.load(file)
            except pl.T7Error as error:
                text = str(error)
                assert ": field " in text, (name, text)
                continue
        attribute = next((key for key, value in cls._form.renamed.items() if value == field), field)
        kind = fields.of(type(thing)).get(attribute)
        here = vars(thing).get(attribute)
        assert kind is None or here is None or fields._TESTS[kind](here), (name, kind, here)
        # It is printed and saved again, or an error of ours says why not.
        for use in (repr, lambda thing: pl.save(io.BytesIO(), thing)):
            try:
                use(thing)
            except (pl.THNNError, pl.T7Error):
                pass
            except Exception as error:
                raise AssertionError(f"{field} = {name}: {use}: {error!r}; {found}") from error


def test_the_samples_are_of_most_classes() -> None:
    assert len({cls for cls in classes() if cls in samples()}) > 250
