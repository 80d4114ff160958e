"""The rules, one file a family. Importing them registers them."""

from . import activation, container, convolution

__all__ = ["activation", "container", "convolution"]
