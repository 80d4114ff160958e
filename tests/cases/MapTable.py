"""One module for all entries."""

import numpy as np

from pytorch_legacy import nn
from pytorch_legacy.errors import DtypeError, ShapeError, ValueRangeError
from tests.case import Case, ErrorRow


def entries(rng):
    return [rng.standard_normal((3, 4)) for _ in range(3)]


def linears_of(module, x):
    return [entry @ linear.weight.T + linear.bias for entry, linear in zip(x, module.modules, strict=True)]


OWN = ("own_results",)  # one module's result may lie where the next one's input does

CASES = [
    Case(
        "shared",
        lambda: nn.MapTable(nn.Linear(4, 2)).resize(3),
        entries,
        linears_of,
        skip=("accumulate", *OWN),  # the gradients, listed for each entry, are one array
    ),
    Case("own", lambda: nn.MapTable(nn.Linear(4, 2), False).resize(3), entries, linears_of, skip=OWN),
    Case(
        "tanh", lambda: nn.MapTable(nn.Tanh()), entries, lambda m, x: [np.tanh(entry) for entry in x], skip=(*OWN, "wrong_rank")
    ),  # nn.Tanh takes a gradOutput of another shape
]

ERRORS = [
    ErrorRow("input", lambda: nn.MapTable(nn.Tanh()), lambda m: m.forward([]), ShapeError, "input: expected a table with at"),
    ErrorRow(
        "gradOutput",
        lambda: nn.MapTable(nn.Tanh()),
        lambda m: m.backward([np.zeros(2, "f")] * 2, m.forward([np.zeros(2, "f")] * 2) * 2),
        ShapeError,
        "gradOutput: expected a table of 2, got a table of 4",
    ),
    ErrorRow("add", lambda: nn.MapTable(nn.Tanh()), lambda m: m.add(nn.Tanh()), ValueRangeError, "add: expected no module"),
    ErrorRow(
        "where",
        lambda: nn.MapTable(nn.Linear(4, 2)),
        lambda m: m.forward([np.zeros(4, "f"), np.zeros(5, "f")]),
        ShapeError,
        r"^in module 2 of nn\.MapTable, nn\.Linear",
    ),
    ErrorRow(
        "no_input",
        lambda: nn.MapTable(nn.Identity()),
        lambda m: m.backward(None, []),
        DtypeError,
        "input: expected a table, got None",
    ),
]
