"""Learned filters over time and space."""

from pytorch_legacy.nn.family import classes

BASES = ("Convolution", "FullConvolution")
__all__ = classes(globals(), BASES)
