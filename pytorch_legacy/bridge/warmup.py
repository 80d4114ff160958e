"""A warm-up of PyTorch's elementary functions, whose first calls may be wrong in builds with MKL."""

from __future__ import annotations

from functools import cache

import torch

_FUNCTIONS = (
    *("acos", "asin", "atan", "cos", "cosh", "erf", "erfc", "erfinv", "exp", "expm1", "lgamma"),
    *("log", "log10", "log1p", "log2", "rsqrt", "sigmoid", "sin", "sinh", "sqrt", "tan", "tanh"),
)


@cache
def warm_up() -> None:
    """Calls each function once for one element, in this thread alone.

    MKL 2024.2 looks for the right code of a function when it is first called. If two threads are first at the same time, one of
    them may get code of half the digits for this once: a large torch.tanh was wrong by 7e-7 in one of some 2500 processes, and a
    proof then refused a network that was written right. Source: issue 188792 of PyTorch.
    """
    for dtype in (torch.float32, torch.float64):
        x = torch.full((1,), 0.5, dtype=dtype)
        for name in _FUNCTIONS:
            getattr(torch, name)(x)
