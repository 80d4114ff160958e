"""Pooling layers of libTHNN as operators of PyTorch, which ``torch.compile`` and ``torch.export`` keep in their graphs.

``torch.ops.pytorch_legacy.SpatialSoftPool`` takes the arguments of the C function ``SpatialSoftPool_updateOutput`` but for those
that it writes, which it returns; ``SpatialSoftPool_backward`` is its gradient. Both are made from the header's signatures.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch

from pytorch_legacy.backend import Callers
from pytorch_legacy.backend._signatures import SIGNATURES  # type: ignore[import-not-found,unused-ignore]
from pytorch_legacy.errors import DtypeError

from .memory import as_array

KINDS = {"double": "float", "int32_t": "int", "int64_t": "SymInt"}
# Defaults of arguments that only the backward functions take.
USUAL = {"exact": 1, "scale": 1.0}

Values = dict[str, Any]


class Function:
    """A C function: its arguments in order, those that it reads, those that it writes, and its numbers."""

    def __init__(self, name: str) -> None:
        arguments = [(type, argument) for type, argument in SIGNATURES[name] if argument != "state"]
        self.name = name
        self._typename = f"torch.{name.partition('_')[0]}"
        self._callers = Callers(self._typename, hasHalf=True)
        self.arguments = [argument for _, argument in arguments]
        self.reads = [argument for type, argument in arguments if type.startswith("const") and "Tensor" in type]
        self.writes = [argument for type, argument in arguments if not type.startswith("const") and "Tensor" in type]
        self.indices = {argument for type, argument in arguments if "Long" in type}
        self.numbers = {argument: KINDS[type] for type, argument in arguments if type in KINDS}

    def __call__(self, values: Values) -> None:
        """Calls it. What `values` lacks is NULL, or the usual number."""
        tensor = values["input"]
        arguments = [values.get(name, USUAL.get(name)) for name in self.arguments]
        arrays = [as_array(value) if isinstance(value, torch.Tensor) else value for value in arguments]
        dtype = torch.empty(0, dtype=tensor.dtype).numpy().dtype
        caller = self._callers.get(dtype, tensor.is_cuda)
        if caller is None:
            known = "float16, float32 or float64" if tensor.is_cuda else "float32 or float64"
            raise DtypeError(f"{self._typename}: input: expected a tensor of {known}, got {dtype}; pass x.float()")
        caller.call(self.name, *arrays)


def register(layer: str, name: str = "", absent: Sequence[str] = ()) -> Callable[..., Any]:
    """Makes the operators of a layer, and returns the one that computes the output.

    Parameters
    ----------
    layer : str
        As in ``THNN.h``.
    name : str
        Of the operator; that of the layer if not given.
    absent : sequence of str
        Tensors that are NULL in all calls.
    """
    forward = Function(f"{layer}_updateOutput")
    backward = [
        Function(f"{layer}_{kind}") for kind in ("updateGradInput", "accGradParameters") if f"{layer}_{kind}" in SIGNATURES
    ]
    reads = [argument for argument in forward.reads if argument not in absent]
    writes = [argument for argument in forward.writes if argument not in absent]
    kept = [argument for argument in writes if any(argument in function.reads for function in backward)]
    gradients = [argument for function in backward for argument in function.writes]
    of = {gradient: next(r for r in reads if gradient == f"grad{r[0].upper()}{r[1:]}") for gradient in gradients}
    taken = [argument for argument in forward.arguments if argument in reads or argument in forward.numbers]

    def made(values: Values) -> dict[str, torch.Tensor]:
        shape = output_shape(values)
        like = values["input"]
        return {w: like.new_empty(shape, dtype=torch.int64 if w in forward.indices else like.dtype) for w in writes}

    def result(tensors: dict[str, torch.Tensor]) -> Any:
        return tuple(tensors.values()) if len(tensors) > 1 else next(iter(tensors.values()))

    def run(*arguments: Any) -> Any:
        values = dict(zip(taken, arguments, strict=True))
        outputs = made(values)
        forward(values | outputs)
        return result(outputs)

    def run_backward(*arguments: Any) -> Any:
        values = dict(zip(["gradOutput", *kept, *taken], arguments, strict=True))
        outputs = {
            gradient: torch.zeros_like(values[of[gradient]], memory_format=torch.contiguous_format) for gradient in gradients
        }
        for function in backward:
            function(values | outputs)
        return result(outputs)

    def text(arguments: list[str]) -> str:
        return ", ".join(f"{forward.numbers.get(argument, 'Tensor')} {argument}" for argument in arguments)

    def answer(count: int) -> str:
        return f"({', '.join(['Tensor'] * count)})" if count > 1 else "Tensor"

    name = f"pytorch_legacy::{name or layer}"
    operator = torch.library.custom_op(name, run, mutates_args=(), schema=f"({text(taken)}) -> {answer(len(writes))}")
    operator.register_fake(lambda *arguments: result(made(dict(zip(taken, arguments, strict=True)))))
    derivative = torch.library.custom_op(
        f"{name}_backward", run_backward, mutates_args=(),
        schema=f"({text(['gradOutput', *kept, *taken])}) -> {answer(len(gradients))}",
    )  # fmt: skip

    @derivative.register_fake
    def _(*arguments: Any) -> Any:
        values = dict(zip(["gradOutput", *kept, *taken], arguments, strict=True))
        return result({gradient: values[of[gradient]].new_empty(values[of[gradient]].shape) for gradient in gradients})

    def keep(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
        values = dict(zip(taken, inputs, strict=True)) | dict(zip(writes, output if len(writes) > 1 else [output], strict=True))
        ctx.save_for_backward(*(values[argument] for argument in (*kept, *reads)))
        ctx.numbers = {argument: values[argument] for argument in forward.numbers}

    def way_back(ctx: Any, gradOutput: Any, *others: Any) -> tuple[Any, ...]:
        values = dict(zip((*kept, *reads), ctx.saved_tensors, strict=True)) | ctx.numbers
        found = derivative(gradOutput, *(values[argument] for argument in (*kept, *taken)))
        of_input = dict(zip((of[gradient] for gradient in gradients), found if len(gradients) > 1 else [found], strict=True))
        return tuple(of_input.get(argument) for argument in taken)

    operator.register_autograd(way_back, setup_context=keep)
    return operator


def output_shape(values: Values) -> list[Any]:
    """The shape of the output, in numbers that may be symbols while a graph is traced."""
    shape = list(values["input"].shape)
    axes = [axis for axis in "THW" if f"k{axis}" in values]
    if axes:
        inner = [windows(shape[i - len(axes)], axis, values) for i, axis in enumerate(axes)]
    else:
        inner = [values[name] for name in ("otime", "oheight", "owidth") if name in values]
    outer = shape[: -len(inner)]
    if "mean" in values:  # each plane gives as many as it has Gaussians
        outer[-1] = outer[-1] * values["mean"].shape[1]
    return [*outer, *inner]


def windows(size: Any, axis: str, values: Values) -> Any:
    """Returns the number of windows along an axis."""
    k, d, pad = (values[f"{name}{axis}"] for name in ("k", "d", "pad"))
    reach = values.get(f"dilation{axis}", 1) * (k - 1) + 1
    if not values["ceil_mode"]:
        return (size + 2 * pad - reach) // d + 1
    count = (size + 2 * pad - reach + d - 1) // d + 1
    return torch.sym_min(count, (size + pad - 1) // d + 1)  # the last one begins in the input, or in the padding before it
