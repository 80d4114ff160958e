"""Networks that compute the same in evaluation, in less time: `steps.py` finds what can be done, `Fused.py` runs some of it."""

from pytorch_legacy.optimizing.steps import frozen, fused, optimize, reduced

__all__ = ["frozen", "fused", "optimize", "reduced"]
