"""Containers whose result is one array: chains and joined branches."""

from pytorch_legacy.nn.family import classes

__all__ = classes(globals())
