"""A network of ours as a ``torch.nn.Module``: PyTorch keeps the parameters, our layers compute on their memory.

Before each pass the fields of our layers are pointed at the memory that PyTorch's parameters have then. So whatever PyTorch
does to parameters (`load_state_dict`, `functional_call`, `.double()`, an optimizer's step) needs no code here.
"""

from __future__ import annotations

from copy import deepcopy
from typing import Any, Self

import numpy as np
import torch
from torch.utils import _pytree as pytree

from pytorch_legacy import nn, random
from pytorch_legacy.arrays import Tensor, address, is_tensor, tree
from pytorch_legacy.errors import ArgumentError, DtypeError, ShapeError, UnsupportedError
from pytorch_legacy.interop.names import visit_name
from pytorch_legacy.interop.walk import walk
from pytorch_legacy.objects.copies import rebind

from .memory import DTYPES, as_array, as_copied_tensor, as_tensor, torch_type

STATISTICS = "running_"  # prefix of a layer's fields that training changes, but not by gradients


class Module(torch.nn.Module):
    """A network of pytorch_legacy that PyTorch trains, saves and differentiates like one of its own.

    Parameters and running statistics are PyTorch's, over the memory of `net`'s, which from then on follows them. Inputs and
    outputs are tensors, or tables of them (lists, tuples); several arguments of ``forward`` are one table. A layer computes in
    float32 or float64, on the CPU or, where CuPy is installed, on a CUDA device.

    Parameters
    ----------
    net : pytorch_legacy.nn.Module
        Works for this object only: its buffers are those of the pass that ran last. Its ``training()`` and ``evaluate()``
        follow ``train()`` and ``eval()``; at first it is the other way round.

    Raises
    ------
    ArgumentError
        `net` is no module of ours.
    RuntimeError
        In a second derivative, which our layers do not have; ``pl.to_torch(net, example)`` makes a module that has.
        Also where a recurrent network that carries its state from pass to pass would have to repeat one.

    Notes
    -----
    A layer keeps what its last pass left, and PyTorch may run several passes before one backward, or apply a module to its own
    output. A backward that finds another pass's buffers repeats its own pass first, with the random numbers that it drew, and
    leaves the running statistics alone. ``torch.compile`` breaks its graph here. Gradients of modules that Torch7 gave no
    derivative but something better (`nn.GradientReversal`, penalties) are what Torch7 gave.

    Examples
    --------
    >>> import torch, pytorch_legacy as pl
    >>> from pytorch_legacy.torch import Module
    >>> net = Module(pl.nn.Sequential().add(pl.nn.Linear(2, 1)).add(pl.nn.Square()))
    >>> sorted(net.state_dict())
    ['0.bias', '0.weight']
    >>> net(torch.ones(3, 2)).sum().backward()
    >>> net.get_parameter("0.weight").grad.shape
    torch.Size([1, 2])
    """

    def __init__(self, net: nn.Module) -> None:
        super().__init__()
        if not isinstance(net, nn.Module):
            advice = "; pl.to_torch(criterion) writes criterions" if isinstance(net, nn.Criterion) else ""
            raise ArgumentError(f"torch.Module: net: expected a module of pytorch_legacy, got {type(net).__name__}{advice}")
        self._net = net
        self._pass = 0  # the number of the pass that the layers' buffers belong to
        self._input: Any = None  # the input of that pass
        self._writes = False  # over that, or over gradients
        self._names: list[str] = []
        self._find()
        for name, array in self._arrays.items():
            holder, leaf = self._place(name)
            if _is_statistic(leaf):
                holder.register_buffer(leaf, as_tensor(array))
            else:
                holder.register_parameter(leaf, torch.nn.Parameter(as_tensor(array)))
        super().train(net.train)

    @torch.compiler.disable
    def forward(self, *inputs: Any) -> Any:
        """The network's output for its input, a tensor or a table."""
        leaves, spec = pytree.tree_flatten(inputs[0] if len(inputs) == 1 else list(inputs))
        described = _Input(spec, leaves)
        outputs = _Forward.apply(self, described, *described.tensors, *self._parameters_now())  # type: ignore[no-untyped-call]
        return pytree.tree_unflatten(list(outputs), described.outputs)

    def train(self, mode: bool = True) -> Self:
        """Training or evaluation, here and in the layers."""
        super().train(mode)
        self._net.training() if mode else self._net.evaluate()
        return self

    def __repr__(self) -> str:
        return f"Module of {self._net}"

    def __getstate__(self) -> dict[str, Any]:
        """Returns the state for pickling and copying, without the arrays of layers, whose elements the parameters here have."""
        memo: dict[int, Any] = {id(array): np.empty(0, array.dtype) for array in (*self._arrays.values(), *self._gradients)}
        arrays = {name: memo[id(array)] for name, array in self._arrays.items()}
        gradients = [memo[id(gradient)] for gradient in self._gradients]
        net = deepcopy(self._net, memo).clearState()
        return {**self.__dict__, "_net": net, "_arrays": arrays, "_gradients": gradients, "_input": None, "_pass": 0}

    # ------------------------------------------------------------------------------------------ memory

    def _find(self) -> None:
        """Takes note of the arrays of our layers: parameters and statistics by name, and the parameters' gradients."""
        parameters, gradients = self._net.parameters() or ([], [])
        if len(gradients) != len(parameters) or not all(is_tensor(gradient) for gradient in gradients):
            raise UnsupportedError(
                f"{self._net._typename}: expected an array for the gradient of each parameter, as PyTorch has it"
            )
        gradient_of = {id(parameter): gradient for parameter, gradient in zip(parameters, gradients, strict=True)}
        self._arrays: dict[str, Tensor] = {}
        for visit in walk(self._net):
            array = visit.value
            if is_tensor(array) and visit.seen is None and (id(array) in gradient_of or _is_statistic(visit.key)):
                self._arrays[_named(visit_name(visit), self._arrays)] = array
        self._learned = [name for name, array in self._arrays.items() if id(array) in gradient_of]
        self._gradients = [gradient_of[id(self._arrays[name])] for name in self._learned]

    def _place(self, name: str) -> tuple[torch.nn.Module, str]:
        """The module of PyTorch that holds a name of the state dict, and the last part of the name."""
        holder: torch.nn.Module = self
        *way, leaf = name.split(".")
        for part in way:
            if part not in holder._modules:
                holder.add_module(part, torch.nn.Module())
            holder = holder.get_submodule(part)
        return holder, leaf

    def _findTensor(self, name: str) -> torch.Tensor:
        """The tensor that PyTorch has under a name of the state dict now."""
        holder, leaf = self._place(name)
        tensor = holder._parameters[leaf] if leaf in holder._parameters else holder._buffers[leaf]
        assert tensor is not None
        return tensor

    def _parameters_now(self) -> list[torch.Tensor]:
        return [self._findTensor(name) for name in self._learned]

    def _adopt(self, parameters: list[torch.Tensor], inputs: list[torch.Tensor]) -> None:
        """Our fields point at the memory of these tensors, and at that of the statistics that PyTorch has now.

        Where there are neither, the layers take the type of their input, as PyTorch's do.
        """
        held = dict(zip(self._learned, parameters, strict=True))
        held |= {name: self._findTensor(name) for name in self._arrays if name not in held}
        usable = (tensor for tensor in inputs if tensor.is_cuda or tensor.dtype in DTYPES)
        leading = next((tensor for tensor in (*held.values(), *usable) if tensor.is_floating_point()), None)
        if leading is not None and torch_type(leading) != self._net._type:
            self._convert(torch_type(leading))
        replaced = []
        for name, tensor in held.items():
            old, new = self._arrays[name], as_array(tensor)
            if new.dtype != self._net._dtype:
                raise DtypeError(f"torch.Module: {name}: expected a tensor of {self._net._dtype}, as the others, got {new.dtype}")
            if address(old) != address(new) or old.strides != new.strides or old.shape != new.shape:
                replaced.append((old, new))
                self._arrays[name] = new
        for i, name in enumerate(self._learned):
            old, like = self._gradients[i], self._arrays[name]
            if old.shape != like.shape:
                self._gradients[i] = np.zeros(like.shape, like.dtype, like=like)
                replaced.append((old, self._gradients[i]))
        if replaced:
            rebind(self._net, replaced)

    def _convert(self, type: str) -> None:
        """The layers go to another type or place; the arrays that they get there are replaced by PyTorch's at once."""
        cache: dict[Any, Any] = {}
        self._net.type(type, cache)
        names, shapes = self._learned, [gradient.shape for gradient in self._gradients]
        self._find()
        assert names == self._learned and shapes == [gradient.shape for gradient in self._gradients]

    # ------------------------------------------------------------------------------------------ passes

    def _run(self, described: _Input, tensors: tuple[torch.Tensor, ...]) -> Any:
        """A pass of our layers over arrays of their own where a layer writes over its input."""
        self._writes = any(getattr(module, "inplace", False) for module in self._net.listModules())
        arrays = [as_array(tensor) for tensor in tensors]
        self._input = described.filled([array.copy() for array in arrays] if self._writes else arrays)
        self._pass += 1
        return self._net.forward(self._input)

    def _again(self, described: _Input, saved: tuple[torch.Tensor, ...]) -> None:
        """Repeats a pass that a later one has gone over. The statistics move once."""
        if (carrying := _carrying(self._net)) is not None:
            raise RuntimeError(
                f"{carrying._typename} carries its state from one pass into the next, and cannot repeat an earlier one: call "
                "backward before the next forward, or give whole sequences to one pass of an nn.Sequencer"
            )
        count = len(described.tensors_at)
        self._adopt(list(saved[count:]), list(saved[:count]))
        kept = [(array, array.copy()) for name, array in self._arrays.items() if name not in self._learned]
        state, train = random.getRNGState(), self._net.train
        random.setRNGState(described.random)
        self._net.training() if described.train else self._net.evaluate()
        try:
            self._run(described, saved[: len(described.tensors_at)])
        finally:
            self._net.training() if train else self._net.evaluate()
            random.setRNGState(state)
            for array, before in kept:
                array[...] = before
        described.number = self._pass

    def _backward(self, gradients: list[Tensor | None], described: _Input, parameters: bool) -> Any:
        """The way back; of the parameters only if one of them is asked for."""
        if self._writes:
            gradients = [None if gradient is None else gradient.copy() for gradient in gradients]
            self._pass += 1  # layers in place leave nothing for a second backward
        gradOutput = _listed(pytree.tree_unflatten(gradients, described.outputs))
        if not parameters:
            return self._net.updateGradInput(self._input, gradOutput)
        self._net.zeroGradParameters()
        return self._net.backward(self._input, gradOutput)


