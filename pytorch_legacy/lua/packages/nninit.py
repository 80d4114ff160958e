"""The package ``nninit``: a method ``init`` of modules, and functions that fill a tensor of a module."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from ..classes import border_of
from ..language.arguments import MISSING, number, wrong_type
from ..language.errors import raise_error
from ..language.operators import eq
from ..language.table import Table, fields, rawget
from ..tensors.signatures import described
from ..tensors.tensor import Tensor
from .functions import functions
from .values import called, is_callable, is_table

if TYPE_CHECKING:
    from ..language.state import State

_LINEAR = ("nn.Linear", "nn.LinearNoBias", "nn.LookupTable")
_KERNELS = {"Spatial": ("kW", "kH"), "Volumetric": ("kT", "kW", "kH")}


def _tensor(value: Any, position: int, name: str) -> Tensor:
    if not isinstance(value, Tensor):
        wrong_type(value, position, name, "tensor")
    return value


def _kernel(typename: str) -> tuple[str, ...]:
    """Returns the fields with the sizes of the kernel of a convolution, none for another module."""
    for kind, names in _KERNELS.items():
        if f"{kind}Convolution" in typename or f"{kind}FullConvolution" in typename:
            return names
    return ()


def _gain(gain: Any) -> float:
    """Returns the factor for the activation after a layer: a number, a name, or a table with both a name and its options."""
    name = rawget(gain, 1.0) if is_table(gain) else gain
    if name.__class__ is float:
        return float(name)
    if name == "relu":
        return math.sqrt(2)
    if name == "lrelu":
        leakiness = number(gain.leakiness if is_table(gain) else None, 1, "leakiness")
        return math.sqrt(2 / (1 + leakiness**2))
    return 1.0


class _Package:
    """The functions of a session's package. Each takes a module and a tensor of it, and returns the module."""

    def __init__(self, state: State) -> None:
        self.state = state
        self.torch = state.require("torch")

    def do(self, tensor: Any, name: str, *arguments: Any) -> Any:
        """Calls a method of a tensor, and returns its first result."""
        return called(self.state.index(tensor, name), tensor, *arguments)

    def typename(self, module: Any) -> str:
        return str(called(self.torch.type, module))

    def sizes(self, module: Any, *names: str) -> list[int]:
        """Returns fields of a module that are whole numbers."""
        return [int(number(self.state.index(module, name), 1, name)) for name in names]

    def init(self, module: Any, accessor: Any, initialiser: Any, *options: Any) -> Any:
        """Fills the tensor that an accessor finds in a module: a name, a name and a part of the tensor, or a function."""
        if accessor.__class__ is str:
            tensor = self.state.index(module, accessor)
        elif is_table(accessor):
            tensor = self.state.index(self.state.index(module, rawget(accessor, 1.0)), rawget(accessor, 2.0))
        elif is_callable(accessor):
            tensor = called(accessor, module)
        else:
            raise_error("Unsupported accessor")
        if not isinstance(tensor, Tensor):
            wanted = f"'{accessor}'" if accessor.__class__ is str else "the accessor"
            raise_error(f"nninit: {self.typename(module)}: expected {wanted} to be a tensor, got {described(tensor)}")
        called(initialiser, module, tensor, *options)
        return module

    def fans(self, module: Any) -> tuple[int, int]:
        """Returns the number of inputs of each output of a module, and of outputs of each input."""
        typename = self.typename(module)
        if typename in _LINEAR or "TemporalConvolution" in typename:
            rows, columns = self.state.index(module, "weight").array.shape
            return columns, rows
        if not (kernel := _kernel(typename)):
            raise_error("Unsupported module")
        inputs, outputs, *extents = self.sizes(module, "nInputPlane", "nOutputPlane", *kernel)
        return inputs * math.prod(extents), outputs * math.prod(extents)

    def method(self, name: str) -> Any:
        """Returns a function that calls a method of the tensor."""

        def fill(module: Any, tensor: Tensor, *arguments: Any) -> Any:
            self.do(tensor, name, *arguments)
            return module

        return fill

    def adding(self, name: str) -> Any:
        """Returns a function that adds drawn numbers to the tensor."""

        def add(module: Any, tensor: Tensor, *arguments: Any) -> Any:
            self.do(tensor, "add", self.do(called(self.torch.Tensor, self.do(tensor, "size")), name, *arguments))
            return module

        return add

    def scaled(self, variance: Any, distribution: str) -> Any:
        """Returns a function that draws numbers of a variance, which depends on the inputs and outputs."""

        def draw(module: Any, tensor: Tensor, options: Any = None, *_: Any) -> Any:
            fans = self.fans(module)
            options = options if is_table(options) else Table()
            stdv = _gain(options.gain) * math.sqrt(variance(*fans))
            chosen = distribution if options.dist is None else options.dist
            if chosen == "uniform":
                bound = stdv * math.sqrt(3)
                self.do(tensor, "uniform", -bound, bound)
            elif chosen == "normal":
                self.do(tensor, "normal", 0.0, stdv)
            else:
                raise_error(f"nninit: dist: expected uniform or normal, got {described(chosen)}")
            return module

        return draw

    def eye(self, module: Any, tensor: Tensor, *_: Any) -> Any:
        """Makes the weight of a module the identity: a 1 on the diagonal, or in the middle of each kernel."""
        if not eq(self.state.index(module, "weight"), tensor):
            raise_error("nninit.eye only supports 'weight' tensor")
        typename = self.typename(module)
        if typename in _LINEAR:
            rows, columns = tensor.array.shape
            self.do(tensor, "copy", called(self.torch.eye, float(rows), float(columns)))
        elif "TemporalConvolution" in typename:
            inputs, width = self.sizes(module, "inputFrameSize", "kW")
            self.do(tensor, "zero")
            tensor.array[:, (width + 1) // 2 - 1 :: width] = 1 / inputs
        elif kernel := _kernel(typename):
            inputs, outputs, *extents = self.sizes(module, "nInputPlane", "nOutputPlane", *kernel)
            filters = self.do(self.do(tensor, "zero"), "view", *map(float, (inputs, outputs, *extents)))
            filters.array[:, :, *[(extent + 1) // 2 - 1 for extent in extents]] = 1 / inputs
        else:
            raise_error("Unsupported module for 'eye'")
        return module

    def orthogonal(self, module: Any, tensor: Tensor, options: Any = None, *_: Any) -> Any:
        """Fills a tensor, which counts as a matrix of a row for each output, so that its rows or columns are orthogonal."""
        if tensor.array.ndim < 2:
            raise_error("nninit.orthogonal only supports tensors with 2 or more dimensions")
        rows, *columns = tensor.array.shape
        drawn = self.do(called(self.torch.Tensor, float(rows), float(math.prod(columns))), "normal", 0.0, 1.0)
        left, _values, right = self.torch.svd(drawn, "S")
        matrix = left if rows > math.prod(columns) else self.do(right, "t")
        self.do(matrix, "mul", _gain(options.gain if is_table(options) else None))
        self.do(tensor, "copy", matrix)
        return module

    def sparse(self, module: Any, tensor: Tensor, sparsity: Any = MISSING, *_: Any) -> Any:
        """Sets a share of the elements to 0."""
        elements = float(tensor.array.size)
        count = math.floor(number(sparsity, 3, "sparse") * elements)
        places = self.do(called(self.torch.randperm, elements), "long")
        if count:
            self.do(self.do(tensor, "view", elements), "indexFill", 1.0, self.do(places, "narrow", 1.0, 1.0, float(count)), 0.0)
        return module


def library(state: State) -> Table:
    """Returns the package's table. Modules get the method ``init``."""
    package = _Package(state)
    state.require("nn")
    module = border_of(state).packages.named("nn.Module")
    assert module is not None
    names = {
        "copy": "copy",
        "constant": "fill",
        "addConstant": "add",
        "mulConstant": "mul",
        "normal": "normal",
        "uniform": "uniform",
    }
    fillers = {
        **{name: package.method(method) for name, method in names.items()},
        "addNormal": package.adding("normal"),
        "addUniform": package.adding("uniform"),
        "xavier": package.scaled(lambda inputs, outputs: 2 / (inputs + outputs), "uniform"),
        "kaiming": package.scaled(lambda inputs, _outputs: 1 / inputs, "normal"),
        **{name: getattr(package, name) for name in ("eye", "orthogonal", "sparse")},
    }
    made = functions({name: ("any tensor *any", fill) for name, fill in fillers.items()}, tensor=_tensor)
    module.added.update(functions({"init": ("any any function *any", package.init)}))
    return fields(**made)
