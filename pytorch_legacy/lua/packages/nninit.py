"""The package ``nninit``: ``module:init('weight', nninit.kaiming, {gain = 'relu'})`` draws a parameter anew."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from pytorch_legacy.nn.Module import Module

from ..classes import border_of
from ..language.arguments import wrong_type
from ..language.errors import Fault, raise_error
from ..language.table import Table, fields, first
from ..tensors import Tensor
from .functions import functions
from .values import is_callable, is_table

if TYPE_CHECKING:
    from ..language.state import State

_MATRICES = ("nn.Linear", "nn.LinearNoBias", "nn.LookupTable")
_WINDOWS = {"Spatial": ("kW", "kH"), "Volumetric": ("kT", "kW", "kH")}
"""The sizes of the windows of convolutions, transposed ones among them, by the beginnings of their names."""


def _tensor(value: Any, position: int, name: str) -> Tensor:
    """Returns a tensor."""
    if not isinstance(value, Tensor):
        wrong_type(value, position, name, "tensor")
    return value


def _window(typename: str) -> tuple[str, ...]:
    """Returns the fields with the size of a convolution's window; none for other layers."""
    for space, names in _WINDOWS.items():
        if f"{space}Convolution" in typename or f"{space}FullConvolution" in typename:
            return names
    return ()


