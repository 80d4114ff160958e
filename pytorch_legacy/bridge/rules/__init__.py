"""The rules, one file a family. Importing them registers them."""

from . import (
    activation,
    arithmetic,
    container,
    convolution,
    criterion,
    linear,
    normalization,
    packages,
    pooling,
    published,
    recurrent,
    sampling,
    shape,
    steps,
    table,
)

__all__ = [
    "activation",
    "arithmetic",
    "container",
    "convolution",
    "criterion",
    "linear",
    "normalization",
    "packages",
    "pooling",
    "published",
    "recurrent",
    "sampling",
    "shape",
    "steps",
    "table",
]
