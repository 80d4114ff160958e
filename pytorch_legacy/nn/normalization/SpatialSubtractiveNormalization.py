"""Planes less the mean around each cell."""

from pytorch_legacy.arrays import Tensor
from pytorch_legacy.files.form import Form
from pytorch_legacy.nn.normalization.neighbourhood import LocalNormalization


class SpatialSubtractiveNormalization(LocalNormalization):
    """Subtracts from each cell the weighted mean of its neighbourhood in all planes.

    .. math:: y_{c,h,w} = x_{c,h,w} - \\frac{\\sum_{j,a,b} K_{a,b} \\, x_{j,h+a,w+b}}{\\sum_{j,a,b} K_{a,b}}

    where a and b count from the kernel's middle and both sums are over cells that exist.

    Parameters
    ----------
    nInputPlane : int
        Number of planes.
    kernel : array, optional
        The weights K, with odd sizes; a vector stands for its product with itself. 9 x 9 ones if not given.

    Attributes
    ----------
    kernel : array
        K, divided by its sum and by nInputPlane. (Torch7 did so in place, in the array that it was given.)

    Raises
    ------
    ShapeError, ValueRangeError
        If the input is not 3-D or 4-D with nInputPlane planes, or the kernel has an even size.

    Notes
    -----
    Shapes: ``(N x) nInputPlane x H x W`` to the same. The modules that Torch7 kept inside do nothing here:
    their weights are the kernel.
    Source: Torch7 nn.SpatialSubtractiveNormalization.

    Examples
    --------
    >>> layer = nn.SpatialSubtractiveNormalization(1, np.ones((1, 3)))
    >>> np.round(layer.forward(np.float32([[[6, 0, 3]]])), 4)
    array([[[ 3. , -3. ,  1.5]]], dtype=float32)
    """

    _file = Form(scratch={"subtractor": lambda module: module._fileLayer("nn.CSubTable")})

    def updateOutput(self, input: Tensor) -> Tensor:
        self._checked(input)
        output = self._resize("output", input.shape, mustNotOverlap=input)
        output[...] = input
        output -= self._sums(input) / self._coef
        return output

    def updateGradInput(self, input: Tensor, gradOutput: Tensor) -> Tensor:
        self._checkedGradient(self._checked(input), gradOutput)
        gradInput = self._resize("gradInput", input.shape, mustNotOverlap=gradOutput)
        gradInput[...] = gradOutput
        gradInput -= self._spread(self._joined(gradOutput) / self._coef)
        return gradInput
