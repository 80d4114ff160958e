"""The same convolution through both of its C functions: the kernel's size from the weight, and a flat weight."""

from pytorch_legacy import nn
from tests.case import Case, normal
from tests.cases.filters import dense, usual_errors


class SizeFromWeight(nn.VolumetricConvolution):
    _typename = "nn.VolumetricConvolutionMM"
    _layer = "VolumetricConvolution"


class FlatWeight(nn.VolumetricConvolution):
    def _weightShape(self) -> tuple[int, ...]:
        return self.nOutputPlane, self.nInputPlane * self.kT * self.kW * self.kH


CASES = [
    Case("flat", lambda: FlatWeight(2, 3, 2, 3, 1, 1, 2, 1, 1, 0, 1), normal(2, 2, 3, 2, 4), dense),
    Case("size_from_weight", lambda: SizeFromWeight(2, 3, 2, 3, 1, 1, 2, 1, 1, 0, 1), normal(2, 2, 3, 2, 4), dense),
]

ERRORS = usual_errors(lambda: SizeFromWeight(1, 1, 2, 2, 2), (1, 3, 4, 4))
