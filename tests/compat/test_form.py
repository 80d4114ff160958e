"""Declarations of classes about their fields in files, and how those of bases and subclasses combine."""

from __future__ import annotations

import io
import re
from typing import Any

import numpy as np
import pytest

import pytorch_legacy as pl
from pytorch_legacy import Form, migration, nn, t7
from pytorch_legacy.files.classes import _registered


def saved(value: Any) -> t7.TorchObject:
    file = io.BytesIO()
    pl.save(file, value)
    return t7.read(file.getvalue())


class Rows(nn.Module):
    _file = Form(version=3, oneBased=("dimension",), dropped=("buffer",), scratch={"ones": None}, implied={"isFast": False})

    def __init__(self, dimension: int = 0) -> None:
        super().__init__()
        self.dimension, self.isFast, self.last, self.buffer = dimension, False, 4, np.ones(3)


class FewRows(Rows):
    _file = Form(oneBased=("last",), private=("isFast",), scratch={"twos": lambda module: 2}, without=("ones",))


def test_a_form_adds_to_that_of_the_bases() -> None:
    assert (FewRows._form.version, FewRows._form.oneBased, FewRows._form.dropped) == (3, ("dimension", "last"), ("buffer",))
    assert [*FewRows._form.scratch] == ["twos"] and FewRows._form.implied == {"isFast": False}
    assert FewRows._form.names() == {"dimension", "last", "buffer", "twos", "isFast"}


def test_registered_classes_lie_in_files_as_they_declare() -> None:
    pl.register("my.Rows")(Rows)
    pl.register("my.FewRows")(FewRows)
    try:
        first, second = saved(Rows(2)), saved(FewRows(2))
        assert (first.version, first.fields["dimension"], first.fields["last"], first.fields["ones"].size) == (3, 3, 4, 0)
        assert (second.version, second.fields["dimension"], second.fields["last"], second.fields["twos"]) == (3, 3, 5, 2)
        assert not {"buffer", "isFast", "ones"} & second.fields.keys()
        file = io.BytesIO()
        t7.write(file, second)
        again = pl.load(file.getvalue())
        assert type(again) is FewRows and (again.dimension, again.last) == (2, 4) and not hasattr(again, "twos")
        assert saved(again).fields["twos"] == 2
    finally:
        del _registered["my.Rows"], _registered["my.FewRows"]


class Scaled(Rows):
    _file = Form(defaults={"factor": 2.5, "note": None}, kinds={"rows": "a whole number"}, dimensions={"weight": 2})


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({}, None),
        ({"factor": 3, "note": "text", "weight": np.ones((1, 2)), "rows": 2.0}, None),
        ({"factor": "much"}, "field factor: expected a number, got str 'much' .in a my.Scaled"),
        ({"rows": 1.5}, "field rows: expected a whole number, got .*1.5"),
        ({"rows": True}, "field rows: expected a whole number, got (bool )?True"),
        ({"weight": np.ones(2)}, "field weight: expected a tensor with 2 dimensions, got"),
        ({"weight": 2}, "field weight: expected a tensor, got"),
    ],
)
def test_what_a_registered_class_says_of_its_fields_holds(fields: dict[str, Any], message: str | None) -> None:
    pl.register("my.Scaled")(Scaled)
    file = io.BytesIO()
    t7.write(file, t7.TorchObject("my.Scaled", 1, fields))
    try:
        if message is None:
            module = pl.load(file.getvalue())
            assert module.factor == fields.get("factor", 2.5) and module.note == fields.get("note")
            assert type(getattr(module, "rows", 1)) is int
        else:
            with pytest.raises(pl.T7Error, match=message):
                pl.load(file.getvalue())
    finally:
        del _registered["my.Scaled"]


class Window(nn.Module):
    """A class with all declarations that need no method."""

    _file = Form(
        renamed={"lambda_": "lambda", "_mode": "_mode"},
        formerly={"K": "kernel"},
        properties=("first", "area"),
        private=("cache",),
        defaults={
            "kernel": 3,
            "stride": lambda fields: fields["kernel"],
            "rows": lambda fields: np.zeros(fields["size"], fields.dtype),
            "parts": lambda fields: [fields["part"]],
        },
        kinds={"lambda_": "a number", "size": "a whole number", "parts": "a list of modules", "part": "a module", "area": "sizes",
               "shape": "sizes", "factors": "a list of numbers"},
        dropped=("part",),
    )  # fmt: skip

    area = property(lambda self: self.rows.shape)
    first = property(lambda self: self.parts[0])


class NarrowWindow(Window):
    _file = Form(private=("narrow",))


PART = t7.TorchObject("nn.Tanh", 1, {})
WINDOW: dict[str, Any] = {
    "lambda": 0.5, "_mode": "x", "K": 5, "size": 2, "part": PART, "shape": t7.longs([2, 3]), "factors": {}, "first": 7,
    "cache": 1, "narrow": 2,
}  # fmt: skip


def window(cls: type[nn.Module] = NarrowWindow, **changes: Any) -> Any:
    fields = {name: value for name, value in (WINDOW | changes).items() if value is not None}
    file = io.BytesIO()
    t7.write(file, t7.TorchObject("my.Window", 1, fields))
    pl.register("my.Window")(cls)
    try:
        return pl.load(file.getvalue())
    finally:
        del _registered["my.Window"]


