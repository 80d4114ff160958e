"""Layers that only change how elements are arranged, or pass them on."""

from pytorch_legacy.nn.family import classes

__all__ = classes(globals())
