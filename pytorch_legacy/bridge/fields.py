"""The objects that ``__init__`` of a written class makes: torch modules, parameters and buffers, each with name and place."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from itertools import count
from typing import Any, NamedTuple

import numpy as np
import torch

from pytorch_legacy.errors import THNNError
from pytorch_legacy.nn.Module import Module

from .safety import check_code

_NUMBERED = re.compile(r"\bself\.(\w+)|(?<=register_buffer\(\")(\w+)")
DOUBLE = "«double»"
"""Stands in the text behind what is made of doubles; what becomes of it depends on the whole (`in_precision`)."""


class Field(NamedTuple):
    """A line of ``__init__``.

    Attributes
    ----------
    stem : str
        The first part of its name.
    text : str
    place : str
        The place of the module in the network.
    parameters : dict
        Location of the memory of each parameter, by the parameter's name.
    frozen : list of str
        The parameters that PyTorch's module has and Torch7's layer does not: an optimizer must not change them.
    """

    stem: str
    text: str
    place: str
    parameters: dict[str, Any]
    frozen: list[str]


class Fields:
    """The fields of one class.

    Attributes
    ----------
    live : torch.nn.Module
        Module that the lines make, with the network's own memory where a field holds it as it is.
    isTied : bool
        True if two of the fields share a parameter; False at first.
    untied : list of (str, str)
        Pairs of parameters that share a part of their memory in the network, and are two here; under their final names.
    """

    def __init__(self) -> None:
        self.live = torch.nn.Module().eval()
        self.isTied = False
        self.untied: list[tuple[str, str]] = []
        self._fields: dict[str, Field] = {}
        self._counts: dict[str, int] = {}
        self._known: dict[Any, tuple[str, Any]] = {}
        self._parameters: dict[Any, str] = {}
        self._arrays: dict[str, np.ndarray] = {}  # the arrays of the parameters, by their first names

    def layer(
        self,
        stem: str,
        constructor: str,
        space: dict[str, Any],
        arrays: dict[str, Any],
        owner: Sequence[Any],
        place: str,
        frozen: frozenset[str] | None = frozenset(),
    ) -> str:
        """``self.<name>`` of a torch module with these arrays.

        `owner` identifies a module of ours: equal owners with equal constructors become one torch module.
        `frozen` has the names of the parameters that do not learn; None stands for all.
        """
        given = {field: np.asarray(array) for field, array in arrays.items() if array is not None}
        key = (stem, constructor, frozen, *(owner or map(memory, given.values())))
        if given and key in self._known:
            return self._known[key][0]
        with torch.device("meta"):
            made = eval(check_code(constructor, space), space)
        state = {field: as_tensor(array) for field, array in given.items()}
        double = ""
        for field, tensor in made.state_dict().items():
            if field.endswith("num_batches_tracked"):
                state[field] = torch.tensor(0)
            elif field not in state or state[field].shape != tensor.shape:
                got = tuple(state[field].shape) if field in state else "nothing"
                raise THNNError(f"{constructor}: {field}: expected {tuple(tensor.shape)}, got {got}")
            elif state[field].dtype == torch.float64 != tensor.dtype:
                double = DOUBLE
        made.load_state_dict(state, assign=True)
        name = self._name(stem)
        self.live.add_module(name, made.eval())
        learned: dict[str, np.ndarray] = {}
        fixed = []
        for field, parameter in made.named_parameters():
            if frozen is None or field in frozen:
                parameter.requires_grad_(False)
                fixed.append(f"{name}.{field}")
            elif parameter.requires_grad and given[field].size:
                learned[f"{name}.{field}"] = given[field]
        self._note(name, stem, f"self.{name} = {constructor}{double}", place, learned, fixed)
        self._known[key] = f"self.{name}", given
        return f"self.{name}"

    def bare(self, stem: str, array: Any, learned: bool, place: str) -> str:
        """``self.<name>`` of a parameter, or of a buffer."""
        array = np.asarray(array)
        key = (stem, learned, memory(array))
        if key in self._known:
            return self._known[key][0]
        name = self._name(stem)
        tensor = as_tensor(array)
        dtype = "" if array.dtype.kind == "f" else f", dtype={tensor.dtype}"
        double = DOUBLE if tensor.dtype == torch.float64 else ""
        zeros = f"torch.zeros({', '.join(map(str, array.shape)) or '()'}{dtype}){double}"
        if learned:
            self.live.register_parameter(name, torch.nn.Parameter(tensor))
            self._note(name, stem, f"self.{name} = nn.Parameter({zeros})", place, {name: array} if array.size else {})
        else:
            self.live.register_buffer(name, tensor)
            self._fields[name] = Field(stem, f'self.register_buffer("{name}", {zeros})', place, {}, [])
        self._known[key] = f"self.{name}", array
        return f"self.{name}"

    def embedded(self, place: str, module: Module, live: Callable[[Module], torch.nn.Module]) -> str:
        """``self.<name>`` of a layer that ours run, which `live` makes a module of PyTorch."""
        if (key := ("legacy", place)) not in self._known:
            name = self._name("legacy")
            self.live.add_module(name, live(module))
            self._fields[name] = Field("legacy", f'self.{name} = legacy("{place}")', place, {}, [])
            self._known[key] = f"self.{name}", module
        return self._known[key][0]

    def holder(self, array: np.ndarray) -> str | None:
        """The text of the parameter that holds this array, if there is one."""
        name = self._parameters.get(memory(array))
        return None if name is None else f"self.{name}"

    def keep(self, used: Container[str]) -> None:
        """Leaves out what is not used, and gives the others their final names: one that is alone of its kind has no number."""
        for name in [name for name in self._fields if name not in used]:
            del self._fields[name]
            delattr(self.live, name)
        stems = [field.stem for field in self._fields.values()]
        numbers = {stem: count(1) for stem in stems}
        self._final = {
            name: stem if stems.count(stem) == 1 and not hasattr(torch.nn.Module, stem) else f"{stem}{next(numbers[stem])}"
            for name, (stem, *_) in self._fields.items()
        }
        first: dict[Any, str] = {}
        self._ties = {
            name: [(one, owner) for one, where in field.parameters.items() if (owner := first.setdefault(where, one)) != one]
            for name, field in self._fields.items()
        }
        self.isTied |= any(self._ties.values())
        self.untied = [(self.final_key(one), self.final_key(other)) for one, other in _overlaps(first, self._arrays)]

    def lines(self) -> Iterator[tuple[str, str]]:
        """The lines of ``__init__``, and the place of each in the network, or another comment."""
        for name, field in self._fields.items():
            yield field.text, field.place
            for one in field.frozen:
                yield f"self.{one}.requires_grad_(False)", "constant"
            for one, owner in self._ties[name]:
                yield f"self.{one} = self.{owner}", "the same memory in the file"

    def state(self) -> dict[str, torch.Tensor]:
        """The state dict under the final names."""
        return {self.final_key(key): tensor for key, tensor in self.live.state_dict().items()}

    def arrays(self) -> dict[str, np.ndarray]:
        """The state dict in arrays: those that the fields were made of, so that other fields are known to share them."""
        return {self.final_key(key): self._arrays.get(key, tensor.numpy()) for key, tensor in self.live.state_dict().items()}

    def final_key(self, key: str) -> str:
        """A key of the state dict under its final name."""
        name, dot, rest = key.partition(".")
        return self._final[name] + dot + rest

    def final_text(self, text: str) -> str:
        """`text` with the final names of fields."""
        return _NUMBERED.sub(lambda m: f"self.{self._final.get(m[1], m[1])}" if m[1] else self._final[m[2]], text)

    def _note(
        self, name: str, stem: str, text: str, place: str, parameters: dict[str, np.ndarray], frozen: Sequence[str] = ()
    ) -> None:
        self._arrays |= parameters
        places = {one: memory(array) for one, array in parameters.items()}
        self._fields[name] = field = Field(stem, text, place, places, [*frozen])
        for parameter, where in field.parameters.items():
            self._parameters.setdefault(where, parameter)

    def _name(self, stem: str) -> str:
        self._counts[stem] = self._counts.get(stem, 0) + 1
        return f"{stem}{self._counts[stem]}"


def _overlaps(names: dict[Any, str], arrays: dict[str, np.ndarray]) -> Iterator[tuple[str, str]]:
    """Yields the pairs of these parameters that share memory."""
    bounds = sorted((*np.lib.array_utils.byte_bounds(arrays[name]), name) for name in names.values())
    for i, (_, end, name) in enumerate(bounds):
        for start, _, other in bounds[i + 1 :]:
            if start >= end:
                break
            with contextlib.suppress(np.exceptions.TooHardError):
                if np.shares_memory(arrays[name], arrays[other], 10000):  # type: ignore[arg-type]
                    yield name, other


def in_precision(text: str, isMixed: bool) -> str:
    """The text. Where floats and doubles meet, each field of doubles says ``.double()``; else ``load()`` says it once."""
    return text.replace(DOUBLE, ".double()" if isMixed else "")


def memory(array: np.ndarray) -> tuple[Any, ...]:
    """Returns the address and the memory layout of an array."""
    return array.__array_interface__["data"][0], array.shape, array.strides, array.dtype.str


def as_tensor(array: np.ndarray) -> torch.Tensor:
    """Returns a tensor, which shares the memory of the array if torch supports its layout."""
    usable = array.flags.writeable and array.flags.aligned and array.flags.c_contiguous and array.dtype.isnative
    return torch.from_numpy(array if usable else np.array(array, array.dtype.newbyteorder("="), order="C"))


def statistics_owner(module: Any, fields: Iterable[str] = ("running_mean", "running_var")) -> list[Any]:
    """Returns the addresses of a module's parameters and running statistics, which identify it; an empty list if it has none."""
    parameters: list[Any] = (module.parameters() or ([],))[0] if isinstance(module, Module) else []
    statistics = [getattr(module, name, None) for name in fields] if parameters else []
    return [memory(array) for array in (*parameters, *statistics) if isinstance(array, np.ndarray)]
