"""Logarithms of each position's probabilities."""

from pytorch_legacy import nn
from tests.case import Case, normal
from tests.cases.LogSoftMax import reference

CASES = [
    Case("planes", nn.SpatialLogSoftMax, normal(2, 5, 3, 4), reference),
]

ERRORS = []
