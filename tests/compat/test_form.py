"""What classes declare of their fields in files, and what the declarations of bases and subclasses make together."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
import pytest

import pytorch_legacy as pl
from pytorch_legacy import Form, nn, t7
from pytorch_legacy.loading import _registered


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
