"""Volumetric max pooling and its inverse, one after the other. The pooling is done in NumPy."""

import numpy as np

from pytorch_legacy import nn
from pytorch_legacy.errors import IndexRangeError, ShapeError
from pytorch_legacy.nn import check
from tests.case import Case, ErrorRow, distinct
from tests.cases.SpatialMaxUnpooling import NAN


def boxes(x):
    """The cells of each box of 2 x 2 x 2, last."""
    t, h, w = x.shape[-3:]
    x = x[..., : t // 2 * 2, : h // 2 * 2, : w // 2 * 2].reshape(*x.shape[:-3], t // 2, 2, h // 2, 2, w // 2, 2)
    return np.moveaxis(x, (-5, -3, -1), (-3, -2, -1)).reshape(*x.shape[:-6], t // 2, h // 2, w // 2, 8)


class MaxOfBoxes(nn.Module):
    """Volumetric max pooling with boxes of 2 x 2 x 2."""

    def updateOutput(self, input):
        self.itime, self.iheight, self.iwidth = size = check.tensor(self, "input", input).shape[-3:]
        cells = boxes(input)
        winner = cells.argmax(-1)[..., None]
        places = np.broadcast_to(boxes(np.arange(np.prod(size), like=input).reshape(size)), cells.shape)
        self.indices = np.take_along_axis(places, winner, -1)[..., 0]
        self._resize("output", self.indices.shape)[...] = np.take_along_axis(cells, winner, -1)[..., 0]
        return self.output

    def updateGradInput(self, input, gradOutput):
        gradInput = self._resize("gradInput", check.tensor(self, "input", input).shape)
        gradInput.fill(0)
        planes, planeSize = np.prod(input.shape[:-3], dtype=int), np.prod(input.shape[-3:])
        at, g = (array.reshape(planes, -1) if planes else array.reshape(0, 1) for array in (self.indices, gradOutput))
        np.put_along_axis(gradInput.reshape(planes, planeSize), at, g, -1)
        return gradInput


def reference(net, x):
    """A cell stays if it is the largest one of its box."""
    cells, flat = boxes(x), np.zeros_like(x).reshape(*x.shape[:-3], -1)
    places = np.broadcast_to(boxes(np.arange(flat.shape[-1]).reshape(x.shape[-3:])), cells.shape)
    kept = np.where(cells == cells.max(-1, keepdims=True), cells, 0)
    np.put_along_axis(flat, places.reshape(*x.shape[:-3], -1), kept.reshape(*x.shape[:-3], -1), -1)
    return flat.reshape(x.shape)


def chain() -> nn.Sequential:
    pool = MaxOfBoxes()
    return nn.Sequential().add(pool).add(nn.VolumetricMaxUnpooling(pool))


CASES = [
    Case("divisible", chain, distinct(2, 2, 4, 2, 6), reference, skip=NAN),
    Case("does_not_divide", chain, distinct(2, 3, 3, 5, 4), reference, skip=NAN),
]


def pooled() -> nn.VolumetricMaxUnpooling:
    pool = MaxOfBoxes()
    pool.forward(np.zeros((1, 2, 4, 4), "f"))
    return nn.VolumetricMaxUnpooling(pool)


def with_bad_index(module):
    module.pooling.indices = module.pooling.indices + 32
    module.forward(np.zeros((1, 1, 2, 2), "f"))


ERRORS = [
    ErrorRow("not_forward_yet", lambda: nn.VolumetricMaxUnpooling(MaxOfBoxes()), lambda m: m.forward(np.zeros((1, 1, 2, 2), "f")),
             ShapeError, "pooling: expected a max pooling layer that has gone forward, got MaxOfBoxes"),
    ErrorRow("rank", pooled, lambda m: m.forward(np.zeros((1, 2, 2), "f")), ShapeError,
             r"input: expected \(N x\) C x T x H x W, got 3-D \(1 x 2 x 2\)"),
    ErrorRow("other_input", pooled, lambda m: m.forward(np.zeros((1, 2, 2, 2), "f")), ShapeError,
             "input: expected 1 x 1 x 2 x 2, as the output of .*, got 1 x 2 x 2 x 2"),
    ErrorRow("index", pooled, with_bad_index, IndexRangeError, "indices: expected 0 to 31, got 42"),
]  # fmt: skip
