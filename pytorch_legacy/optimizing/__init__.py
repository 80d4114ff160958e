"""Networks that compute the same in evaluation, in less time: `steps.py` finds what can be done, `Fused.py` runs some of it."""

from pytorch_legacy.optimizing.steps import optimize, reduced

__all__ = ["optimize", "reduced"]
