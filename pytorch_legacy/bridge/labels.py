"""Maps the numbers of the written module to those of the network by converting a network whose numbers are labels.

No rule has an inverse. A twin of the network whose parameters and running statistics are 1, 2, 3, ... is converted: the state
dict then says where each of its numbers comes from, whatever the rules moved, cut or joined. 0 is a constant.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any

import numpy as np
import torch

from pytorch_legacy.errors import DtypeError, FieldError, ShapeError, UnsupportedError
from pytorch_legacy.inference.examples import forget, list_examples
from pytorch_legacy.nn.Module import Module
from pytorch_legacy.objects.copies import reachable

from .conversion import Conversion, arguments
from .fields import memory
from .values import difference, flat, tree

_STATISTICS = ("running_mean", "running_var")
_COUNTER = "num_batches_tracked"  # counts the batches of training; no layer of Torch7 has it


def _is_statistic(name: str) -> bool:
    """Returns True if training changes a buffer of that name."""
    return name.rpartition(".")[2].startswith("running_")


def list_arrays(net: Any) -> list[np.ndarray]:
    """Returns the parameters and running statistics of a network, or of the modules of a criterion, each once."""
    modules = list_modules(net)
    arrays = [array for module in ([net] if isinstance(net, Module) else modules) for array in (module.parameters() or ([],))[0]]
    for module in modules:
        arrays += [array for name in _STATISTICS if isinstance(array := getattr(module, name, None), np.ndarray)]
    return [*{memory(array): array for array in arrays}.values()]


def list_modules(net: Any) -> list[Any]:
    """Returns the modules of a network, or the modules inside a criterion such as nn.ModuleCriterion."""
    return net.listModules() if isinstance(net, Module) else [one for one in reachable(net) if isinstance(one, Module)]


class Labels:
    """The origins of the numbers of a written module.

    Attributes
    ----------
    places : dict of str to array
        For each parameter and running statistic of the module the labels of its numbers: the position, from 1 on, among all
        numbers of `list_arrays` the network, or 0 for a constant.
    constants : dict of str to array
        All other arrays of the state dict: buffers, and parameters that do not learn. Those that depend on the parameters are
        computed from the labels.
    count : int
        Count of the numbers that the network has.
    """

    def __init__(self, net: Any, example: Any) -> None:
        twin = copy.deepcopy(net).double()
        for module in list_modules(twin):
            if getattr(module, "maxNorm", None) is not None:
                module.maxNorm = None  # it would change the labels
        self.count = 0
        for array in list_arrays(twin):
            array[...] = np.arange(self.count + 1, self.count + 1 + array.size, dtype=np.float64).reshape(array.shape)
            self.count += array.size
        with np.errstate(all="ignore"):
            conversion = Conversion(twin, doubled(list_examples(example, net)), force=True, wrap=True)
        self.places: dict[str, np.ndarray] = {}
        self.constants: dict[str, np.ndarray] = {}
        fields = conversion.writer.fields
        learned = {fields.final_key(key) for key, p in fields.live.named_parameters(remove_duplicate=False) if p.requires_grad}
        for name, tensor in conversion.state.items():
            if name in learned or _is_statistic(name):
                self.places[name] = self._labels(name, tensor.numpy())
            elif not name.endswith(_COUNTER):
                self.constants[name] = tensor.numpy()

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
    given = {name: as_array(tensor) for name, tensor in state.items() if not name.endswith(_COUNTER)}
    found = np.concatenate([places.reshape(-1) for name, places in labels.places.items() if name in given] or [np.zeros(0)])
    missing = sorted(name for name, places in labels.places.items() if name not in given and not np.isin(places, found).all())
    unknown = sorted({*given} - {*labels.places, *labels.constants})
    if missing or unknown:
        kinds = (("not in the state dict", missing), ("not in the network", unknown))
        texts = [f"{what}: {', '.join(names[:5])}{', ...' * (len(names) > 5)}" for what, names in kinds if names]
        raise FieldError(f"from_torch: {'; '.join(texts)}")
    for name, expected in (labels.places | labels.constants).items():
        if name in given and given[name].dtype.kind not in "fiub":
            raise DtypeError(f"from_torch: {name}: expected numbers, got {given[name].dtype}")
        if name in given and given[name].shape != expected.shape:
            raise ShapeError(f"from_torch: {name}: expected the shape {expected.shape}, got {given[name].shape}")
    numbers, isKnown = np.zeros(labels.count + 1), np.zeros(labels.count + 1, np.bool_)
    for name, places in labels.places.items():
        if name not in given:
            continue  # a shared one, which stands in the file once
        value = given[name].astype(np.float64)
        _check_constant(name, value, np.zeros(places.shape), places == 0)
        known, isNew = numbers[places], ~isKnown[places] | (places == 0)
        if not (isNew | (known == value) | (np.isnan(known) & np.isnan(value))).all():
            raise FieldError(f"from_torch: {name}: differs from what shares its memory in the network")
        numbers[places], isKnown[places] = value, True
    for name, value in _fitting_constants(given, labels, like, example).items():
        np.add.at(numbers, labels.places[name], value)
    start = 1
    for array in list_arrays(like):
        part, isPart = (one[start : start + array.size].reshape(array.shape) for one in (numbers, isKnown))
        np.copyto(array, part, casting="same_kind", where=isPart)
        start += array.size
    return like


def as_array(value: Any) -> np.ndarray:
    """Returns an entry of a state dict as an array; bfloat16, which NumPy lacks, becomes float32."""
    if hasattr(value, "detach"):
        value = value.detach().cpu()
        value = value.float() if value.dtype == torch.bfloat16 else value
    return np.asarray(value)


def _fitting_constants(given: Mapping[str, np.ndarray], labels: Labels, like: Any, example: Any) -> dict[str, np.ndarray]:
    """Compares the constants of a state dict with those of the network.

    Returns
    -------
    dict
        Values to be added to parameters: the second bias of an nn.LSTM, by the name of the first.

    Raises
    ------
    FieldError
        If a constant differs.
    UnsupportedError
        If one depends on the parameters of the network.
    """
    more: dict[str, np.ndarray] = {}
    own: dict[str, np.ndarray] | None = None
    for name, constant in labels.constants.items():
        if name not in given or not constant.size:
            continue
        first = name.replace("bias_hh", "bias_ih")
        if first in labels.places and first != name:
            more[first] = given[name].astype(np.float64)
            continue
        if constant.any():  # zeros may not depend on the labels
            if own is None:
                state = Conversion(like, example, force=True, wrap=True).state
                own = {name: tensor.numpy() for name, tensor in state.items()}
            if name not in own or not np.allclose(constant, own[name], 1e-5, 1e-5, equal_nan=True):
                raise UnsupportedError(f"{name}: is computed from the network's parameters, and cannot be taken back")
            constant = own[name]
        _check_constant(name, given[name], constant)
    return more


def _check_constant(name: str, value: np.ndarray, expected: np.ndarray, where: Any = True) -> None:
    """Refuses numbers that are constants in the network and differ, by more than the rounding of the coarser of both types."""
    eps = max((float(np.finfo(array.dtype).eps) for array in (value, expected) if array.dtype.kind == "f"), default=0.0)
    a, b = value.astype(np.float64), expected.astype(np.float64)
    with np.errstate(all="ignore"):
        isAlike = (a == b) | (np.isnan(a) & np.isnan(b)) | (np.abs(a - b) <= eps * np.abs(b))
    if (wrong := np.argwhere(np.logical_and(where, ~isAlike))).size:
        place = tuple(map(int, wrong[0]))
        raise FieldError(
            f"from_torch: {name}: a constant of the network: expected {b[place]:.6g} in {place}, got {a[place]:.6g}; "
            "build the network with these numbers, or leave the entry out of the state dict"
        )


def training_differences(net: Any, example: Any) -> dict[str, float]:
    """Returns the differences of the written module while training, in double precision: for networks without random layers.

    Returns
    -------
    dict
        The largest relative differences of ``output``, ``gradInput``, ``gradParameters`` and ``statistics``.
    """
    labels = Labels(net, example)
    input = doubled(list_examples(example, net))[0]
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
    """Returns the first position of each array of a network among all its numbers."""
    starts, start = [], 0
    for array in list_arrays(net):
        starts.append((start, array))
        start += array.size
    return starts
