"""Borders around planes."""

from pytorch_legacy.nn.family import classes

BASES = ("BorderPadding",)
__all__ = classes(globals(), BASES)
