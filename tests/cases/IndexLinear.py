"""Affine maps of keys and values, in the three forms of input."""

import numpy as np

from pytorch_legacy import nn
from pytorch_legacy.errors import DtypeError, IndexRangeError, ShapeError, UnsupportedError, ValueRangeError
from tests.case import Case, ErrorRow, normal
from tests.cases.sparse import Sparse, dense

ROWS = np.array([4, 0, 6, 0, 3])  # one comes twice


class Keys(Sparse):
    """Adds up the sparse gradients in dense ones, which the tests can look at."""

    def __init__(self, module, flat):
        super().__init__(module)
        self.flat = flat
        self.gradDense = np.zeros_like(module.weight)

    def form(self, values):
        keys = ROWS - self.modules[0].offset
        if values.ndim == 1:
            return [keys, values]
        if self.flat:
            return [np.tile(keys, len(values)), values.reshape(-1), np.full(len(values), len(keys))]
        return [[keys] * len(values), list(values)]

    def picked(self, gradient, values):
        keys, dense = (np.reshape(each, (*values.shape[:-1], 7)) for each in gradient)
        assert (keys + self.modules[0].offset == np.arange(7)).all()
        return dense[..., ROWS]

    def accGradParameters(self, input, gradOutput, scale=1.0):
        layer = self.modules[0]
        super().accGradParameters(input, gradOutput, scale)
        for keys, rows in zip(layer.running["keys"], layer.running["gradWeight"], strict=True):
            np.add.at(self.gradDense, keys + layer.offset, rows)
        layer.running = {"keys": [], "gradWeight": []}

    def parameters(self):
        layer = self.modules[0]
        return [layer.weight, layer.bias], [self.gradDense, layer.gradBias]

    def zeroGradParameters(self):
        super().zeroGradParameters()
        self.gradDense.fill(0)


def reference(module, x):
    layer = module.modules[0]
    return dense(x, ROWS, 7) @ layer.weight.astype(np.float64) + layer.bias


def layer(flat=False, outputSize=3, offset=0):
    return lambda: Keys(nn.IndexLinear(7, outputSize, True, offset), flat)


CASES = [
    Case("table", layer(), normal(4, 5), reference, larger=normal(6000, 5)),
    Case("flat", layer(True), normal(4, 5), reference, larger=normal(6000, 5)),
    Case("offset", layer(offset=-20), normal(4, 5), reference, larger=normal(6000, 5)),
    Case("one_output", layer(True, 1), normal(2, 5), reference, larger=normal(6000, 5)),
    Case("many_outputs", layer(True, 70), normal(2, 5), reference, larger=normal(300, 5)),
]


def linear():
    return nn.IndexLinear(4, 2)


def entry(key, value=1.0):
    return [np.array([key]), np.array([value], "f")]


def three(*sizes):
    return [np.zeros(3, int), np.zeros(3, "f"), np.array(sizes)]


HUGE = 2**63 - 1
LESS = "sum of sizes less the number of values: expected 0 to 0, got"  # a device has one kind of report, and one number for it
SIZES = ValueRangeError, IndexRangeError

ERRORS = [
    ErrorRow("range", linear, lambda m: m.forward(entry(4)), IndexRangeError, "keys: expected 0 to 3, got 4"),
    ErrorRow("negative", linear, lambda m: m.forward(entry(-1)), IndexRangeError, "keys: expected 0 to 3, got -1"),
    ErrorRow("offset", lambda: nn.IndexLinear(4, 2, keysOffset=9), lambda m: m.forward(entry(HUGE)), IndexRangeError,
             f"keys: expected 0 to 3 when 9 is added, got {HUGE}|row of a key: expected 0 to 3, got -1"),
    ErrorRow("update", linear, lambda m: m.accUpdateGradParameters(entry(4), np.zeros(2, "f"), 1), IndexRangeError,
             "keys: expected 0 to 3, got 4"),
    ErrorRow("later", linear,
             lambda m: (m.accGradParameters(entry(9), np.zeros(2, "f")), m.updateParameters(1)), IndexRangeError,
             "runningKeys: expected 0 to 3, got 9"),
    ErrorRow("long", linear, lambda m: m.forward(three(2, 2)), SIZES,
             f"sizes: expected 0 to 1 for sample 1, got 2|{LESS} 1"),
    ErrorRow("short", linear, lambda m: m.forward(three(1, 1)), SIZES, f"sizes: expected a sum of 3, .* got 2|{LESS} -1"),
    ErrorRow("below", linear, lambda m: m.forward(three(-1, 4)), SIZES,
             "sizes: expected 0 to 3(, got (-1|4)| for sample 0, got -1)"),
    ErrorRow("lengths", linear, lambda m: m.forward([np.zeros(2, int), np.zeros(3, "f")]), ShapeError,
             r"input\[1\]: expected 2 values, got 3"),
    ErrorRow("keys", linear, lambda m: m.forward([np.zeros(2, "f"), np.zeros(2, "f")]), DtypeError,
             r"input\[0\]: expected a vector of integers, got a float32 array of 2"),
    ErrorRow("values", linear, lambda m: m.forward([np.zeros(2, int), np.zeros(2)]), DtypeError,
             r"input\[1\]: expected float32, got float64"),
    ErrorRow("array", linear, lambda m: m.forward(np.zeros(2, "f")), DtypeError, "input: expected a table of 2 or 3, got"),
    ErrorRow("gradOutput", linear, lambda m: m.backward(entry(1), np.zeros(3, "f")), ShapeError, "gradOutput: expected 2, got 3"),
    ErrorRow("normalized", lambda: nn.IndexLinear(4, 2, True, normalize=True),
             lambda m: m.updateGradInput(entry(1), np.zeros(2, "f")), UnsupportedError, "there is none for normalized values"),
    ErrorRow("size", lambda: None, lambda m: nn.IndexLinear(0, 2), ValueRangeError, "inputSize: expected 1 or more, got 0"),
]  # fmt: skip
