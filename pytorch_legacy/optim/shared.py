"""Functions that several algorithms share."""

import sys
from collections.abc import Callable, MutableMapping
from typing import Any

import numpy as np

from pytorch_legacy.arrays import Tensor, is_tensor, is_writable, on_device
from pytorch_legacy.errors import DtypeError, ShapeError, ValueRangeError

Table = MutableMapping[str, Any]
Opfunc = Callable[[Tensor], tuple[Any, Tensor]]


class Call:
    """One call of an algorithm: the point, the options, and what is remembered.

    It looks at all of them, and at the gradient, before the algorithm writes: if something is wrong, x and state are as
    they were. What fits is an array of floats with as many elements as x, in any shape, as in Torch7.

    Attributes
    ----------
    config, state : MutableMapping
        The options, and the place for what is remembered: the options' own table if there is no other. Both are read and written
        by ``[]`` alone, so that a class with its own ``__getitem__`` and ``__setitem__`` has every access.
    """

    def __init__(self, who: str, x: Any, config: Table | None, state: Table | None) -> None:
        self.who = f"optim.{who}"
        self.x = movable(self.who, x)
        self.config = table(self.who, "config", config)
        self.state = table(self.who, "state", state) if state is not None else self.config

    def remember(self, **values: Any) -> None:
        """Sets fields of the state."""
        for name, value in values.items():
            self.state[name] = value

    def number(self, name: str, default: float) -> Any:
        """An option; None stands for the default, as nil did."""
        value = entry(self.config, name)
        return default if value is None else self._number("config", name, value)

    def required(self, name: str, among: Table | None = None) -> Any:
        """An option without a default."""
        among = self.config if among is None else among
        value = entry(among, name)
        if value is None:
            got = ", ".join(map(str, among)) or "no options"
            raise ValueRangeError(f"{self.who}: config: expected a value of {name!r}, got {got}")
        return self._number("config", name, value)

    def count(self, name: str, default: int) -> int:
        """An option that is a number of something: its whole part."""
        number = self.number(name, default)
        if not np.isfinite(number):
            raise ValueRangeError(f"{self.who}: config: {name}: expected a finite number, got {number}")
        return int(number)

    def decayRate(self, name: str, default: float) -> Any:
        """Returns the decay rate of a mean. The mean is divided by its total weight, so the rate must not be 1."""
        number = self.number(name, default)
        if number == 1:
            raise ValueRangeError(f"{self.who}: config: {name}: expected a number below 1, got {number}")
        return number

    def last(self, name: str, first: float = 0) -> Any:
        """A number that is remembered, or the first one."""
        value = entry(self.state, name)
        return first if value is None else self._number("state", name, value)

    def _number(self, table: str, name: str, value: Any) -> Any:
        if not isinstance(value, (int, float, np.number, np.bool_)) and not (is_tensor(value) and value.ndim == 0):
            raise DtypeError(f"{self.who}: {table}: {name}: expected a number, got {_described(value)}")
        if isinstance(value, int) and abs(value) > sys.float_info.max:
            raise ValueRangeError(f"{self.who}: {table}: {name}: expected a number that a float can hold, got a larger one")
        return value.item() if isinstance(value, (np.generic, np.ndarray)) else value  # one of NumPy widens arrays of float32

    def factors(self, name: str) -> Tensor | None:
        """An option with a number for each element of x; None if it is not given."""
        value = entry(self.config, name)
        return None if value is None else like(f"{self.who}: config: {name}", value, self.x)

    def remembered(self, name: str, value: float = 0.0) -> Tensor:
        """The array in a field of the state, in the shape of x; a new one, filled with `value`, if there is none."""
        kept = entry(self.state, name)
        if kept is None:
            return np.full_like(self.x, value)
        array = like(f"{self.who}: state: {name}", kept, self.x)
        if not is_writable(array):
            raise ValueRangeError(f"{self.who}: state: {name}: expected an array that can be written to, got a read-only one")
        return array

    def evaluate(self, opfunc: Opfunc) -> tuple[Any, Tensor]:
        """The function's value at x, whatever it is, and its gradient in the shape of x."""
        return evaluated(self.who, asked(self.who, opfunc, self.x), self.x)

    def measure(self, opfunc: Opfunc) -> tuple[Any, Tensor]:
        """The function's value at x as a number, and its gradient in the shape of x."""
        found, gradient = self.evaluate(opfunc)
        return value(self.who, found), gradient

    def annealed(self, default: float, steps: Any) -> Any:
        """The learning rate after so many steps: ``learningRate / (1 + steps * learningRateDecay)``."""
        return self.number("learningRate", default) / (1 + steps * self.number("learningRateDecay", 0))

    def decayed(self, dfdx: Tensor) -> Tensor:
        """The gradient with that of ``weightDecay / 2 * |x|^2`` added; the array that opfunc gave stays as it is."""
        decay = self.number("weightDecay", 0)
        return dfdx + decay * self.x if decay else dfdx


