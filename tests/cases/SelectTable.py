"""One entry of a table."""

import numpy as np

from pytorch_legacy import nn
from pytorch_legacy.errors import DtypeError, IndexRangeError
from tests.case import Case, ErrorRow, normals


def nested(rng):
    return [[rng.standard_normal((2, 3)), rng.standard_normal((2, 1))], rng.standard_normal((2, 4))]


def named(rng):
    return {"a": rng.standard_normal((3, 2)), "b": rng.standard_normal((3, 4))}


CASES = [
    Case("first", lambda: nn.SelectTable(0), normals((3, 2), (3, 4)), lambda module, x: x[0]),
    Case("from_the_end", lambda: nn.SelectTable(-2), normals((3, 2), (3, 4), (3, 1)), lambda module, x: x[1]),
    Case("table", lambda: nn.SelectTable(0), nested, lambda module, x: x[0]),
    Case("key", lambda: nn.SelectTable("b"), named, lambda module, x: x["b"]),
]

ERRORS = [
    ErrorRow("index", lambda: nn.SelectTable(2), lambda m: m.forward([np.zeros(3, "f")] * 2), IndexRangeError,
             "index: 2 is not in a table of 2"),
    ErrorRow("key", lambda: nn.SelectTable("c"), lambda m: m.forward({"a": np.zeros(3, "f")}), IndexRangeError,
             "index: 'c' is not in a table of 1"),
    ErrorRow("array", lambda: nn.SelectTable(0), lambda m: m.forward(np.zeros(3, "f")), DtypeError,
             "input: expected a table, got a float32 array of 3"),
    ErrorRow("gradOutput", lambda: nn.SelectTable(0),
             lambda m: m.backward([{"a": np.zeros(3, "f")}], {"b": np.zeros(3, "f")}), DtypeError,
             r"gradOutput: expected a table with \['a'\], got a table of 1"),
]  # fmt: skip