class _Input:
    """The input of a pass: the shape of the table, its entries that are no tensors, and the settings at that time."""

    def __init__(self, spec: Any, leaves: list[Any]) -> None:
        self.spec = spec
        self.tensors_at = [i for i, leaf in enumerate(leaves) if isinstance(leaf, torch.Tensor)]
        self.tensors = [leaves[i] for i in self.tensors_at]
        self.others = [None if isinstance(leaf, torch.Tensor) else leaf for leaf in leaves]
        self.outputs: Any = None  # the shape of the table that came out
        self.random: Any = None
        self.train = True
        self.number = 0

    def filled(self, arrays: list[Tensor]) -> Any:
        """The input as our layers take it, tuples as lists."""
        leaves = list(self.others)
        for i, array in zip(self.tensors_at, arrays, strict=True):
            leaves[i] = array
        return _listed(pytree.tree_unflatten(leaves, self.spec))


class _Forward(torch.autograd.Function):
    """A pass of the network as one operation of autograd."""

    @staticmethod
    def forward(ctx: Any, live: Module, described: _Input, *tensors: torch.Tensor) -> Any:
        count = len(described.tensors_at)
        live._adopt(list(tensors[count:]), list(tensors[:count]))
        described.random, described.train = random.getRNGState(), live._net.train
        output = live._run(described, tensors[: len(described.tensors_at)])
        described.number = live._pass
        described.tensors = []
        ctx.live, ctx.described = live, described
        ctx.save_for_backward(*tensors)  # it also notices that one of them was changed before the backward pass
        leaves, described.outputs = pytree.tree_flatten(output)
        results = tuple(as_copied_tensor(leaf) if is_tensor(leaf) else leaf for leaf in leaves)
        ctx.shapes = [leaf.shape if isinstance(leaf, torch.Tensor) else None for leaf in results]
        ctx.mark_non_differentiable(*(r for r in results if isinstance(r, torch.Tensor) and not r.is_floating_point()))
        return results

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        return None, None, *_Backward.apply(ctx, len(gradients), *gradients, *ctx.saved_tensors)  # type: ignore[no-untyped-call]


