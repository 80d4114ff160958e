"""Means of whole sequences."""

from pytorch_legacy import nn
from tests.case import Case, normal
from tests.cases.windows import of_frames, turned, usual_errors


def reference(module, x):
    return x.mean(-1, keepdims=True)


def case(name: str, *shape: int, jacobian: bool = True) -> Case:
    return Case(name, nn.TemporalGlobalAveragePooling, normal(*turned(shape)), of_frames(reference), jacobian=jacobian)


CASES = [
    case("few_cells", 2, 3, 7),
    case("one_cell", 2, 3, 1),
    case("whole_vectors", 2, 2, 64),
    case("many_cells", 1, 2, 1100, jacobian=False),
    case("several_parts", 2, 1, 140000, jacobian=False),
]

ERRORS = usual_errors(lambda: nn.TemporalGlobalAveragePooling(), (5, 1), r"\(N x\) nFrame x frameSize")
