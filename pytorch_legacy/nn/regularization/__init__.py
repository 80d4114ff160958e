"""Layers that disturb training so that the network learns to do without any single unit."""

from pytorch_legacy.nn.family import classes

__all__ = classes(globals())