def test_declared_fields_are_renamed_computed_and_made_anew() -> None:
    with migration.collect() as found:
        module = window()
    assert (module.lambda_, module._mode, module.kernel, module.stride, module.shape) == (0.5, "x", 5, 5, (2, 3))
    assert (module.rows.shape, module.factors, module.first) == ((2,), [], module.parts[0])
    changes = {change.field: change.what for change in found if change.typename == "my.Window"}
    assert (changes["kernel"], changes["stride"], changes["rows"]) == ("was called K", "missing: 5", "missing: zeros")
    module.shape = (4,)
    fields = saved(module).fields
    assert (fields["lambda"], fields["kernel"], fields["first"].typename) == (0.5, 5, "nn.Tanh")
    assert isinstance(fields["area"], t7.Storage) and fields["area"].tolist() == [2] and fields["shape"].tolist() == [4]
    assert not {"K", "lambda_"} & fields.keys()


def test_private_attributes_stay_here_in_subclasses_too() -> None:
    """Fields of a file under such names are kept for saving, and mean nothing."""
    module = window()
    assert not hasattr(module, "cache") and not hasattr(module, "narrow")
    module.cache, module.narrow = np.ones(3), "ours"
    fields = saved(module).fields
    assert (fields["cache"], fields["narrow"]) == (1, 2)
    made = NarrowWindow()
    made.cache = made.narrow = made.rows = np.ones(3)
    made.parts, made._mode = [nn.Tanh()], "y"
    assert not {"cache", "narrow"} & saved(made).fields.keys() and saved(made).fields["_mode"] == "y"


HOSTILE = ["abc", -3, 2.5, float("nan"), float("inf"), 2.0**60, 2**31, {}, {"a": 1}, np.ones(2), t7.Function(b""), PART, True]


@pytest.mark.parametrize("name", [*WINDOW, "kernel", "stride", "rows", "parts", "area"])
def test_computed_defaults_see_fields_of_their_kinds_alone(name: str) -> None:
    """Whatever stands in a field: a module, or one error that names a field."""
    for value in [None, *HOSTILE]:
        try:
            module = window(**{name: value})
        except pl.T7Error as error:
            assert re.search(r": field \w+: (expected|missing)", str(error)), (value, str(error))
        else:
            assert type(module.kernel) in (int, float) and module.rows is not None and module.first is module.parts[0]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"size": 2.5}, "field size: expected a whole number, got float 2.5"),
        ({"size": None}, "field rows: missing, and so is what would tell it: size: missing"),
        ({"size": -1}, "field rows: missing, and the other fields do not tell it: ValueError"),
        ({"K": "wide"}, "field kernel: expected a number, got str 'wide'"),
        ({"lambda": "x"}, "field lambda: expected a number, got str 'x'"),
        ({"part": 3}, "field parts: missing, and so is what would tell it: part: expected a module, got int 3"),
        ({"parts": {}, "part": None}, "field parts: missing, and so is what would tell it: part: missing"),
        ({"rows": 3}, "field area: missing, and the other fields do not tell it: AttributeError"),
        ({"shape": [1, 0.5]}, "field shape: expected a list of whole numbers, got a list of 2 numbers"),
        ({"factors": [1, "x"]}, "field factors: expected a list of numbers, got a list of 2 numbers"),
    ],
)
def test_errors_name_the_field(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(pl.T7Error, match=message):
        window(**changes)


def test_a_default_that_asks_for_a_field_without_a_kind_is_a_mistake_of_the_class() -> None:
    class Careless(nn.Module):
        _file = Form(defaults={"stride": lambda fields: fields["window"]})

    with pytest.raises(pl.T7Error, match="Careless: _file: a default asks for 'window', which has no kind"):
        window(Careless)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"oneBased": "dimension"}, r"Form: oneBased: expected a tuple of names.*\(name,\), got 'dimension'"),
        ({"dropped": ["buffer"]}, "Form: dropped: expected a tuple of names"),
        ({"dropped": (1,)}, "Form: dropped: expected a tuple of names"),
        ({"scratch": ("buffer",)}, "Form: scratch: expected a dictionary"),
        ({"kinds": {"rows": "an integer"}}, "Form: kinds: rows: expected one of a whole number, .*, got 'an integer'"),
        ({"version": "2"}, "Form: version: expected a whole number, got '2'"),
        ({"version": True}, "Form: version: expected a whole number, got (bool )?True"),
    ],
)
def test_a_wrong_entry_is_an_error(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(TypeError, match=message):
        Form(**arguments)


def test_a_wrong_declaration_is_an_error() -> None:
    with pytest.raises(TypeError, match=r"Bad: _file: expected a pytorch_legacy\.Form, got \{'version': 2\}"):
        type("Bad", (nn.Module,), {"_file": {"version": 2}})
    with pytest.raises(TypeError, match=r"Bad: _oneBased is now an entry of _file = pl\.Form\(\.\.\.\)"):
        type("Bad", (nn.Module,), {"_oneBased": ("dimension",)})
