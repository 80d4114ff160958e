"""Nonlinearities: element by element, or along the channels."""

from pytorch_legacy.nn.family import classes

BASES = ("Inplace", "Shrink")
__all__ = classes(globals(), BASES)
