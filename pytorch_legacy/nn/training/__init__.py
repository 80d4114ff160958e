"""Training loops."""

from .StochasticGradient import StochasticGradient

__all__ = [
    "StochasticGradient",
]
