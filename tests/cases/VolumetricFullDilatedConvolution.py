"""Transposed convolution of volumes with holes in the filters: the C functions, which no class of Torch7 calls."""

from pytorch_legacy import nn
from tests.case import Case, normal
from tests.cases.filters import full, usual_errors


class VolumetricFullDilatedConvolution(nn.VolumetricFullConvolution):
    _typename = "nn.VolumetricFullDilatedConvolution"
    _layer = "VolumetricFullDilatedConvolution"

    def __init__(self, *numbers: int) -> None:
        super().__init__(*numbers)
        self.dilationT, self.dilationW, self.dilationH = 2, 3, 1


def make(*numbers: int):
    return lambda: VolumetricFullDilatedConvolution(*numbers)


CASES = [
    Case("2x2x2", make(2, 2, 2, 2, 2), normal(2, 2, 2, 2, 2), full),
    Case("2x2x1_stride_pad_adj", make(1, 2, 2, 2, 1, 1, 2, 2, 1, 0, 0, 1, 2, 1), normal(2, 1, 2, 2, 2), full),
]

ERRORS = usual_errors(make(1, 1, 2, 2, 2), (1, 3, 4, 4))