class _Drawing:
    """The functions of a session's ``nninit``."""

    def __init__(self, state: State) -> None:
        self.state = state
        self.torch: dict[str, Any] = state.require("torch").__dict__

    def _do(self, name: str, tensor: Any, *given: Any) -> Any:
        """Returns the result of a method of a tensor."""
        return self.state.index(tensor, name)(tensor, *given)

    def _field(self, module: Any, name: str) -> float:
        value = self.state.index(module, name)
        if value.__class__ is not float:
            raise_error(f"field '{name}' of the module is no number")
        return value  # type: ignore[no-any-return]

    def _typename(self, module: Any) -> str:
        return str(self.torch["type"](module))

    def _fans(self, module: Any) -> tuple[float, float]:
        """Returns how many inputs an output of a layer reads, and how many outputs read an input."""
        typename = self._typename(module)
        if typename in _MATRICES or "TemporalConvolution" in typename:
            shape = _tensor(self.state.index(module, "weight"), 1, "init").array.shape
            if len(shape) == 2:
                return float(shape[1]), float(shape[0])
        elif names := _window(typename):
            size = math.prod(self._field(module, name) for name in names)
            return size * self._field(module, "nInputPlane"), size * self._field(module, "nOutputPlane")
        raise_error("Unsupported module")

    def _gain(self, options: Any) -> float:
        """Returns the factor of an activation: a number, a name, or a table of the name and its options."""
        gain = self._option(options, "gain")
        leakiness = None
        if is_table(gain):
            gain, leakiness = self.state.index(gain, 1.0), self._option(gain, "leakiness")
        if gain.__class__ is float:
            return gain  # type: ignore[no-any-return]
        if gain == "relu":
            return math.sqrt(2)
        if gain == "lrelu":
            if leakiness.__class__ is not float:
                raise_error("a gain of 'lrelu' needs a leakiness: {'lrelu', leakiness = 0.1}")
            return math.sqrt(2 / (1 + leakiness * leakiness))  # type: ignore[operator]
        return 1.0

    def _option(self, options: Any, name: str) -> Any:
        return self.state.index(options, name) if is_table(options) else None

    def _spread(self, tensor: Tensor, options: Any, stdv: float, usual: str) -> None:
        """Draws a tensor with a standard deviation, from the distribution of the options."""
        dist = self._option(options, "dist") or usual
        if dist == "uniform":
            bound = stdv * math.sqrt(3)
            self._do("uniform", tensor, -bound, bound)
        elif dist == "normal":
            self._do("normal", tensor, 0.0, stdv)

    def xavier(self, module: Any, tensor: Tensor, options: Any) -> None:
        inputs, outputs = self._fans(module)
        self._spread(tensor, options, self._gain(options) * math.sqrt(2 / (inputs + outputs)), "uniform")

    def kaiming(self, module: Any, tensor: Tensor, options: Any) -> None:
        inputs, _ = self._fans(module)
        self._spread(tensor, options, self._gain(options) * math.sqrt(1 / inputs), "normal")

    def orthogonal(self, _: Any, tensor: Tensor, options: Any) -> None:
        shape = tensor.array.shape
        if len(shape) < 2:
            raise_error("nninit.orthogonal only supports tensors with 2 or more dimensions")
        outputs, inputs = float(shape[0]), float(math.prod(shape[1:]))
        gain = self._gain(options)
        u, _, v = self.torch["svd"](self.torch["randn"](outputs, inputs), "S")
        found = u if outputs > inputs else self._do("narrow", v, 1.0, 1.0, outputs)
        resized = self._do("resize", found, self._do("size", tensor))
        self._do("copy", tensor, self._do("mul", resized, gain))

    def eye(self, module: Any, tensor: Tensor) -> None:
        if self.state.index(module, "weight") is not tensor:
            raise_error("nninit.eye only supports 'weight' tensor")
        typename = self._typename(module)
        if typename in _MATRICES and tensor.array.ndim == 2:
            rows, columns = tensor.array.shape
            tensor.array[...] = 0
            for i in range(min(rows, columns)):
                tensor.array[i, i] = 1
        elif "TemporalConvolution" in typename:
            frames, width = int(self._field(module, "inputFrameSize")), int(self._field(module, "kW"))
            tensor.array[...] = 0
            tensor.array[:, [i * width + math.ceil(width / 2) - 1 for i in range(frames)]] = 1 / frames
        elif names := _window(typename):
            planes = [self._field(module, name) for name in ("nInputPlane", "nOutputPlane")]
            sizes = [self._field(module, name) for name in names]
            tensor.array[...] = 0
            shown = self._do("view", tensor, *planes, *sizes).array
            shown[(slice(None), slice(None), *(math.ceil(size / 2) - 1 for size in sizes))] = 1 / planes[0]
        else:
            raise_error("Unsupported module")

    def sparse(self, _: Any, tensor: Tensor, sparsity: float) -> None:
        count = float(tensor.array.size)
        order = self._do("long", self.torch["randperm"](count))
        chosen = self._do("narrow", order, 1.0, 1.0, float(math.floor(sparsity * count)))
        self._do("indexFill", self._do("view", tensor, count), 1.0, chosen, 0.0)

    def with_noise(self, name: str) -> Callable[..., None]:
        """Returns a function that adds a tensor of draws."""

        def add(_: Any, tensor: Tensor, mean: float, width: float) -> None:
            drawn = self.torch["Tensor"](self._do("size", tensor))
            self._do("add", tensor, self._do(name, drawn, mean, width))

        return add

    def library(self) -> dict[str, Any]:
        """Returns the functions. Each returns the module."""
        do = self._do
        plain: dict[str, tuple[str, Callable[..., Any]]] = {
            "copy": ("tensor", lambda _, tensor, source: do("copy", tensor, source)),
            "constant": ("number", lambda _, tensor, value: do("fill", tensor, value)),
            "addConstant": ("number", lambda _, tensor, value: do("add", tensor, value)),
            "mulConstant": ("number", lambda _, tensor, value: do("mul", tensor, value)),
            "normal": ("number number", lambda _, tensor, *given: do("normal", tensor, *given)),
            "addNormal": ("number number", self.with_noise("normal")),
            "uniform": ("number number", lambda _, tensor, *given: do("uniform", tensor, *given)),
            "addUniform": ("number number", self.with_noise("uniform")),
            **{name: ("any", getattr(self, name)) for name in ("xavier", "kaiming", "orthogonal")},
            **{"eye": ("", self.eye), "sparse": ("number", self.sparse)},
        }
        return functions(
            {name: (f"any tensor {text}", self._returning(act)) for name, (text, act) in plain.items()}, tensor=_tensor
        )

    def _returning(self, act: Callable[..., Any]) -> Callable[..., Any]:
        def acting(module: Any, tensor: Tensor, *given: Any) -> Any:
            act(module, tensor, *given)
            return module

        return acting


def library(state: State) -> Table:
    """Returns the package's table. Modules get the method ``init``."""
    state.require("nn")
    drawing = _Drawing(state)

    def init(module: Any = None, accessor: Any = None, initialiser: Any = None, *options: Any) -> Any:
        if accessor.__class__ is str:
            tensor = state.index(module, accessor)
        elif is_table(accessor):
            outer = state.index(module, state.index(accessor, 1.0))
            tensor = state.index(outer, state.index(accessor, 2.0))
        elif is_callable(accessor):
            tensor = first(accessor(module))
        else:
            raise_error("Unsupported accessor")
        if not is_callable(initialiser):
            raise Fault("call", initialiser)
        initialiser(module, tensor, *options)
        return module

    border_of(state).classes.of(Module).added["init"] = init
    return fields(**drawing.library())
