"""Maxima of whole planes."""

from pytorch_legacy import nn
from tests.case import Case, distinct
from tests.cases.windows import usual_errors


def reference(module, x):
    return x.max((-2, -1), keepdims=True)


def case(name: str, *shape: int, jacobian: bool = True) -> Case:
    return Case(name, nn.SpatialGlobalMaxPooling, distinct(*shape), reference, jacobian=jacobian)


CASES = [
    case("few_cells", 2, 3, 2, 3),
    case("one_cell", 2, 3, 1, 1),
    case("7x7", 2, 2, 7, 7),
    case("many_cells", 1, 2, 37, 53, jacobian=False),
    case("several_parts", 2, 1, 300, 500, jacobian=False),
]

ERRORS = usual_errors(lambda: nn.SpatialGlobalMaxPooling(), (1, 4, 5), r"\(N x\) C x H x W", indexed=True)
