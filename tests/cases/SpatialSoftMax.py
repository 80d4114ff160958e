"""Probabilities of each position."""

from pytorch_legacy import nn
from tests.case import Case, normal
from tests.cases.SoftMax import reference

CASES = [
    Case("planes", nn.SpatialSoftMax, normal(2, 5, 3, 4), reference),
]

ERRORS = []
