"""Networks that compute the same in evaluation, with fewer layers: `steps.py` finds them, `kinds.py` knows the modules."""

from pytorch_legacy.optimizing.steps import optimize, reduced

__all__ = ["optimize", "reduced"]
