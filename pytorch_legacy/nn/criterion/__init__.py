"""Losses: a number for an input and a target, and the gradient of the input."""

from pytorch_legacy.nn.family import classes

BASES = ("CriterionContainer",)
__all__ = classes(globals(), BASES)
