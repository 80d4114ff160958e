"""nn.Jacobian of Torch7: is what a layer computes backward the derivative of what it computes forward?

For people who write layers. Matrices have a row for each element of the input (or of a parameter) and a column for each
element of the output. Use double precision.

>>> import numpy as np
>>> from pytorch_legacy import nn
>>> nn.Jacobian.testJacobian(nn.Tanh().double(), np.empty((2, 3))) < 1e-8
True
"""

import pickle
from collections.abc import Callable
from typing import Any

import numpy as np

from pytorch_legacy import random
from pytorch_legacy.arrays import Tensor
from pytorch_legacy.nn import hessian
from pytorch_legacy.nn.Module import Module
from pytorch_legacy.nn.utils import owned


def backward(module: Module, input: Any, param: Tensor | None = None, dparam: Tensor | None = None) -> Tensor:
    """The derivatives that the layer computes, by the input or, with the array of its gradient `dparam`, by `param`."""

    def derivative(gradOutput: Tensor) -> Tensor:
        module.zeroGradParameters()
        gradInput: Tensor = module.updateGradInput(input, gradOutput)
        module.accGradParameters(input, gradOutput)
        return gradInput if dparam is None else dparam

    return columns(module, input, derivative)


def forward(module: Module, input: Any, param: Tensor | None = None, perturbation: float = 1e-6) -> Tensor:
    """The derivatives by the input, or by `param`, as central differences of what the layer computes forward."""
    return differences(module, input, input if param is None else param, perturbation)


def backwardUpdate(module: Module, input: Any, param: Tensor) -> Tensor:
    """Returns the parameter after ``accUpdateGradParameters`` with rate 1, for each element of the output alone."""
    parameters = (module.parameters() or ([], []))[0]
    kept = [parameter.copy() for parameter in parameters]

    def restore() -> None:
        for parameter, original in zip(parameters, kept, strict=True):
            parameter[...] = original

    def updated(gradOutput: Tensor) -> Tensor:
        restore()
        module.updateGradInput(input, gradOutput)
        module.accUpdateGradParameters(input, gradOutput, 1)
        return param

    result = columns(module, input, updated)
    restore()
    return result


def forwardUpdate(module: Module, input: Any, param: Tensor, perturbation: float = 1e-6) -> Tensor:
    """Returns the result that ``backwardUpdate`` should have: the parameter minus its derivatives, as central differences."""
    return param.reshape(-1, 1) - differences(module, input, param, perturbation)


def backwardDiagHessian(module: Module, input: Any, diagHessianParamName: str) -> Any:
    """The second derivatives of half the sum of the squared outputs, as ``nn.hessian`` has them; it is enabled for that.

    Parameters
    ----------
    diagHessianParamName : str
        By what: "diagHessianInput", "diagHessianWeight" or "diagHessianBias", the field of the layer that is returned.
    """
    hessian.enable()
    layer: Any = module
    layer.initDiagHessianParameters()
    for inner in module.listModules():
        for field in hessian.GRADIENTS.values():
            if getattr(inner, field, None) is not None:
                getattr(inner, field).fill(0)
    slopes = np.ones_like(module.forward(input))  # the second derivatives of half a square
    layer.updateDiagHessianInput(input, slopes)
    layer.accDiagHessianParameters(input, slopes)
    return getattr(module, diagHessianParamName)


def linearModuleDiagHessian(module: Module, input: Any, gradParamName: str) -> Tensor:
    """Returns the result that ``backwardDiagHessian`` should have, from the first derivatives of a layer with linear outputs.

    Parameters
    ----------
    gradParamName : str
        By what: "gradInput", "gradWeight" or "gradBias", the field of the layer that holds these derivatives.
    """

    def derivative(gradOutput: Tensor) -> Tensor:
        module.zeroGradParameters()
        module.updateGradInput(input, gradOutput)
        module.accGradParameters(input, gradOutput)
        return np.asarray(getattr(module, gradParamName))

    squares = columns(module, input, derivative) ** 2
    return np.asarray(squares.sum(1).reshape(getattr(module, gradParamName).shape))


def testJacobian(module: Module, input: Tensor, minval: float = -2, maxval: float = 2, perturbation: float = 1e-6) -> float:
    """The largest error of the derivatives by the input, which is filled with random numbers first."""
    randomize(input, minval, maxval)
    return error(forward(module, input, input, perturbation), backward(module, input))


def testJacobianParameters(
    module: Module,
    input: Tensor,
    param: Tensor,
    dparam: Tensor,
    minval: float = -2,
    maxval: float = 2,
    perturbation: float = 1e-6,
) -> float:
    """The largest error of the derivatives by `param`; both arrays are filled with random numbers first."""
    randomize(input, minval, maxval)
    randomize(param, minval, maxval)
    return error(backward(module, input, param, dparam), forward(module, input, param, perturbation))


def testJacobianUpdateParameters(
    module: Module, input: Tensor, param: Tensor, minval: float = -2, maxval: float = 2, perturbation: float = 1e-6
) -> float:
    """The largest error of ``accUpdateGradParameters``; both arrays are filled with random numbers first."""
    randomize(input, minval, maxval)
    randomize(param, minval, maxval)
    return error(forwardUpdate(module, input, param, perturbation), backwardUpdate(module, input, param))


