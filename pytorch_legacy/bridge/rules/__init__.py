"""The rules, one file a family. Importing them registers them."""

from . import activation, arithmetic, container, convolution, linear, normalization, pooling, sampling, shape, table

__all__ = [
    "activation",
    "arithmetic",
    "container",
    "convolution",
    "linear",
    "normalization",
    "pooling",
    "sampling",
    "shape",
    "table",
]
