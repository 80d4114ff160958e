"""Networks that compute the same in evaluation, in less time: `steps.py` finds what can be done, `Fused.py` runs some of it."""

from pytorch_legacy.optimizing.steps import frozen, optimize, reduced

__all__ = ["frozen", "optimize", "reduced"]
