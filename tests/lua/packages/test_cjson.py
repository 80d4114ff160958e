"""The package ``cjson``."""

from __future__ import annotations

from typing import Any

import pytest

import pytorch_legacy as pl

from ..running import rows


@rows(
    ("return cjson.encode{1, 2.5, 'a', true}, cjson.encode{a = {b = 1}}, cjson.encode{}, cjson.encode('a\"/\\n')",
     ('[1,2.5,"a",true]', '{"a":{"b":1}}', "{}", '"a\\"\\/\\n"')),
    ("return cjson.encode{[1] = 1, [3] = 3}, cjson.encode{cjson.null}, cjson.encode('é'), cjson.encode(1e20)",
     ("[1,null,3]", "[null]", '"é"', "1e+20")),
    ("local t = cjson.decode('{\"a\": [1, null, \"\\\\u00e9\"], \"1\": false}') "
     "return t.a[1], t.a[2] == cjson.null, t.a[3], t['1'], #t.a",
     (1.0, True, "é", False, 3.0)),
    ("return cjson.decode('12'), cjson.decode(' \"x\" '), cjson.decode(cjson.encode{x = {1, {}}}).x[1]", (12.0, "x", 1.0)),
    ("return pcall(cjson.encode, print)", (False, "Cannot serialise function: type not supported")),
    ("return pcall(cjson.encode, 0 / 0)", (False, "Cannot serialise number: must not be NaN or Inf")),
    ("return pcall(cjson.encode, {[100] = 1})", (False, "Cannot serialise table: excessively sparse array")),
    ("return cjson.encode_sparse_array(true), cjson.encode{[100] = 1}", (True, '{"100":1}')),
    ("return pcall(cjson.encode, {[true] = 1})", (False, "Cannot serialise table: table key must be a number or string")),
    ("local t = {} t.t = t return pcall(cjson.encode, t)", (False, "Cannot serialise, excessive depth (1001)")),
    ("return cjson.encode_number_precision(3), cjson.encode(math.pi)", (3.0, "3.14")),
    ("local safe = require 'cjson.safe' return safe.null == cjson.null, (safe.decode('{')), safe.encode{print}",
     (True, None, None, "Cannot serialise function: type not supported")),
    ("cjson.decode_max_depth(2) return #cjson.decode('[[1]]'), pcall(cjson.decode, '[[[1]]]')",
     (1.0, False, "Found too many nested data structures (3)")),
)  # fmt: skip
def test_values(code: str, expected: Any) -> None:
    assert pl.lua.Session().execute(f"cjson = require 'cjson' {code}") == expected


@pytest.mark.parametrize(
    "text", ["{", "[1,]", "nul", "{1: 2}", "'a'", "", "[" * 100_000, '{"a":' * 5000, "1 2", '"\\x"', "\udcff"]
)
def test_hostile_text_is_refused(text: str) -> None:
    session = pl.lua.Session()
    session.globals["text"] = text
    ok, message = session.execute("return pcall(require('cjson').decode, text)")
    assert ok is False and message.startswith(("Expected ", "Found too many nested"))