def table(who: str, name: str, value: Any) -> Table:
    """`value`, a table of options; an empty one for None."""
    if value is None:
        return {}
    if not isinstance(value, MutableMapping):
        raise DtypeError(f"{who}: {name}: expected a dict or another MutableMapping, got {type(value).__name__}")
    return value


def entry(table: Table, name: str, default: Any = None) -> Any:
    """The value of a field; `default` if it is None or missing."""
    value = table[name] if name in table else None  # noqa: SIM401  # the method `get` of a dict does not call __getitem__
    return default if value is None else value


def movable(who: str, x: Any) -> Tensor:
    """`x`, if it is something that can be moved."""
    if not is_tensor(x) or x.dtype.kind != "f":
        raise DtypeError(f"{who}: x: expected an array of floats, which is moved in place; got {_described(x)}")
    if not is_writable(x):
        raise ValueRangeError(f"{who}: x: expected an array that can be written to, got a read-only one")
    return x


def like(what: str, value: Any, x: Tensor) -> Tensor:
    """An array of floats with as many elements as x, in the shape of x; one number will do for an x of one element."""
    if x.size == 1 and isinstance(value, (int, float, np.number)):
        value = np.asarray(value, x.dtype, like=x)
    if not is_tensor(value) or value.dtype.kind not in "fiu" or on_device(value) != on_device(x):
        raise DtypeError(f"{what}: expected an array of {x.dtype} like x, got {_described(value)}")
    if value.size != x.size:
        raise ShapeError(f"{what}: expected {x.size} elements, as x of shape {x.shape} has; got shape {value.shape}")
    array = value.reshape(x.shape)
    return array if value.dtype.kind == "f" else array.astype(x.dtype)


def asked(who: str, opfunc: Any, x: Tensor) -> Any:
    """Returns the result of opfunc for x."""
    return function(who, "opfunc", opfunc)(x)


def function(who: str, name: str, value: Any) -> Callable[..., Any]:
    """`value`, if it can be called."""
    if not callable(value):
        raise DtypeError(f"{who}: {name}: expected a function, got {_described(value)}")
    return value


def evaluated(who: str, result: Any, x: Tensor) -> tuple[Any, Tensor]:
    """Returns the value and the gradient, in the shape of x, from the result of opfunc."""
    if not isinstance(result, (tuple, list)) or len(result) < 2:
        raise DtypeError(f"{who}: opfunc: expected that it returns a value and a gradient, got {_described(result)}")
    gradient = like(f"{who}: opfunc: gradient", result[1], x)
    # Steps are products with the gradient, which would have no more digits than it has.
    return result[0], gradient if np.can_cast(x.dtype, gradient.dtype) else gradient.astype(x.dtype)


def value(who: str, result: Any) -> Any:
    """The function's value as a number, of a function that returns it alone or with a gradient: it is going to be compared."""
    found = result[0] if isinstance(result, tuple) else result
    if is_tensor(found) and found.size == 1:
        found = found.item()
    if not isinstance(found, (int, float, np.number, np.bool_)):
        raise DtypeError(f"{who}: opfunc: expected a number as its value, got {_described(found)}")
    return found


def _described(value: Any) -> str:
    if is_tensor(value):
        return f"{'a CuPy array' if on_device(value) else 'an array'} of {value.dtype}"
    return f"{type(value).__name__} {value!r:.40}"
