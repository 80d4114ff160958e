"""What ``__init__`` of a written class makes: torch modules, parameters and buffers, each with a name and its place."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
import torch

from pytorch_legacy.errors import THNNError
from pytorch_legacy.nn.Module import Module

from .safety import check_code

_NUMBERED = re.compile(r"\bself\.(\w+)|(?<=register_buffer\(\")(\w+)")


class Fields:
    """The fields of one class.

    Attributes
    ----------
    live : torch.nn.Module
        What the lines make, with the network's own memory where a field holds it as it is.
    lines : list of (str, str)
        Text, and the place in the network, or "".
    """

    def __init__(self) -> None:
        self.live = torch.nn.Module().eval()
        self.lines: list[tuple[str, str]] = []
        self.isTied = False  # do two of them share a parameter?
        self._counts: dict[str, int] = {}
        self._known: dict[Any, tuple[str, Any]] = {}
        self._tied: dict[Any, str] = {}

    def layer(
        self, stem: str, constructor: str, space: dict[str, Any], arrays: dict[str, Any], owner: Sequence[Any], place: str
    ) -> str:
        """``self.<name>`` of a torch module with these arrays.

        `owner` tells modules of ours apart: what has the same one, and the same constructor, is the same torch module.
        """
        given = {field: np.asarray(array) for field, array in arrays.items() if array is not None}
        key = (stem, constructor, *(owner or map(memory, given.values())))
        if given and key in self._known:
            return self._known[key][0]
        with torch.device("meta"):
            made = eval(check_code(constructor, space), space)
        state = {field: tensor_of(array) for field, array in given.items()}
        for field, tensor in made.state_dict().items():
            if field.endswith("num_batches_tracked"):
                state[field] = torch.tensor(0)
            elif field not in state or state[field].shape != tensor.shape:
                got = tuple(state[field].shape) if field in state else "nothing"
                raise THNNError(f"{constructor}: {field}: expected {tuple(tensor.shape)}, got {got}")
        made.load_state_dict(state, assign=True)
        name = self._name(stem)
        self.live.add_module(name, made.eval())
        self.lines.append((f"self.{name} = {constructor}", place))
        for field, _ in made.named_parameters():
            self._tie(f"self.{name}.{field}", given[field])
        self._known[key] = f"self.{name}", given
        return f"self.{name}"

    def bare(self, stem: str, array: Any, learned: bool, place: str) -> str:
        """``self.<name>`` of a parameter, or of a buffer."""
        array = np.asarray(array)
        key = (stem, learned, memory(array))
        if key in self._known:
            return self._known[key][0]
        name = self._name(stem)
        tensor = tensor_of(array)
        dtype = "" if array.dtype.kind == "f" else f", dtype={tensor.dtype}"
        zeros = f"torch.zeros({', '.join(map(str, array.shape)) or '()'}{dtype})"
        if learned:
            self.live.register_parameter(name, torch.nn.Parameter(tensor))
            self.lines.append((f"self.{name} = nn.Parameter({zeros})", place))
            self._tie(f"self.{name}", array)
        else:
            self.live.register_buffer(name, tensor)
            self.lines.append((f'self.register_buffer("{name}", {zeros})', place))
        self._known[key] = f"self.{name}", array
        return f"self.{name}"

    def embedded(self, place: str, module: Module, live: Callable[[Module], torch.nn.Module]) -> str:
        """``self.<name>`` of a layer that ours run, which `live` makes a module of PyTorch."""
        if (key := ("legacy", place)) not in self._known:
            name = self._name("legacy")
            self.live.add_module(name, live(module))
            self.lines.append((f'self.{name} = legacy("{place}")', place))
            self._known[key] = f"self.{name}", module
        return self._known[key][0]

    def state(self) -> dict[str, torch.Tensor]:
        """The state dict under the final names."""
        return {self.final_key(key): tensor for key, tensor in self.live.state_dict().items()}

    def final_key(self, key: str) -> str:
        """A key of the state dict under its final name."""
        name, dot, rest = key.partition(".")
        return self._final(name) + dot + rest

    def final_text(self, text: str) -> str:
        """`text` with the final names of fields: one that is alone of its kind has no number."""
        return _NUMBERED.sub(lambda match: f"self.{self._final(match[1])}" if match[1] else self._final(match[2]), text)

    def _name(self, stem: str) -> str:
        self._counts[stem] = self._counts.get(stem, 0) + 1
        return f"{stem}{self._counts[stem]}"

    def _final(self, name: str) -> str:
        stem = name.removesuffix("1")
        alone = stem != name and self._counts.get(stem) == 1 and not hasattr(torch.nn.Module, stem)
        return stem if alone else name

    def _tie(self, name: str, array: np.ndarray) -> None:
        """A parameter whose memory another torch module has already is that one's."""
        if array.size:
            first = self._tied.setdefault(memory(array), name)
            if first != name:
                self.lines.append((f"{name} = {first}", "the same memory in the file"))
                self.isTied = True


def memory(array: np.ndarray) -> tuple[Any, ...]:
    """Where an array lies, and how."""
    return array.__array_interface__["data"][0], array.shape, array.strides, array.dtype.str


def tensor_of(array: np.ndarray) -> torch.Tensor:
    """A tensor, which shares the memory of the array where torch can."""
    usable = array.flags.writeable and array.flags.aligned and array.flags.c_contiguous and array.dtype.isnative
    return torch.from_numpy(array if usable else np.array(array, array.dtype.newbyteorder("="), order="C"))


def owner_of(module: Any, fields: Iterable[str] = ("running_mean", "running_var")) -> list[Any]:
    """What tells the module from others: the places of its parameters and running statistics, nothing if it has none."""
    parameters: list[Any] = (module.parameters() or ([],))[0] if isinstance(module, Module) else []
    statistics = [getattr(module, name, None) for name in fields] if parameters else []
    return [memory(array) for array in (*parameters, *statistics) if isinstance(array, np.ndarray)]
