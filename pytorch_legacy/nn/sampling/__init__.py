"""Planes with more cells, or fewer, or looked at elsewhere."""

from pytorch_legacy.nn.family import classes

__all__ = classes(globals())
