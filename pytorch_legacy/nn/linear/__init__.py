"""Affine maps."""

from pytorch_legacy.nn.family import classes

__all__ = classes(globals())
