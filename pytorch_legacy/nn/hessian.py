"""nn.hessian of Torch7: estimates of the diagonal of the Hessian, which tell how fast each parameter may move.

The second derivatives of the loss go backward through the layers as its first derivatives do, with all weights, inputs
and slopes squared; what couples the elements of a layer is left out. For a linear network they are exact.

``nn.hessian.enable()`` gives all modules and criterions the methods that Torch7 had:

* ``criterion.updateDiagHessianInput(input, target)`` begins: call it after ``forward``.
* ``module.updateDiagHessianInput(input, diagHessianOutput)`` computes ``diagHessianInput``.
* ``module.accDiagHessianParameters(input, diagHessianOutput)`` then adds to ``diagHessianWeight`` and ``diagHessianBias``.
* ``module.initDiagHessianParameters()`` makes these arrays, as zeros where there are none.

Modules that have no rule raise UnsupportedError. Where Torch7 made ``parameters()`` return a third list, there is the
function ``parameters(module)`` here, and ``getParameters(module)`` for the third vector.

Unlike Torch7, TanhShrink squares its own slope; there 1 was added to the square of the slope of its Tanh.

Source: Torch7 nn.hessian; LeCun et al., "Efficient backprop" (1998).
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from pytorch_legacy.arrays import Tensor, tree
from pytorch_legacy.errors import UnsupportedError
from pytorch_legacy.nn.Container import Container
from pytorch_legacy.nn.Criterion import Criterion
from pytorch_legacy.nn.Module import Module
from pytorch_legacy.objects import Object
from pytorch_legacy.objects.copies import rebind

GRADIENTS = {"gradWeight": "diagHessianWeight", "gradBias": "diagHessianBias"}
"""The fields of gradients, and those of second derivatives."""

POINTWISE = ("Tanh", "TanhShrink", "Square", "Sqrt")
WEIGHTED = (
    "Linear",
    "SpatialConvolution",
    "SpatialConvolutionLocal",
    "SpatialConvolutionMap",
    "SpatialFullConvolution",
    "SpatialFullConvolutionMap",
)


def enable() -> None:
    """Gives modules and criterions the methods for second derivatives; a second call changes nothing."""
    for kind, functions in (
        (Module, (updateDiagHessianInput, accDiagHessianParameters, initDiagHessianParameters)),
        (Criterion, (updateDiagHessianInput,)),
    ):
        for function in functions:
            setattr(kind, function.__name__, function)


def updateDiagHessianInput(thing: Any, input: Any, other: Any) -> Any:
    """The second derivatives by the input: of a module for those by its output, of a criterion for the target."""
    rule = _rule(thing, _INPUT)
    if rule is None:
        raise UnsupportedError(f"{thing._typename}: updateDiagHessianInput is undefined")
    thing.diagHessianInput = rule(thing, input, other)
    return thing.diagHessianInput


def accDiagHessianParameters(module: Any, input: Any, diagHessianOutput: Any) -> None:
    """Adds the second derivatives by the parameters; ``updateDiagHessianInput`` went before."""
    if _isRouted(module):
        _backward(module, input, diagHessianOutput, accDiagHessianParameters)
    elif _rule(module, _INPUT) is _weighted:
        initDiagHessianParameters(module)
        with _Swapped(module, {name: getattr(module, field, None) for name, field in GRADIENTS.items()}):
            module.accGradParameters(input * input, diagHessianOutput, 1)


def initDiagHessianParameters(module: Any) -> None:
    """Makes the arrays for second derivatives by the parameters where there are none."""
    if _isRouted(module):
        for child in module.modules:
            initDiagHessianParameters(child)
    elif _rule(module, _INPUT) is _weighted:
        for gradient, field in GRADIENTS.items():
            value = getattr(module, gradient)
            if value is not None and getattr(module, field, None) is None:
                setattr(module, field, np.zeros_like(value))


def parameters(module: Module) -> list[Tensor | None]:
    """The second derivatives by the parameters in the order of ``module.parameters()``, None where there are none."""
    found = {
        id(getattr(layer, name[4].lower() + name[5:])): getattr(layer, field, None)
        for layer in module.listModules()
        for name, field in GRADIENTS.items()
    }
    return [found.get(id(parameter)) for parameter in (module.parameters() or ([], []))[0]]


def getParameters(module: Module) -> tuple[Tensor, Tensor, Tensor]:
    """As ``module.getParameters()``, with a third vector, of which the second derivatives become views."""
    initDiagHessianParameters(module)
    flat, flatGrad = module.getParameters()
    held = parameters(module)
    if any(value is None for value in held):
        raise UnsupportedError(f"{module._typename}: getParameters: some parameters have no second derivatives")
    present = [value for value in held if value is not None]
    flatHessian, views = module.flatten(present)
    rebind(module, list(zip(present, views, strict=True)))
    return flat, flatGrad, flatHessian


# ---------------------------------------------------------------------------------------------- rules


class _Swapped:
    """Within it, fields of a module hold other values."""

    def __init__(self, module: Object, values: dict[str, Any]) -> None:
        self.module, self.values = module, values

    def __enter__(self) -> None:
        self.kept = {name: getattr(self.module, name) for name in self.values}
        self.module.__dict__.update(self.values)

    def __exit__(self, *_: object) -> None:
        self.module.__dict__.update(self.kept)


def _weighted(module: Any, input: Tensor, diagHessianOutput: Tensor) -> Tensor:
    """Backward with squared weights."""
    squared = {"weight": module.weight * module.weight, "gradInput": np.empty(0, module._dtype)}
    with _Swapped(module, squared):
        return np.asarray(module.updateGradInput(input, diagHessianOutput))


def _pointwise(module: Any, input: Tensor, diagHessianOutput: Tensor) -> Tensor:
    """Times the squared slope."""
    with _Swapped(module, {"gradInput": np.empty(0, module._dtype)}):
        slope = np.asarray(module.updateGradInput(input, np.ones_like(diagHessianOutput)))
    return slope * slope * diagHessianOutput


def _reshaped(module: Any, input: Tensor, diagHessianOutput: Tensor) -> Tensor:
    return diagHessianOutput.reshape(input.shape)


class _Part:
    """An array on its way through a container, and the sum of the second derivatives by it."""

    def __init__(self, array: Tensor) -> None:
        self.array = array
        self.sum: Any = None

    def add(self, derivatives: Any) -> None:
        self.sum = derivatives if self.sum is None else self.sum + derivatives

    def derivatives(self) -> Any:
        return np.zeros_like(self.array) if self.sum is None else self.sum


def _isRouted(thing: Any) -> bool:
    return isinstance(thing, Container) and thing.definesRoute("updateGradInput", "accGradParameters")


def _backward(module: Container, input: Any, diagHessianOutput: Any, visit: Callable[[Any, Any, Any], Any]) -> Any:
    """Calls ``visit(child, input, diagHessianOutput)`` for each child, the last one first. Returns the derivatives by `input`.

    Between two of them, ``diagHessianInput`` of the child is added to those of the arrays that the child has read.
    """
    calls: list[tuple[Any, Any, Any]] = []

    def run(child: Any, value: Any) -> Any:
        output = tree.map(_Part, child.output)
        calls.append((child, value, output))
        return output

    first = tree.map(_Part, input)
    _add(module.route(run, first), diagHessianOutput)
    for child, value, output in reversed(calls):
        visit(child, tree.map(lambda part: part.array, value), tree.map(_Part.derivatives, output))
        _add(value, child.diagHessianInput)
    return tree.map(_Part.derivatives, first)


def _add(parts: Any, derivatives: Any) -> None:
    tree.paired(lambda part, own: None if own is None else part.add(own), parts, derivatives)


def _routed(module: Container, input: Any, diagHessianOutput: Any) -> Any:
    return _backward(module, input, diagHessianOutput, updateDiagHessianInput)


def _squares(criterion: Any, input: Tensor, target: Any) -> Tensor:
    """The loss is the sum, or the mean, of squares."""
    return np.full_like(input, 2 / input.size if criterion.sizeAverage else 2)


def _magnitudes(criterion: Any, input: Tensor, target: Any) -> Tensor:
    """The loss is a sum of magnitudes, whose slope is said to change by 1."""
    return (input != 0).astype(input.dtype)


_INPUT: dict[str, Callable[[Any, Any, Any], Any]] = {
    **dict.fromkeys(WEIGHTED, _weighted),
    **dict.fromkeys(POINTWISE, _pointwise),
    "Reshape": _reshaped,
    "MSECriterion": _squares,
    "WeightedMSECriterion": _squares,
    "L1Cost": _magnitudes,
}


def _rule(thing: Object, rules: dict[str, Callable[..., Any]]) -> Callable[..., Any] | None:
    """Returns the rule of its class or of the nearest base that has one; a container with a route needs none."""
    found = next((rules[kind.__name__] for kind in type(thing).__mro__ if kind.__name__ in rules), None)
    return _routed if found is None and _isRouted(thing) else found
