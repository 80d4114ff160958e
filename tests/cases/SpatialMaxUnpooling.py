"""Max pooling and its inverse, one after the other."""

import numpy as np

from pytorch_legacy import nn
from pytorch_legacy.errors import DtypeError, IndexRangeError, ShapeError
from tests.case import Case, ErrorRow, distinct
from tests.cases.SpatialMaxPooling import axes
from tests.cases.windows import inside

# A NaN becomes the maximum of its window; where that was is then 0.
NAN = ("nan_arrives",)


def chain(*arguments: int) -> nn.Sequential:
    pool = nn.SpatialMaxPooling(*arguments)
    return nn.Sequential().add(pool).add(nn.SpatialMaxUnpooling(pool))


def reference(net, x):
    """A cell stays if it is the largest one of some window."""
    y = np.zeros_like(x)
    rows, columns = axes(net.modules[0], x)
    for r, c in ((inside(r, x.shape[-2]), inside(c, x.shape[-1])) for r in rows for c in columns):
        cells = x[..., r, c]
        largest = cells == cells.max((-2, -1), keepdims=True)
        y[..., r, c][largest] = cells[largest]
    return y


def case(name: str, arguments: tuple[int, ...], *shape: int) -> Case:
    return Case(name, lambda: chain(*arguments), distinct(*shape), reference, skip=NAN)


CASES = [
    case("2x2", (2, 2), 2, 3, 4, 6),
    case("2x2_does_not_divide", (2, 2), 2, 2, 5, 7),
    case("3x2_pad", (3, 2, 3, 2, 1, 1), 1, 2, 6, 8),
    case("overlapping", (3, 3, 1, 1), 2, 2, 5, 6),
    case("gaps", (1, 2, 3, 3), 1, 2, 7, 8),
]


def pooled(size: int = 4) -> nn.SpatialMaxUnpooling:
    pool = nn.SpatialMaxPooling(2, 2)
    pool.forward(np.zeros((1, size, size), "f"))
    return nn.SpatialMaxUnpooling(pool)


def with_index(index: int):
    def run(module):
        module.pooling.indices[0, 1, 0] = index
        output = module.output = np.full((1, 4, 4), 7, "f")
        try:
            module.forward(np.ones((1, 2, 2), "f"))
        finally:
            assert (output == 7).all()

    return run


def backward_with_index(module):
    x = np.ones((1, 2, 2), "f")
    module.forward(x)
    module.indices[0, 0, 1] = -2
    module.backward(x, np.ones((1, 4, 4), "f"))


ERRORS = [
    ErrorRow("not_forward_yet", lambda: nn.SpatialMaxUnpooling(nn.SpatialMaxPooling(2, 2)),
             lambda m: m.forward(np.zeros((1, 2, 2), "f")), ShapeError,
             r"pooling: expected a max pooling layer that has gone forward, got nn.SpatialMaxPooling\(2x2, 2,2\)"),
    ErrorRow("no_pooling_layer", lambda: nn.SpatialMaxUnpooling(nn.Identity()), lambda m: m.forward(np.zeros((1, 2, 2), "f")),
             ShapeError, r"pooling: expected a max pooling layer that has gone forward, got nn.Identity"),
    ErrorRow("rank", pooled, lambda m: m.forward(np.zeros((4, 4), "f")), ShapeError,
             r"input: expected \(N x\) C x H x W, got 2-D \(4 x 4\)"),
    ErrorRow("other_input", pooled, lambda m: m.forward(np.zeros((1, 2, 3), "f")), ShapeError,
             "input: expected 1 x 2 x 2, as the output of nn.SpatialMaxPooling.*, got 1 x 2 x 3"),
    ErrorRow("dtype", pooled, lambda m: m.forward(np.zeros((1, 2, 2))), DtypeError, "expected float32, got float64"),
    ErrorRow("gradOutput", pooled,
             lambda m: m.forward(np.zeros((1, 2, 2), "f")) is m.backward(np.zeros((1, 2, 2), "f"), np.zeros((1, 4, 5), "f")),
             ShapeError, r"gradOutput: expected 1 x 4 x 4, got 1 x 4 x 5"),
    ErrorRow("index_too_large", pooled, with_index(16), IndexRangeError, "indices: expected 0 to 15, got 16"),
    ErrorRow("index_negative", pooled, with_index(-2), IndexRangeError, "indices: expected 0 to 15, got -2"),
    ErrorRow("index_in_backward", pooled, backward_with_index, IndexRangeError, "indices: expected 0 to 15, got -2"),
]  # fmt: skip
