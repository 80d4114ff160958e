"""Layers that bring values to a common mean and scale."""

from pytorch_legacy.nn.family import classes

__all__ = classes(globals())
