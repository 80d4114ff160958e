"""Maxima of whole volumes."""

from pytorch_legacy import nn
from tests.case import Case, distinct
from tests.cases.windows import usual_errors


def reference(module, x):
    return x.max((-3, -2, -1), keepdims=True)


def case(name: str, *shape: int, jacobian: bool = True) -> Case:
    return Case(name, nn.VolumetricGlobalMaxPooling, distinct(*shape), reference, jacobian=jacobian)


CASES = [
    case("few_cells", 2, 3, 2, 3, 2),
    case("one_cell", 2, 3, 1, 1, 1),
    case("4x4x4", 2, 2, 4, 4, 4),
    case("many_cells", 1, 2, 7, 13, 19, jacobian=False),
    case("several_parts", 2, 1, 30, 60, 80, jacobian=False),
]

ERRORS = usual_errors(lambda: nn.VolumetricGlobalMaxPooling(), (1, 3, 4, 5), r"\(N x\) C x T x H x W", indexed=True)
