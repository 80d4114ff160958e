"""The rules, one file a family. Importing them registers them, so that `find_rule` finds them all."""

from ..registry import find_rule
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
    "find_rule",
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
