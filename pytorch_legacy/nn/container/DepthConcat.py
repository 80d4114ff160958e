"""Branches of different sizes joined into one array."""

from typing import Any

from pytorch_legacy.arrays import Tensor
from pytorch_legacy.files.form import Form
from pytorch_legacy.nn import blocks, check
from pytorch_legacy.nn.container.Concat import Concat
from pytorch_legacy.nn.container.joining import Window


class DepthConcat(Concat):
    """As Concat, with smaller outputs amid zeros; dimensions count from 0: Lua's ``nn.DepthConcat(2)`` is ``(1)``::

        output    = concatenate([padded(module(input)) for module in modules], axis=dimension)
        gradInput = sum(module.gradInput for module in modules)

    Each other size of the output is the largest of its kind. What is left over of an odd number of zeros comes behind.

    Parameters
    ----------
    dimension : int
        The dimension of the outputs, batch included, along which they are joined.
    *modules : Module
        Modules that it holds at first; ``add`` appends more.

    Notes
    -----
    Unlike Torch7, ``backward`` heeds `scale`. Source: Torch7 nn.DepthConcat; Szegedy et al., "Going deeper with
    convolutions" (2014).

    Examples
    --------
    >>> net = nn.DepthConcat(0, nn.SpatialAveragePooling(2, 2), nn.Identity())  # nn.DepthConcat(1) in Lua
    >>> net.forward(np.float32([[[1, 2], [3, 6]]]))
    array([[[3., 0.],
            [0., 0.]],
    <BLANKLINE>
           [[1., 2.],
            [3., 6.]]], dtype=float32)
    """

    _file = Form(dropped=("size",))

    def updateOutput(self, input: Any) -> Tensor:
        outputs = self._forEachChild(lambda _, module: module.updateOutput(input), guarded=True)
        shape, windows = self._layout(outputs)
        output = self._resize("output", shape, mustNotOverlap=outputs)
        blocks.zero(output)
        for window, part in zip(windows, outputs, strict=True):
            output[window] = part
        return output

    def _layout(self, outputs: list[Tensor]) -> tuple[tuple[int, ...], list[Window]]:
        rank = check.tensors(self, "outputs", outputs)[0].ndim
        for i, output in enumerate(outputs):
            check.tensor(self, f"outputs[{i}]", output, rank)
        axis = check.axis(self, self.dimension, rank)
        shape = [max(sizes) for sizes in zip(*(output.shape for output in outputs), strict=True)]
        shape[axis] = sum(output.shape[axis] for output in outputs)
        windows, offset = [], 0
        for output in outputs:
            starts = [(whole - size) // 2 for whole, size in zip(shape, output.shape, strict=True)]
            starts[axis] = offset
            offset += output.shape[axis]
            windows.append(tuple(slice(start, start + size) for start, size in zip(starts, output.shape, strict=True)))
        return tuple(shape), windows
