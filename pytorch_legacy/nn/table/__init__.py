"""Layers that take or return tables: lists of arrays, or of tables of arrays."""

from pytorch_legacy.nn.family import classes

__all__ = classes(globals())
