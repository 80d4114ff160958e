"""Transposed convolution with holes in the filters: the C functions, which no class of Torch7 calls."""

from pytorch_legacy import nn
from tests.case import Case, normal
from tests.cases.filters import full, usual_errors


class SpatialFullDilatedConvolution(nn.SpatialFullConvolution):
    _typename = "nn.SpatialFullDilatedConvolution"
    _layer = "SpatialFullDilatedConvolution"

    def __init__(self, *numbers: int, dilation: tuple[int, int] = (1, 1)) -> None:
        super().__init__(*numbers)
        self.dilationW, self.dilationH = dilation


def make(*numbers: int, dilation: tuple[int, int] = (2, 3)):
    return lambda: SpatialFullDilatedConvolution(*numbers, dilation=dilation)


CASES = [
    Case("3x2_dilation2x3", make(2, 3, 3, 2), normal(2, 2, 3, 4), full),
    Case("3x2_stride2_pad1_adj1_dilation2x3", make(2, 2, 3, 2, 2, 2, 1, 1, 1, 0), normal(2, 2, 2, 3), full),
    Case("adj_below_dilation", make(2, 2, 2, 2, 1, 1, 0, 0, 1, 2), normal(2, 2, 2, 3), full),
    Case("1x1_adj", make(2, 2, 1, 1, 1, 1, 0, 0, 1, 2), normal(2, 2, 2, 3), full),
]

ERRORS = usual_errors(make(1, 1, 2, 2), (1, 4, 4))
