"""A border that repeats the edge."""

from pytorch_legacy.backend import call, output_size
from pytorch_legacy.nn import check
from pytorch_legacy.nn.Module import Module
from pytorch_legacy.storage import Tensor


class SpatialReplicationPadding(Module):
    """Puts a border around each plane that repeats the cells at its edge.

    .. math:: y_{h,w} = x_{clamp(h - pad_t, 0, H - 1),\\, clamp(w - pad_l, 0, W - 1)}

    The gradient of a cell is the sum over all places that repeat it. Negative pads cut cells off.

    Parameters
    ----------
    pad_l, pad_r, pad_t, pad_b : int
        Width of the border at the left, right, top and bottom; the last three are as the first unless given.

    Raises
    ------
    ShapeError
        If the input is not 3-D or 4-D, or nothing of it would be left.

    Notes
    -----
    Shapes: ``(N x) C x H x W`` to ``(N x) C x (H + pad_t + pad_b) x (W + pad_l + pad_r)``.
    Source: Torch7 ``nn.SpatialReplicationPadding``; C: ``THNN/padding/SpatialReplicationPadding.c``.
    """

    def __init__(self, pad_l: int, pad_r: int | None = None, pad_t: int | None = None, pad_b: int | None = None) -> None:
        super().__init__()
        self.pad_l = pad_l
        self.pad_r = pad_l if pad_r is None else pad_r
        self.pad_t = pad_l if pad_t is None else pad_t
        self.pad_b = pad_l if pad_b is None else pad_b

    def updateOutput(self, input: Tensor) -> Tensor:
        pads = (self.pad_l, self.pad_r, self.pad_t, self.pad_b)
        check.tensor(self, "input", input)
        output = self._resize("output", output_size(self, "SpatialReplicationPadding_outputSize", input, *pads))
        call(self, "SpatialReplicationPadding_updateOutput", input, output, *pads)
        return output

    def updateGradInput(self, input: Tensor, gradOutput: Tensor) -> Tensor:
        pads = (self.pad_l, self.pad_r, self.pad_t, self.pad_b)
        gradInput = self._resize("gradInput", check.tensor(self, "input", input).shape)
        call(self, "SpatialReplicationPadding_updateGradInput", input, gradOutput, gradInput, *pads)
        return gradInput

    def __repr__(self) -> str:
        return f"{self._typename}(l={self.pad_l}, r={self.pad_r}, t={self.pad_t}, b={self.pad_b})"