def testDiagHessian(
    module: Module, input: Tensor, gradParamName: str, diagHessianParamName: str, minval: float = -2, maxval: float = 2
) -> float:
    """The largest error of what ``nn.hessian`` computes for a linear layer, whose input is filled with random numbers first."""
    randomize(input, minval, maxval)
    found = backwardDiagHessian(module, input, diagHessianParamName)
    return error(found, linearModuleDiagHessian(module, input, gradParamName))


def testDiagHessianInput(module: Module, input: Tensor, minval: float = -2, maxval: float = 2) -> float:
    """``testDiagHessian`` of the second derivatives by the input."""
    return testDiagHessian(module, input, "gradInput", "diagHessianInput", minval, maxval)


def testDiagHessianWeight(module: Module, input: Tensor, minval: float = -2, maxval: float = 2) -> float:
    """``testDiagHessian`` of those by the weight."""
    return testDiagHessian(module, input, "gradWeight", "diagHessianWeight", minval, maxval)


def testDiagHessianBias(module: Module, input: Tensor, minval: float = -2, maxval: float = 2) -> float:
    """``testDiagHessian`` of those by the bias."""
    return testDiagHessian(module, input, "gradBias", "diagHessianBias", minval, maxval)


def testIO(module: Module, input: Any, minval: float = -2, maxval: float = 2) -> tuple[float, float]:
    """The largest differences of output and gradInput between the layer and one that was saved and read back.

    It is saved by pickle, after ``clearState``.
    """

    def passed(module: Module, gradOutput: Tensor | None) -> tuple[Tensor, Any, Tensor]:
        output = module.forward(input).copy()
        if gradOutput is None:
            gradOutput = np.empty_like(output)
            randomize(gradOutput, minval, maxval)
        module.zeroGradParameters()
        return output, owned(module.backward(input, gradOutput)), gradOutput

    output, gradInput, gradOutput = passed(module, None)
    again = passed(pickle.loads(pickle.dumps(module.clearState())), gradOutput)
    return error(output, again[0]), error(gradInput, again[1])


def testAllUpdate(module: Module, input: Any, weight: str, gradWeight: str) -> dict[str, float]:
    """Returns the error of the parameter named `weight` after one step, for each of four ways to take that step.

    The ways are ``accGradParameters`` with ``updateParameters``, ``accUpdateGradParameters``, and both with two layers
    that share the parameter.
    """
    rate = float(random.uniform(0.1, 1, 1, np.float64)[0])
    gradOutput = np.empty_like(module.clone().forward(input))
    randomize(gradOutput, 0, 1)

    def forwarded(count: int) -> list[Module]:
        layers = [module.clone() for _ in range(count)]
        for layer in layers:
            layer.share(layers[0], weight)
            layer.forward(input)
            layer.zeroGradParameters()
            layer.updateGradInput(input, gradOutput)
        return layers

    def accumulated(count: int) -> list[Module]:
        layers = forwarded(count)
        for layer in layers:
            layer.accGradParameters(input, gradOutput)
        for layer in layers:
            layer.updateParameters(rate)
        return layers

    def updated(count: int) -> list[Module]:
        layers = forwarded(count)
        for layer in layers:
            layer.accUpdateGradParameters(input, gradOutput, rate)
        return layers

    def distance(layers: list[Module]) -> float:
        expected = start - len(layers) * rate * gradient
        return float(sum(np.linalg.norm(expected - getattr(layer, weight)) for layer in layers))

    start = getattr(module, weight).copy()
    (alone,) = accumulated(1)
    gradient = getattr(alone, gradWeight)
    return {
        "accGradParameters": distance([alone]),
        "accUpdateGradParameters": distance(updated(1)),
        "accGradParameters [shared]": distance(accumulated(2)),
        "accUpdateGradParameters [shared]": distance(updated(2)),
    }


# ---------------------------------------------------------------------------------------------- shared with SparseJacobian


def columns(module: Module, input: Any, function: Callable[[Tensor], Tensor]) -> Tensor:
    """A column for each element of the output: what `function` gives for a gradOutput of 1 there and 0 elsewhere."""
    output = module.forward(input)
    found = []
    for place in np.ndindex(output.shape):
        gradOutput = np.zeros_like(output)
        gradOutput[place] = 1
        found.append(function(gradOutput).flatten())
    return np.stack(found, 1)


def differences(module: Module, input: Any, values: Tensor, perturbation: float) -> Tensor:
    """A row for each of `values`, which the layer reads: the derivatives of the output by it."""
    rows = []
    for place in np.ndindex(values.shape):
        kept = values[place]
        values[place] = kept - perturbation
        below = module.forward(input).flatten()
        values[place] = kept + perturbation
        above = module.forward(input).flatten()
        values[place] = kept
        rows.append((above - below) / (2 * perturbation))
    return np.stack(rows)


def randomize(array: Tensor, minval: float, maxval: float) -> None:
    """Fills an array with uniform draws."""
    array[...] = random.uniform(0, 1, array.shape, np.float64) * (maxval - minval) + minval


def error(one: Any, other: Any) -> float:
    """The largest difference between two arrays, or between those in two lists."""
    if isinstance(one, list):
        return max(map(error, one, other), default=0.0)
    return float(np.abs(one - other).max(initial=0))
