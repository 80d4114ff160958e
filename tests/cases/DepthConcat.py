"""Branches of different sizes, joined."""

import numpy as np

from pytorch_legacy import nn
from pytorch_legacy.errors import ShapeError
from tests.case import Case, ErrorRow, distinct, normal


def branches() -> nn.DepthConcat:
    """Planes of 5 x 6, 4 x 5 and 3 x 3."""
    module = nn.DepthConcat(1).add(nn.SpatialConvolution(2, 3, 1, 1)).add(nn.SpatialMaxPooling(2, 2, 1, 1))
    return module.add(nn.SpatialConvolution(2, 1, 4, 3))


def branches_of(module, x):
    outputs = [branch.output for branch in module.modules]
    expected = np.zeros((len(x), 6, 5, 6))
    expected[:, 0:3] = np.einsum("oc,nchw->nohw", module.modules[0].weight[:, :, 0, 0], x)
    expected[:, 0:3] += module.modules[0].bias[:, None, None]
    windows = np.lib.stride_tricks.sliding_window_view(x, (2, 2), (2, 3))
    expected[:, 3:5, 0:4, 0:5] = windows.max((-2, -1))
    windows = np.lib.stride_tricks.sliding_window_view(x, (3, 4), (2, 3))
    expected[:, 5:6, 1:4, 1:4] = np.einsum("ocij,nchwij->nohw", module.modules[2].weight, windows)
    expected[:, 5:6, 1:4, 1:4] += module.modules[2].bias[:, None, None]
    assert [output.shape[2:] for output in outputs] == [(5, 6), (4, 5), (3, 3)]
    return expected


CASES = [
    Case("convolutions", branches, distinct(2, 2, 5, 6), branches_of, singleSample=False),
    Case(
        "vectors",
        lambda: nn.DepthConcat(0).add(nn.Linear(4, 1)).add(nn.Identity()),
        normal(2, 4),
        lambda m, x: np.concatenate([np.pad(x @ m.modules[0].weight.T + m.modules[0].bias, ((0, 0), (1, 2))), x]),
        batched=False,  # the rows are what is joined
    ),
]

ERRORS = [
    ErrorRow(
        "ranks",
        lambda: nn.DepthConcat(0).add(nn.Identity()).add(nn.View(8)),
        lambda m: m.forward(np.zeros((2, 4), "f")),
        ShapeError,
        r"nn\.DepthConcat: outputs\[1\]: expected a 2-D array, got 1-D",
    ),
    ErrorRow(
        "gradOutput",
        branches,
        lambda m: m.backward(np.zeros((2, 2, 5, 6), "f"), m.forward(np.zeros((2, 2, 5, 6), "f"))[:, :5]),
        ShapeError,
        "gradOutput: expected 2 x 6 x 5 x 6, got 2 x 5 x 5 x 6",
    ),
]
