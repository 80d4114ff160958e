"""Which number of the network each number of the written module is: found by converting a network whose numbers are labels.

No rule has an inverse. A twin of the network whose parameters and running statistics are 1, 2, 3, ... is converted: the state
dict then says where each of its numbers comes from, whatever the rules moved, cut or joined. 0 is a constant.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any

import numpy as np
import torch

from pytorch_legacy.errors import FieldError, ShapeError, UnsupportedError
from pytorch_legacy.inference.examples import examples_of, forget

from .conversion import Conversion, arguments
from .fields import memory
from .values import difference, flat, tree

_STATISTICS = ("running_mean", "running_var")


def arrays_of(net: Any) -> list[np.ndarray]:
    """The parameters and running statistics of a network, each once."""
    arrays = [*(net.parameters() or ([],))[0]]
    for module in net.listModules():
        arrays += [array for name in _STATISTICS if isinstance(array := getattr(module, name, None), np.ndarray)]
    return [*{memory(array): array for array in arrays}.values()]


class Labels:
    """Where the numbers of a written module come from.

    Attributes
    ----------
    places : dict of str to array
        For each parameter and running statistic of the module the labels of its numbers: the position, from 1 on, among all
        numbers of `arrays_of` the network, or 0 for a constant.
    count : int
        How many numbers the network has.
    """

    def __init__(self, net: Any, example: Any) -> None:
        twin = copy.deepcopy(net).double()
        for module in twin.listModules():
            if getattr(module, "maxNorm", None) is not None:
                module.maxNorm = None  # it would change the labels
        self.count = 0
        for array in arrays_of(twin):
            array[...] = np.arange(self.count + 1, self.count + 1 + array.size, dtype=np.float64).reshape(array.shape)
            self.count += array.size
        with np.errstate(all="ignore"):
            conversion = Conversion(twin, doubled(examples_of(example, net)), force=True, wrap=True)
        self.places: dict[str, np.ndarray] = {}
        self.text = conversion.text
        for name, tensor in conversion.state.items():
            if tensor.is_floating_point() and self._learns(conversion, name):
                self.places[name] = self._labels(name, tensor.numpy())

    @staticmethod
    def _learns(conversion: Conversion, name: str) -> bool:
        """Is it a parameter or a running statistic? Other buffers are constants."""
        live = conversion.writer.fields
        parameters = {live.final_key(key) for key, _ in live.live.named_parameters(remove_duplicate=False)}
        return name in parameters or name.rpartition(".")[2] in _STATISTICS

    def _labels(self, name: str, value: np.ndarray) -> np.ndarray:
        whole = np.rint(value)
        if not (np.array_equal(whole, value) and (value >= 0).all() and (value <= self.count).all()):
            raise UnsupportedError(f"{name}: is computed from the network's parameters, and cannot be taken back")
        return whole.astype(np.int64)

    def gathered(self, values: Mapping[str, np.ndarray]) -> np.ndarray:
        """The sum of what belongs to each number of the network: gradients, for example."""
        total = np.zeros(self.count + 1)
        for name, value in values.items():
            if name in self.places:
                np.add.at(total, self.places[name].reshape(-1), np.asarray(value, np.float64).reshape(-1))
        return total[1:]


def doubled(value: Any) -> Any:
    return tree(lambda array: array.astype(np.float64) if array.dtype.kind == "f" else array, value)


def from_state(state: Mapping[str, Any], like: Any, example: Any) -> Any:
    """Fills a network with the numbers of a state dict of its written module, and returns it; see `pytorch_legacy.from_torch`."""
    labels = Labels(like, example)
    given = {name: np.asarray(tensor.detach().cpu() if hasattr(tensor, "detach") else tensor) for name, tensor in state.items()}
    given = {name: value for name, value in given.items() if value.dtype.kind == "f" and value.size}
    found = np.concatenate([places.reshape(-1) for name, places in labels.places.items() if name in given] or [np.zeros(0)])
    missing = sorted(name for name, places in labels.places.items() if name not in given and not np.isin(places, found).all())
    unknown = sorted({*given} - {*labels.places})
    if missing:
        raise FieldError(
            f"from_torch: not in the state dict: {', '.join(missing[:5])}; not in the network: {', '.join(unknown[:5]) or 'none'}"
        )
    numbers = np.full(labels.count + 1, np.nan)
    second: dict[str, np.ndarray] = {}
    for name, places in labels.places.items():
        if name not in given:
            continue  # a shared one, which stands in the file once
        value = given[name].astype(np.float64)
        if value.shape != places.shape:
            raise ShapeError(f"from_torch: {name}: expected the shape {places.shape}, got {value.shape}")
        if not places.any():
            second[name] = value
            continue
        known = numbers[places]
        if not (np.isnan(known) | (known == value) | (places == 0)).all():
            raise FieldError(f"from_torch: {name}: differs from what shares its memory in the network")
        numbers[places] = value
    for name, value in second.items():  # the second bias of nn.LSTM, where the network has one
        first = labels.places.get(name.replace("bias_hh", "bias_ih"))
        if value.any() and (first is None or not first.any()):
            raise FieldError(f"from_torch: {name}: the network has no place for it, and it is not zero")
        if first is not None and first.any():
            np.add.at(numbers, first, value)
    start = 1
    for array in arrays_of(like):
        part = numbers[start : start + array.size].reshape(array.shape)
        array[...] = np.where(np.isnan(part), array, part)
        start += array.size
    return like


def training_differences(net: Any, example: Any) -> dict[str, float]:
    """How much the written module differs while training, in double precision: for networks without random layers.

    Returns
    -------
    dict
        The largest relative differences of ``output``, ``gradInput``, ``gradParameters`` and ``statistics``.
    """
    labels = Labels(net, example)
    input = doubled(examples_of(example, net))[0]
    ours = copy.deepcopy(net).double()
    conversion = Conversion(ours, [input, input])
    made = conversion.executed().train()
    ours.training()
    forget(ours)
    ours.zeroGradParameters()
    output = tree(np.array, ours.forward(tree(np.copy, input)))
    rng = np.random.default_rng(1)
    gradOutput = tree(lambda array: rng.standard_normal(array.shape), output)
    gradInput = ours.backward(tree(np.copy, input), gradOutput)
    values = arguments(input)
    leaves = [leaf.requires_grad_() for leaf in flat(values) if leaf.is_floating_point()]
    theirs = made(*values)
    theirs = theirs[0] if conversion.writer.states else theirs
    torch.autograd.backward(flat([theirs]), [torch.from_numpy(gradient) for gradient in flat([gradOutput])])
    found = {"output": difference(flat([output]), flat([theirs]))}
    if leaves:
        both = zip(flat([gradInput]), flat(values), strict=False)
        toInput = [gradient for gradient, value in both if value.is_floating_point()]
        zeros = [torch.zeros_like(leaf) if leaf.grad is None else leaf.grad for leaf in leaves]
        found["gradInput"] = difference(toInput, zeros)
    gradients = labels.gathered(
        {n: p.grad.numpy() for n, p in made.named_parameters(remove_duplicate=True) if p.grad is not None}
    )
    parameters, own = ours.parameters() or ([], [])
    expected = np.zeros(labels.count)
    places = {memory(array): (start, start + array.size) for start, array in _starts(ours)}
    pairs = {(memory(p), memory(g)): g for p, g in zip(parameters, own, strict=True)}  # clones may share one and not the other
    for (place, _), gradient in pairs.items():
        expected[slice(*places[place])] += gradient.reshape(-1)
    # All in one: a gradient that is nothing but rounding, as of a bias before a batch normalization, is measured by the others.
    learned = np.zeros(labels.count, np.bool_)
    for parameter in parameters:
        learned[slice(*places[memory(parameter)])] = True
    found["gradParameters"] = difference(expected[learned], gradients[learned])
    statistics = labels.gathered({name: b.numpy() for name, b in made.named_buffers() if name.rpartition(".")[2] in _STATISTICS})
    kept = np.zeros(labels.count)
    for start, array in _starts(ours):
        kept[start : start + array.size] = array.reshape(-1)
    found["statistics"] = difference(kept[~learned], statistics[~learned])
    return found


def _starts(net: Any) -> list[tuple[int, np.ndarray]]:
    """Where each array of a network begins among all its numbers."""
    starts, start = [], 0
    for array in arrays_of(net):
        starts.append((start, array))
        start += array.size
    return starts
