"""Images looked at in the places that a grid names."""

from typing import Any

import numpy as np

from pytorch_legacy import nn
from pytorch_legacy.arrays import Tensor
from pytorch_legacy.files.form import Form
from pytorch_legacy.nn import check
from pytorch_legacy.nn.Module import Module


class BilinearSamplerBHWD(Module):
    """Looks at images in the places that a grid names, with straight lines between cells.

    Takes a list of two: images, channels last, and for each a grid of pairs (y, x), each from -1, the first row or column, to
    1, the last one. Outside of the image everything is 0.

    Raises
    ------
    ShapeError
        If the images are not ``(N x) H x W x C`` or the grids not ``(N x) oH x oW x 2``.

    Notes
    -----
    Shapes: a list of ``(N x) H x W x C`` and ``(N x) oH x oW x 2`` to ``(N x) oH x oW x C``. ``gradInput`` is a list of both
    gradients.
    SPyNet has a layer of the same name and fields, whose grid has offsets in cells: see FlowSamplerBHWD. A file with an
    nn.AffineGridGeneratorBHWD or an nn.AffineTransformMatrixGenerator has this one; if nothing shows which one it is,
    ``pl.load`` warns. An object that was made here has a field `offsets`, which is False; Torch7 ignores it.
    Source: stn ``BilinearSamplerBHWD``; Jaderberg et al. 2015. ``nn.SpatialGridSamplerBilinear`` does the work.

    Examples
    --------
    >>> image = np.arange(4, dtype=np.float32).reshape(2, 2, 1)
    >>> places = np.float32([[[-1, -1], [-1, 1], [0, 0]]])  # two corners and the middle, y before x
    >>> authors.BilinearSamplerBHWD().forward([image, places]).ravel()
    array([0. , 1. , 1.5], dtype=float32)
    """

    _file = Form(kinds={"offsets": "true or false"})
    _companions = ("nn.AffineGridGeneratorBHWD", "nn.AffineTransformMatrixGenerator")

    def __init__(self) -> None:
        super().__init__()
        self.gradInput = []
        self.offsets = False

    def updateOutput(self, input: list[Tensor]) -> Tensor:
        sampled = self._sampler().updateOutput(self._arranged(input))
        output = self._resize("output", self._shape(input))
        output.reshape(np.moveaxis(sampled, 1, -1).shape)[...] = np.moveaxis(sampled, 1, -1)
        return output

    def updateGradInput(self, input: list[Tensor], gradOutput: Tensor) -> list[Tensor]:
        check.shape(self, "gradOutput", check.tensor(self, "gradOutput", gradOutput), self._shape(input))
        images, grids = self._arranged(input)
        planes = np.ascontiguousarray(np.moveaxis(gradOutput.reshape(len(images), *gradOutput.shape[-3:]), -1, 1), like=images)
        gradImages, gradGrids = self._sampler().updateGradInput([images, grids], planes)
        gradInput = self._resizeTable("gradInput", [input[0].shape, input[1].shape])
        gradInput[0][...] = np.moveaxis(gradImages, 1, -1).reshape(input[0].shape)
        gradInput[1][...] = gradGrids[..., ::-1].reshape(input[1].shape)
        return gradInput

    def _sampler(self) -> nn.SpatialGridSamplerBilinear:
        sampler = nn.SpatialGridSamplerBilinear()
        sampler.type(self._type)
        return sampler

    def _shape(self, input: list[Tensor]) -> tuple[int, ...]:
        return *input[1].shape[:-1], input[0].shape[-1]

    def _arranged(self, input: Any) -> list[Tensor]:
        """Images and grids as the sampler takes them: channels first, and x before y."""
        images, grids = check.tensors(self, "input", input, 2)
        check.tensor(self, "input[0]", images, 3, 4)
        check.shape(self, "input[1]", check.tensor(self, "input[1]", grids, images.ndim), (*grids.shape[:-1], 2))
        images, grids = (array[None] if array.ndim == 3 else array for array in (images, grids))
        return [np.ascontiguousarray(np.moveaxis(images, -1, 1), like=images), np.ascontiguousarray(grids[..., ::-1], like=grids)]

    @classmethod
    def _claims(cls, fields: Any) -> bool:
        return fields.get("offsets") is not True
