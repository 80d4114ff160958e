"""Arithmetic: learned and constant terms and factors, sums and extrema, products of matrices."""

from pytorch_legacy.nn.family import classes

BASES = ("Extremum", "LearnedArray", "RowPairs")
__all__ = classes(globals(), BASES)
