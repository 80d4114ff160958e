"""Layers that make one cell of many."""

from pytorch_legacy.nn.family import classes

BASES = (
    "AdaptivePooling",
    "FractionalMaxPooling",
    "Indexed",
    "MaxUnpooling",
    "Sequences",
    "SoftPooling",
    "WindowedPooling",
)
__all__ = classes(globals(), BASES)
