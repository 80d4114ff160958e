"""A glimpse of a picture: patches of growing size around one place."""

from collections.abc import Sequence
from typing import Any, Self

import numpy as np

from pytorch_legacy.arrays import Tensor
from pytorch_legacy.arrays.device import Recorded
from pytorch_legacy.errors import ShapeError, ValueRangeError
from pytorch_legacy.files.form import Form
from pytorch_legacy.nn import check
from pytorch_legacy.nn.Module import Module
from pytorch_legacy.nn.pooling.SpatialAveragePooling import SpatialAveragePooling
from pytorch_legacy.nn.utils import sizes
from pytorch_legacy.nnx.SpatialReSampling import SpatialReSampling


class SpatialGlimpse(Module):
    """Cuts patches of growing size around a place out of each picture and makes them all as small as the first one.

    Patch d is ``scale ** d`` times as high and wide as the output. It is reduced by means of squares if the scale is 2, else by
    SpatialReSampling. What it shows beyond the picture is 0. The gradient of the place is 0.

    Parameters
    ----------
    size : int or (height, width)
        Size of the output.
    depth : int
        Number of patches.
    scale : int

    Attributes
    ----------
    module : Module
        Module that makes patches smaller; it is in ``modules``, too.

    Raises
    ------
    ShapeError
        If the input is no such table.

    Notes
    -----
    Input: a table of pictures, ``(N x) C x H x W``, and places, ``(N x) 2``: y, then x, from (-1, -1) for the upper left
    corner to (1, 1) for the lower right one; a place further out counts as the nearest one within.
    Output: ``(N x) depth * C x height x width``, patch by patch. Files of 2015 have one `size` for both sides.
    Source: Element-Research dpnn ``SpatialGlimpse``; Mnih et al., "Recurrent models of visual attention" (2014).

    Examples
    --------
    >>> layer = dpnn.SpatialGlimpse(2, depth=2)  # 2 x 2 cells around a place, and 4 x 4 made as small
    >>> picture = np.arange(36, dtype=np.float32).reshape(1, 6, 6)
    >>> layer.forward([picture, np.float32([0, 0])]).tolist()  # the middle
    [[[14.0, 15.0], [20.0, 21.0]], [[10.5, 12.5], [22.5, 24.5]]]
    """

    _file = Form(
        dropped=("_crop", "_pad", "size"),
        properties=("module",),
        defaults={
            "modules": lambda fields: [fields["module"]],
            "height": lambda fields: fields["size"],
            "width": lambda fields: fields["size"],
            "depth": 3,
            "scale": 2,
        },
        kinds={"module": "a module"} | dict.fromkeys(("height", "width", "size", "scale"), "a whole number"),
    )
    modules: list[Module]

    def __init__(self, size: int | Sequence[int], depth: int = 3, scale: int = 2) -> None:
        super().__init__()
        sizes = check.integers(self, "size", size)
        if len(sizes) not in (1, 2):
            raise ValueRangeError(f"{self._typename}: size: expected a size, or height and width, got {len(sizes)} numbers")
        height, width = sizes[0], sizes[-1]
        self.height, self.width = check.count(self, "height", height), check.count(self, "width", width)
        self.depth, self.scale = check.count(self, "depth", depth), check.count(self, "scale", scale)
        resampling = SpatialReSampling(oheight=self.height, owidth=self.width)
        self.modules = [SpatialAveragePooling(2, 2, 2, 2) if scale == 2 else resampling]
        self.gradInput = [np.empty(0, self._dtype), np.empty(0, self._dtype)]

    @property
    def module(self) -> Any:
        return self.modules[0]

    @module.setter
    def module(self, module: Any) -> None:
        self.modules = [module]

    def updateOutput(self, input: list[Tensor]) -> Tensor:
        pictures, places = self._checked(input)
        count, planes = pictures.shape[:2]
        output = self._resize("output", (*input[0].shape[:-3], self.depth * planes, self.height, self.width))
        patches = output.reshape(count, self.depth, planes, self.height, self.width)
        for depth in range(self.depth):
            padded, patch, _ = self._patch(pictures, places, depth)
            patches[:, depth] = self._reducing(depth).updateOutput(padded[patch]) if depth else padded[patch]
        return output

    def updateGradInput(self, input: list[Tensor], gradOutput: Tensor) -> list[Tensor]:
        pictures, places = self._checked(input)
        count, planes = pictures.shape[:2]
        check.tensor(self, "gradOutput", gradOutput)
        check.shape(self, "gradOutput", gradOutput, (*input[0].shape[:-3], self.depth * planes, self.height, self.width))
        gradients = gradOutput.reshape(count, self.depth, planes, self.height, self.width)
        gradPictures, gradPlaces = gradInput = self._resizeTable("gradInput", [part.shape for part in input[:2]])
        gradPlaces.fill(0)
        total = gradPictures.reshape(pictures.shape)
        total.fill(0)
        for depth in range(self.depth):
            padded, patch, inside = self._patch(pictures, places, depth)
            part = np.ascontiguousarray(gradients[:, depth], like=gradients)
            if depth:
                part = self._reducing(depth).updateGradInput(padded[patch], part)
            padded.fill(0)
            padded[patch] = part
            total += padded[inside]
        return gradInput

    def clearState(self) -> Self:
        self.module.clearState()
        return super().clearState()

    def _patch(self, pictures: Tensor, places: Tensor, depth: int) -> tuple[Tensor, Any, Any]:
        """The pictures with zeros around them, where in them the patches are, and where the pictures themselves."""
        for name in ("height", "width", "scale"):
            check.count(self, name, getattr(self, name))
        height, width = self.height * self.scale**depth, self.width * self.scale**depth
        top, left = (height - 1) // 2, (width - 1) // 2
        edges = (0, 0), (0, 0), (top, top), (left, left)
        shape = pictures.shape[0], pictures.shape[1], pictures.shape[2] + 2 * top, pictures.shape[3] + 2 * left
        padded: Tensor = self._made("padded pictures", shape, np.pad, pictures, edges)
        space = padded.shape[2] - height, padded.shape[3] - width
        if min(space) < 0:
            raise ShapeError(f"{self._typename}: input[0]: expected larger pictures, got {sizes(pictures.shape)}")
        most = np.array(space, np.float64, like=places)
        starts = np.clip((places.astype(np.float64) + 1) / 2 * most, 0, most).astype(np.int64)
        rows = starts[:, :1] + np.arange(height, like=places)
        columns = starts[:, 1:] + np.arange(width, like=places)
        samples, planes = np.ogrid[: pictures.shape[0], : pictures.shape[1]]
        patch = samples[..., None, None], planes[..., None, None], rows[:, None, :, None], columns[:, None, None, :]
        inside = ..., slice(top, top + pictures.shape[2]), slice(left, left + pictures.shape[3])
        return padded, patch, inside

    def _reducing(self, depth: int) -> Any:
        """The module, made to reduce patches of that depth."""
        if isinstance(self.module, SpatialAveragePooling):
            for name in ("kW", "kH", "dW", "dH"):
                setattr(self.module, name, self.scale**depth)
        return self.module

    def _checked(self, input: list[Tensor]) -> tuple[Tensor, Tensor]:
        """Pictures and places as batches."""
        pictures, places = check.tensors(self, "input", input, 2)
        check.tensor(self, "input[0]", pictures, 3, 4)
        check.shape(self, "input[1]", places, (*pictures.shape[:-3], 2))
        if isinstance(places, Recorded):
            text = "input[1]: numbers that are not finite"
            (~np.isfinite(places)).within(0, 0, text, ValueRangeError)  # type: ignore[attr-defined]
        elif check.looks(self) and not np.isfinite(places).all():
            raise ValueRangeError(f"{self._typename}: input[1]: expected places, got a number that is not finite")
        return (pictures, places) if pictures.ndim == 4 else (pictures[None], places[None])
