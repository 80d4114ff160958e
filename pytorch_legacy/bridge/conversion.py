"""A whole conversion: a network and examples in, a torch.nn.Module and its text out."""

from __future__ import annotations

import copy
import linecache
import tempfile
import types
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
import torch

from pytorch_legacy import backend
from pytorch_legacy.authors import DataParallelTableBasic
from pytorch_legacy.errors import DtypeError
from pytorch_legacy.files import saving
from pytorch_legacy.inference.examples import forget, list_examples
from pytorch_legacy.nn.Criterion import Criterion
from pytorch_legacy.nn.Module import Module
from pytorch_legacy.nn.utils import described

from .forward_freeing import forward_freeing
from .larger_example import larger_example
from .proof import TOLERANCE, Proof
from .registry import Differs, NoRule
from .safety import in_docstring, one_line
from .source import body_text, file_text
from .values import Value, difference, tree
from .writer import Writer

_NUMBERS = count(1)


@contextmanager
def _keeping_no_weights() -> Iterator[None]:
    """Each layer runs a few times only: to keep its weights as kernels read them would cost more memory than time."""
    before = backend.set_cache_bytes(0)
    try:
        yield
    finally:
        backend.set_cache_bytes(before)


class Conversion:
    """The conversion of a network.

    Attributes
    ----------
    net : Module
        The network, in evaluation mode: a twin of the one that was given, with the same parameters.
    examples : list
        The inputs that were asked for, one or two.
    far : array or table, optional
        An input of much larger sizes, on which it was written too, unless that failed.
    proof : Proof
    text : str
        The file.
    state : dict of str to torch.Tensor
        Weights and buffers that lines read, which may be the network's own memory.
    legacy : dict of str to Module
        The layers that the text embeds, by the place in the names of their files.
    """

    @_keeping_no_weights()
    def __init__(self, net: Any, example: Any, force: bool = False, wrap: bool = False) -> None:
        self.net = twin(net)
        self.examples = list_examples(example, self.net)
        self.far = larger_example(self.examples, self.net) if isinstance(self.net, Module) else None
        try:
            self._write([*self.examples, *([] if self.far is None else [self.far])], force, wrap)
        except (NoRule, Differs):
            if self.far is None:
                raise
            self._write(self.examples, force, wrap)  # right for these sizes, if for no others
        self.writer.finish(self.result)
        self.proof.untied = self.writer.fields.untied
        self.state = self.writer.fields.state()
        kinds = {tensor.dtype for tensor in self.state.values() if tensor.is_floating_point()}
        self.kind = "mixed" if len(kinds) > 1 else "double" if torch.float64 in kinds else "float"
        body = body_text(self.writer, self.result)
        self.legacy = {place: layer for place, layer in self.writer.legacy.items() if f'legacy("{place}")' in body}
        self.text = file_text(body, self._story(net), self.kind, self.writer.fields.isTied)

    def _write(self, examples: list[Any], force: bool, wrap: bool) -> None:
        self.proof = Proof(force)
        self.writer = Writer(examples, self.proof, wrap)
        modules = self.net.listModules() if isinstance(self.net, Module) else []
        self.writer.unpooled = {id(module.pooling) for module in modules if hasattr(module, "pooling")}
        self.result = self.writer.convert(self.net, self.writer.inputs)

    @_keeping_no_weights()
    def module(self) -> torch.nn.Module:
        """The module that the text makes, with the weights, compared with the network as a whole."""
        outputs = self._outputs()  # before the module takes its memory
        made = self.executed()
        self._prove(made, outputs)
        made.source, made.proof, made.example, made.legacy_parts = self.text, self.proof, self.examples, self.legacy
        return made

    def executed(self) -> torch.nn.Module:
        """The module that the text makes, with the weights, in evaluation mode."""
        with tempfile.TemporaryDirectory() as folder:
            beside = Path(folder) / "net.py"
            save_embedded(self.legacy, beside)
            made = executed(self.text, beside)
        made = made.double() if self.kind == "double" else made
        made.load_state_dict(self.state)
        return made.eval()

    def _outputs(self) -> list[list[Any]] | None:
        """Returns the network's outputs for each example, in two calls if there is a state; None if the network is random."""
        if any(layer.difference is None for layer in self.proof.layers):
            return None  # a layer is random
        outputs = []
        for example in self.examples:
            forget(self.net)
            calls = range(2 if self.writer.states else 1)
            outputs.append([tree(np.array, forward_freeing(self.net, tree(np.copy, example))) for _ in calls])
        if isinstance(self.net, Module):
            self.net.clearState()
        return outputs

    def _prove(self, made: torch.nn.Module, outputs: list[list[Any]] | None) -> None:
        """Compares the network with the module, and with what the lines of its text gave for the second example.

        Where there is a state, with two calls of the module one after the other for each example.
        """
        if outputs is None:
            return
        self.proof.whole = 0.0
        for i, (example, ours) in enumerate(zip(self.examples, outputs, strict=True)):
            if i and not self.writer.states:
                self._compare(ours[0], tree(lambda value, i=i: value.held[i], self.result))
                continue
            state: tuple[Any, ...] = ()
            for output in ours:
                with torch.no_grad():
                    theirs = made(*arguments(example), *state)
                if self.writer.states:
                    theirs, *state_after = theirs
                    state = tuple(state_after)
                self._compare(output, theirs)
        if not self.proof.whole <= TOLERANCE and not self.proof.force:
            name, gap = one_line(self.net._typename), self.proof.whole
            raise Differs(f"{name}: each layer is written right, but the network differs by {gap:.2g}")

    def _compare(self, ours: Any, theirs: Any) -> None:
        self.proof.whole = max(self.proof.whole or 0.0, difference(ours, theirs))

    def _story(self, net: Any) -> str:
        letters: dict[Any, str] = {}
        takes, gives = (tree(lambda value: shape_text(value, letters), values) for values in (self.writer.inputs, self.result))
        text = f"{in_docstring(net._typename)} of Torch7 in PyTorch, written by pytorch_legacy.\n\n"
        text += f"Takes {listed(takes)}, gives {listed(gives)}."
        if self.writer.states:
            text += (
                "\nThe old network kept its state from call to call: forward() takes the state, None at first, and returns\n"
                "the output and the state for the next call."
            )
        if self.legacy:
            text += "\nNEEDS pytorch_legacy, which runs the layers that cannot be written, from the .t7 files beside this one."
        for one, other in self.proof.untied:
            text += f"\n\nLEARNS OTHERWISE: {other} and {one} share memory in the old network, and learn apart here."
        worst = self.proof.worst
        if worst is not None and worst.difference is not None and not worst.difference <= TOLERANCE:
            name = in_docstring(worst.typename)
            text += f"\n\nIT DIFFERS from the old network: {worst.place} ({name}) by {worst.difference:.2g}."
        return text + "\n" * ("\n" in text)


