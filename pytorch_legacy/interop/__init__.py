"""Weights and tensors by name: out of .t7 files into the formats of others, and back.

>>> import numpy as np, pytorch_legacy as pl
>>> net = pl.nn.Sequential().add(pl.nn.Linear(3, 2)).add(pl.nn.Tanh())
>>> {name: array.shape for name, array in pl.interop.tensors({"model": net, "mean": np.zeros(3)}).items()}
{'model.0.weight': (2, 3), 'model.0.bias': (2,), 'mean': (3,)}
"""

from . import places, plain
from .files import READS, WRITES, load, save
from .names import assign, nested, notes, tensors
from .walk import Visit, walk

__all__ = ["READS", "WRITES", "Visit", "assign", "load", "nested", "notes", "places", "plain", "save", "tensors", "walk"]
