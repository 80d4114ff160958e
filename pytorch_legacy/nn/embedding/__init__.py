"""Tables looked up by index, and affine maps of sparse vectors."""

from pytorch_legacy.nn.family import classes

__all__ = classes(globals())