def twin(net: Any) -> Any:
    """A copy of the network in evaluation mode, with the same parameters, on the host."""
    net = net.dpt if isinstance(net, DataParallelTableBasic) else net
    if not isinstance(net, (Module, Criterion)):
        raise DtypeError(f"net: expected a module or a criterion, got {described(net)}")
    made = copy.deepcopy(net, net._sharedArrays() if isinstance(net, Module) else {})
    if made._onDevice:
        made.float()
    if isinstance(made, Module):
        made.evaluate()
        made.clearState()
        made.forget()
    return made


def save_embedded(legacy: dict[str, Any], path: Path) -> None:
    """Writes the layers that the text of `path` embeds beside it, ``net.3.t7`` for that at 3."""
    for place, module in legacy.items():
        saving.save(path.with_suffix(f".{place}.t7"), module)


def executed(text: str, path: Path = Path("net.py")) -> Any:
    """``Net()`` of a text, whose lines tracebacks show; `path` is the file that it takes itself for."""
    name = f"<written by pytorch_legacy {next(_NUMBERS)}>"
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    space = types.ModuleType("net")
    space.__file__ = str(path)
    exec(compile(text, name, "exec"), space.__dict__)
    with torch.random.fork_rng(devices=()):  # initial weights, which nobody sees, take no random numbers from others
        return space.Net()


def arguments(example: Any) -> tuple[Any, ...]:
    """Returns the arguments of forward() for an input."""
    values = tree(lambda array: torch.from_numpy(np.array(array)), example)
    return tuple(values) if isinstance(values, list) else (values,)


def shape_text(value: Value, letters: dict[Any, str]) -> str:
    """``(N, 3, H, W)``: sizes that may vary have letters, the same one where they vary alike."""
    sizes = []
    for size, known in zip(value.shape, zip(*value.shapes, strict=True), strict=True):
        sizes.append(letters.setdefault(known, "NHWTKLM"[len(letters) % 7]) if size is None else str(size))
    kind = str(value.held[0].dtype).removeprefix("torch.")
    return f"({', '.join(sizes)}{',' if len(sizes) == 1 else ''}){'' if kind.startswith('float') else f' of {kind}'}"


def listed(value: Any) -> str:
    """Shapes one after the other, in brackets where a table stands in a table."""
    if not isinstance(value, list):
        return str(value)
    return ", ".join(f"[{listed(entry)}]" if isinstance(entry, list) else entry for entry in value)