class _Backward(torch.autograd.Function):
    """The backward pass, as an operation of its own so that a derivative of it is an error."""

    @staticmethod
    def forward(own: Any, ctx: Any, n: int, *tensors: Any) -> Any:
        gradients, saved = tensors[:n], tensors[n:]
        live, described = ctx.live, ctx.described
        if live._pass != described.number:
            live._again(described, saved)
        count = len(described.tensors_at)
        wanted = ctx.needs_input_grad[2:]
        arrays = [None if gradient is None else as_array(gradient.contiguous()) for gradient in gradients]
        gradInput = live._backward(arrays, described, any(wanted[count:]))
        leaves = pytree.tree_leaves(gradInput, is_leaf=lambda leaf: leaf is None)
        found: list[Any] = []
        for k, place in enumerate(described.tensors_at):
            if not wanted[k]:
                found.append(None)
                continue
            leaf = leaves[place] if place < len(leaves) else None
            if leaf is None or leaf.shape != tuple(saved[k].shape):
                raise ShapeError(f"{live._net._typename} has no gradient of its input {place}: give it one that needs none")
            found.append(as_copied_tensor(leaf))
        return *found, *(as_copied_tensor(g) if need else None for g, need in zip(live._gradients, wanted[count:], strict=True))

    @staticmethod
    def backward(own: Any, *gradients: Any) -> Any:
        raise RuntimeError(
            "pytorch_legacy.torch.Module has no second derivatives; pl.to_torch(net, example) makes a module that has them"
        )


def _is_statistic(key: Any) -> bool:
    return isinstance(key, str) and key.startswith(STATISTICS)


def _named(name: str, taken: dict[str, Any]) -> str:
    """A name that a state dict takes and no other array has."""
    parts = [
        f"{part}_" if not part or (hasattr(torch.nn.Module, part) and not part.isdigit()) else part for part in name.split(".")
    ]
    name = ".".join(parts)
    while name in taken:
        name += "_"
    return name


def _carrying(module: nn.Module) -> nn.Module | None:
    """A module, this one or one inside, that begins a pass with what an earlier one left: None if there is none."""
    remembers = getattr(module, "_remembers", None)
    if (
        module._servesAllSteps
        or (remembers is not None and remembers())
        or getattr(module, "rememberStates", False)
        or getattr(module, "remember_states", False)
    ):
        return module
    inside = [] if module._isSequencer else module._children()  # a sequencer that remembers nothing starts anew
    return next((found for child in inside if (found := _carrying(child)) is not None), None)


def _listed(value: Any) -> Any:
    """Tables as our layers know them."""
    return tree.map(lambda leaf: leaf, value, lists=True)
