"""The max pooling that Torch7 had for the GPU in its first years."""

from typing import Any

from pytorch_legacy import nn
from pytorch_legacy.arrays import Tensor
from pytorch_legacy.authors.lastBatch import batchFirst, batchLast
from pytorch_legacy.files.form import Form
from pytorch_legacy.nn import check
from pytorch_legacy.nn.Module import Module


class SpatialMaxPoolingCUDA(Module):
    """The maximum of each window of a plane; the batch is the last dimension, as in cuda-convnet.

    .. math:: y_{c,h,w,n} = \\max_{j < kH,\\, k < kW} x_{c,\\, h\\,dH + j,\\, w\\,dW + k,\\, n}

    Parameters
    ----------
    kW, kH : int
        Width and height of a window.
    dW, dH : int
        Cells that the window moves; by default its width and height.

    Raises
    ------
    ShapeError
        If the input is not 4-D, or is smaller than the window.

    Notes
    -----
    Shapes: ``C x H x W x N`` to ``C x oH x oW x N`` with ``oH = floor((H - kH) / dH) + 1``.
    Source: cunn of 2012 to 2014 ``SpatialMaxPoolingCUDA``. ``nn.SpatialMaxPooling`` does the work.

    Examples
    --------
    >>> authors.SpatialMaxPoolingCUDA(2, 1).forward(np.float32([1, 4, 3, 2]).reshape(1, 1, 4, 1)).ravel()
    array([4., 3.], dtype=float32)
    """

    _file = Form(dropped=("indices",), defaults={"dW": lambda fields: fields["kW"], "dH": lambda fields: fields["kH"]})

    def __init__(self, kW: int, kH: int, dW: int | None = None, dH: int | None = None) -> None:
        super().__init__()
        self.kW, self.kH = check.count(self, "kW", kW), check.count(self, "kH", kH)
        self.dW = self.kW if dW is None else check.count(self, "dW", dW)
        self.dH = self.kH if dH is None else check.count(self, "dH", dH)

    def updateOutput(self, input: Tensor) -> Tensor:
        pooled = self._pooling().updateOutput(self._planes(input))
        return batchLast(pooled, self._resize("output", (*pooled.shape[1:], len(pooled)), mustNotOverlap=input))

    def updateGradInput(self, input: Tensor, gradOutput: Tensor) -> Tensor:
        pooling, planes = self._pooling(), self._planes(input)
        pooled = pooling.updateOutput(planes)
        check.shape(self, "gradOutput", check.tensor(self, "gradOutput", gradOutput), (*pooled.shape[1:], len(pooled)))
        gradient = pooling.updateGradInput(planes, batchFirst(gradOutput))
        return batchLast(gradient, self._resize("gradInput", input.shape, mustNotOverlap=gradOutput))

    def _pooling(self) -> Any:
        pooling = nn.SpatialMaxPooling(self.kW, self.kH, self.dW, self.dH)
        pooling.type(self._type)
        pooling._typename = self._typename  # for errors
        return pooling

    def _planes(self, input: Any) -> Tensor:
        return batchFirst(check.tensor(self, "input", input, 4))
