"""Torch7's optim: algorithms that minimize a function, each in a file of its name.

All are called as ``x, fs = optim.sgd(opfunc, x, config, state)``. `opfunc` takes x and returns the function's value and
its gradient; `x`, an array, is moved in place. `config` holds the options by name. What an algorithm must remember
goes to the dict `state`, or to `config` if there is none. `fs` lists values of the function, the one before the step
first. asgd returns a third thing, the average of the points.

>>> import numpy as np
>>> x, config = np.array([3.0]), {"learningRate": 0.25}
>>> for _ in range(10):
...     x, fs = optim.sgd(lambda x: (float(x[0] ** 2), 2 * x), x, config)
>>> x
array([0.00292969])
>>> config
{'learningRate': 0.25, 'evalCounter': 10}
"""

from typing import Any

from .adadelta import adadelta
from .adagrad import adagrad
from .adam import adam
from .adamax import adamax
from .asgd import asgd
from .cg import cg
from .checkgrad import checkgrad
from .cmaes import cmaes
from .ConfusionMatrix import ConfusionMatrix
from .de import de
from .fista import FistaLS
from .lbfgs import lbfgs
from .Logger import Logger
from .lswolfe import lswolfe
from .nag import nag
from .polyinterp import polyinterp
from .rmsprop import rmsprop
from .rprop import rprop
from .sgd import sgd

__all__ = [
    "ConfusionMatrix",
    "FistaLS",
    "Logger",
    "adadelta",
    "adagrad",
    "adam",
    "adamax",
    "asgd",
    "cg",
    "checkgrad",
    "cmaes",
    "de",
    "lbfgs",
    "lswolfe",
    "nag",
    "polyinterp",
    "rmsprop",
    "rprop",
    "sgd",
]


def __getattr__(name: str) -> Any:
    """Raises an error for an unknown name, with the function for a PyTorch optimizer."""
    from pytorch_legacy.torch_names import optimizer_hint

    raise AttributeError(f"module 'pytorch_legacy.optim' has no attribute '{name}'{optimizer_hint(name)}")
