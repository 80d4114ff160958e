"""What the algorithms have in common."""

from collections.abc import Callable
from typing import Any

import numpy as np

from pytorch_legacy.errors import ValueRangeError
from pytorch_legacy.storage import Tensor

Table = dict[str, Any]
Opfunc = Callable[[Tensor], tuple[Any, Tensor]]


def tables(config: Table | None, state: Table | None) -> tuple[Table, Table]:
    """The options and the place for what is remembered: the options' own table if there is no other."""
    config = {} if config is None else config
    return config, config if state is None else state


def remembered(state: Table, name: str, example: Tensor, value: float = 0.0) -> Tensor:
    """The array in a field of the state; at first one like `example`, filled with `value`."""
    if name not in state:
        state[name] = np.full_like(example, value)
    array: Tensor = state[name]
    return array


def required(config: Table, name: str, who: str) -> Any:
    """An option without a default."""
    if config.get(name) is None:
        raise ValueRangeError(f"optim.{who}: config: expected a value of {name!r}, got {', '.join(config) or 'no options'}")
    return config[name]


def annealed(config: Table, default: float, steps: int) -> float:
    """The learning rate after so many steps: ``learningRate / (1 + steps * learningRateDecay)``."""
    rate: float = config.get("learningRate", default) / (1 + steps * config.get("learningRateDecay", 0))
    return rate


def decayed(dfdx: Tensor, x: Tensor, config: Table) -> Tensor:
    """The gradient with that of ``weightDecay / 2 * |x|^2`` added; the array that opfunc gave stays as it is."""
    decay = config.get("weightDecay", 0)
    return dfdx + decay * x if decay else dfdx


def value(result: Any) -> Any:
    """The function's value, of a function that returns it alone or with a gradient."""
    return result[0] if isinstance(result, tuple) else result
