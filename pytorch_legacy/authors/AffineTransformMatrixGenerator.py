"""Affine maps from a few parameters."""

from typing import Any

import numpy as np

from pytorch_legacy.arrays import Tensor
from pytorch_legacy.backend import compute
from pytorch_legacy.errors import ShapeError
from pytorch_legacy.files.form import Form
from pytorch_legacy.nn import check
from pytorch_legacy.nn.Module import Module
from pytorch_legacy.nn.utils import sizes


class AffineTransformMatrixGenerator(Module):
    """Makes affine maps of an angle, a scale and a translation, or of as many of these as are used.

    .. math:: M = \\begin{pmatrix} s \\cos a & -s \\sin a & (s R t)_1 \\\\ s \\sin a & s \\cos a & (s R t)_2 \\end{pmatrix}

    where R is the rotation by a. Parameters come in the order a, s, t_1, t_2. If none is used, the input has all six numbers
    of M.

    Parameters
    ----------
    useRotation, useScale, useTranslation : bool

    Raises
    ------
    ShapeError
        If the input has another number of parameters.

    Notes
    -----
    Shapes: ``(N x) P`` to ``(N x) 2 x 3``.
    Source: stn ``AffineTransformMatrixGenerator``.

    Examples
    --------
    >>> layer = authors.AffineTransformMatrixGenerator(useScale=True, useTranslation=True)
    >>> layer.forward(np.float32([2, 0.5, 0.25]))  # scale, then translation
    array([[2. , 0. , 1. ],
           [0. , 2. , 0.5]], dtype=float32)
    """

    fullMode = True
    useRotation = False
    useScale = False
    useTranslation = False

    _file = Form(defaults={"useRotation": False, "useScale": False, "useTranslation": False})

    def __init__(self, useRotation: bool = False, useScale: bool = False, useTranslation: bool = False) -> None:
        super().__init__()
        self.fullMode = not (useRotation or useScale or useTranslation)
        if not self.fullMode:
            self.useRotation, self.useScale, self.useTranslation = useRotation, useScale, useTranslation

    def updateOutput(self, input: Tensor) -> Tensor:
        self._checked(input)
        output = self._resize("output", (*input.shape[:-1], 2, 3))
        if self.fullMode:
            output[...] = input.reshape(output.shape)
            return output
        rotation, scale, shift = self._parts(input)
        output[..., :2] = rotation * scale
        output[..., 2:] = compute.matmul(rotation * scale, shift)
        return output

    def updateGradInput(self, input: Tensor, gradOutput: Tensor) -> Tensor:
        self._checked(input)
        check.shape(self, "gradOutput", check.tensor(self, "gradOutput", gradOutput), (*input.shape[:-1], 2, 3))
        gradInput = self._resize("gradInput", input.shape)
        if self.fullMode:
            gradInput[...] = gradOutput.reshape(input.shape)
            return gradInput
        rotation, scale, shift = self._parts(input)
        linear, moved = gradOutput[..., :2], gradOutput[..., 2:]
        total = linear + compute.matmul(moved, shift.swapaxes(-1, -2))  # the gradient of rotation * scale
        place = 0
        if self.useRotation:
            turned = compute.matmul(rotation, np.array([[0, -1], [1, 0]], self._dtype, like=input))
            gradInput[..., place] = compute.sum(total * turned * scale, (-2, -1))
            place += 1
        if self.useScale:
            gradInput[..., place] = compute.sum(total * rotation, (-2, -1))
            place += 1
        if self.useTranslation:
            gradInput[..., place:] = compute.matmul((rotation * scale).swapaxes(-1, -2), moved)[..., 0]
        return gradInput

    def _parts(self, input: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Rotations, scales and translations as matrices."""
        front = input.shape[:-1]
        columns = list(np.moveaxis(input, -1, 0))
        rotation = np.broadcast_to(np.array([[1, 0], [0, 1]], self._dtype, like=input), (*front, 2, 2))
        if self.useRotation:
            angle = columns.pop(0)
            cos, sin = compute.cos(angle), compute.sin(angle)
            rotation = np.stack([cos, -sin, sin, cos], -1).reshape(*front, 2, 2)
        scale = columns.pop(0)[..., None, None] if self.useScale else np.ones_like(input, shape=(*front, 1, 1))
        shift = np.stack(columns, -1)[..., None] if self.useTranslation else np.zeros_like(input, shape=(*front, 2, 1))
        return rotation, scale, shift

    def _checked(self, input: Any) -> None:
        count = 6 if self.fullMode else int(self.useRotation) + int(self.useScale) + 2 * int(self.useTranslation)
        if check.tensor(self, "input", input, 1, 2).shape[-1] != count:
            raise ShapeError(f"{self._typename}: input: expected (N x) {count}, got {sizes(input.shape)}")
