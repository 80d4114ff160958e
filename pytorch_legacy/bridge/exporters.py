"""From the written module to ONNX and to .pt2, with what is free in size run again in the file's own runtime."""

from __future__ import annotations

import contextlib
import inspect
import io
import logging
import math
import os
import re
import warnings
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from torch.fx.experimental.symbolic_shapes import SYMPY_INTERP

from pytorch_legacy import nn, nngraph
from pytorch_legacy.errors import THNNError, ValueRangeError
from pytorch_legacy.files.writing import check_target, whole
from pytorch_legacy.inference.examples import forget

from .conversion import Conversion, arguments
from .exportable import by_masks, written_out
from .forward_freeing import forward_freeing
from .larger_example import LEAST, extrapolated_size
from .loops import with_loops
from .proof import TOLERANCE
from .registry import Differs, NoRule
from .values import difference, flat, tree

OPSET = 18
_COLORS = re.compile(r"\x1b\[[0-9;]*m")
_LONGEST = 160
Kept = Callable[[int], bool]
"""A rule that returns True for dimensions that stay free."""


class Exported(NamedTuple):
    """The result of an export.

    Attributes
    ----------
    way : str
        The exporter that made it.
    difference : float
        The largest difference from the network, in the file's own runtime.
    fixed : list of str
        Sizes that were to vary and do not: ``"input: dimension 1 is 7"``.
    """

    way: str
    difference: float
    fixed: list[str]


class Size(NamedTuple):
    """A dimension that is to vary, and its size in both examples."""

    axis: int
    pair: tuple[int, int]


class Stateless(torch.nn.Module):
    """A module that keeps a state from call to call, always at the start of a sequence."""

    def __init__(self, module: torch.nn.Module) -> None:
        super().__init__()
        self.module = module

    def forward(self, *inputs: Any) -> Any:
        return self.module(*inputs)[0]


def _sized(array: np.ndarray, sizes: dict[int, int]) -> np.ndarray:
    """The array in other sizes along some axes."""
    for axis, size in sizes.items():
        array = np.take(array, range(size), axis, mode="wrap")
    return array


def _imagined(array: np.ndarray, sizes: dict[int, int]) -> torch.Tensor:
    """A tensor of these sizes without numbers."""
    return torch.empty([sizes.get(axis, size) for axis, size in enumerate(array.shape)], device="meta")


class Export:
    """A network on its way to a file.

    Attributes
    ----------
    module : torch.nn.Module
    trials : list of (input, output)
        Inputs, and what our network gives for them: the examples, one of a third size, a batch of one, one where all sizes that
        vary are 1, and one of much larger ones.
    free : list of dict
        For each array of the input, the dimensions that are to vary, and their sizes in both examples.
    isDouble : bool
        True if the weights are in double precision.
    """

    def __init__(self, net: Any, example: Any, force: bool = False, change: Callable[[Any], Any] = lambda module: module) -> None:
        conversion = Conversion(net, example, force)
        self.module = change(conversion.module())
        if conversion.proof.whole is None:
            raise NoRule(f"{net._typename}: it is random in evaluation, which a file of this kind cannot be proven to be")
        if conversion.writer.states:
            self.module = Stateless(self.module).eval()
        self.force = force
        self.isDouble = conversion.kind == "double"
        first, last = flat([conversion.examples[0]]), flat([conversion.examples[-1]])
        self.free = [
            {i: pair for i, pair in enumerate(zip(x.shape, y.shape, strict=True)) if pair[0] != pair[1]}
            for x, y in zip(first, last, strict=True)
        ]
        self._net, self._base = conversion.net, conversion.examples[-1]
        inputs = [*conversion.examples]
        if free := self._free():
            inputs.append(self._resized({size: max(size.pair) + abs(size.pair[1] - size.pair[0]) for size in free}))
            batch = self._free((0).__eq__)
            inputs += [self._resized(dict.fromkeys(some, 1)) for some in ([batch] * (0 < len(batch) < len(free)) + [free])]
            inputs += [] if conversion.far is None else [conversion.far]
        self.trials = [*self._ran(inputs)]
        self._example = self.trials[min(1, len(self.trials) - 1)]

    def _free(self, kept: Kept = lambda axis: True) -> list[Size]:
        """The sizes of what is kept free; those that are one are alike in several arrays."""
        return sorted({Size(axis, pair) for axes in self.free for axis, pair in axes.items() if kept(axis)})

    def _resized(self, sizes: dict[Size, int], make: Any = _sized) -> Any:
        """The second example in other sizes; or what `make` makes of each array and its new sizes."""
        free = iter(self.free)

        def one(array: np.ndarray) -> Any:
            found = {axis: sizes.get(Size(axis, pair)) for axis, pair in next(free).items()}
            return make(array, {axis: size for axis, size in found.items() if size})

        return tree(one, self._base)

    def _ran(self, inputs: list[Any]) -> Iterator[tuple[Any, Any]]:
        """The inputs that the network takes, each with what it gives."""
        for input in inputs:
            forget(self._net)
            with contextlib.suppress(THNNError):  # not every size need be one that it takes
                yield input, tree(np.array, forward_freeing(self._net, tree(np.copy, input)))

    def _trials(self, kept: Kept) -> list[tuple[Any, Any]]:
        """Returns the trials that differ only in the axes that stay dynamic."""
        if all(kept(axis) for axes in self.free for axis in axes):
            return self.trials
        base, inputs = self._example[0], {}
        for goal, _ in self.trials:
            axes = iter(self.free)
            input = tree(lambda a, b, axes=axes: _sized(a, {i: b.shape[i] for i in next(axes) if kept(i)}), base, goal)
            inputs[repr(tree(np.shape, input))] = input
        # shifted samples show numbers that the exporter took for constants
        inputs["others"] = tree(lambda array: np.roll(array, 1, 0), base)
        return [*self._ran([*inputs.values()])]

    def shapes(self, kept: Kept) -> Any:
        """``dynamic_shapes`` as torch.export takes them, of the dimensions that are kept free."""
        free = iter(self.free)

        def one(_: Any) -> dict[int, Any]:
            return {axis: torch.export.Dim.DYNAMIC for axis in sorted(next(free)) if kept(axis)}

        shapes = tree(one, self.trials[-1][0])
        given = tuple(shapes) if isinstance(self.trials[-1][0], list) else (shapes,)
        return (given,) if isinstance(self.module, Stateless) else given

    def example(self) -> tuple[Any, ...]:
        """The input to export with."""
        return arguments(self._example[0])

    def program(self, kept: Kept, module: torch.nn.Module) -> tuple[Any, list[tuple[Any, Any]]]:
        """Returns torch.export's program of the module, and trials of the sizes for which it may be wrong.

        It takes notes of the sizes that it thought of, often for a quick look at a layout. Those against sizes that the network
        takes are left out: the trials are to show whether these are right.
        """
        with _sizes_of_one():
            program = torch.export.export(module, self.example(), dynamic_shapes=self.shapes(kept))
        names, notes = inspect.signature(module.forward), [*program._guards_code]
        doubted: list[tuple[Any, Any]] = []
        for sizes in self._choices(kept):
            made = self._resized(sizes, _imagined)
            space = {"L": names.bind(*(made if isinstance(made, list) else [made])).arguments}
            wrong = {note for note in notes if not eval(note, {"math": math} | SYMPY_INTERP, space)}
            trials = [*self._ran([self._resized(sizes)])] if wrong else []
            if any(np.size(array) for _, output in trials for array in flat([output])):  # an output without steps is empty
                doubted += trials
                program._guards_code = [note for note in program._guards_code if note not in wrong]
        return program, doubted

    def _choices(self, kept: Kept) -> Iterator[dict[Size, int]]:
        """Sizes near and far: of each by itself, of those together that are alike in both examples, and of all."""
        free = self._free(kept)
        alike = [[size for size in free if size.pair == pair] for pair in {size.pair for size in free}]
        for some in (*([size] for size in free), *(some for some in alike if len(some) > 1), free):
            yield from (dict.fromkeys(some, n) for n in range(1, 13))
            yield {size: extrapolated_size(size.pair, 2 * max(size.pair)) for size in some}
            yield {size: extrapolated_size(size.pair, LEAST) for size in some}

    def gap(self, run: Callable[[list[Any]], list[Any]], kept: Kept, doubted: list[Any]) -> float:
        """The largest difference of what `run` gives, for all sizes of what is kept free; infinity where there are none."""
        worst, trials = 0.0, self._trials(kept)
        if len({repr(tree(np.shape, input)) for input, _ in trials}) < 2 and any(
            kept(axis) for axes in self.free for axis in axes
        ):
            return float("inf")  # the network itself takes no other size
        ranks = [*map(np.ndim, flat([self._example[1]]))]
        for input, output in [*trials, *doubted]:
            ours, theirs = flat([output]), flat([run(flat([input]))])
            if [*map(np.ndim, ours)] != ranks:  # our layers may drop a dimension of size 1, which the file has
                ours, theirs = ([value.reshape(-1) for value in values] for values in (ours, theirs))
            worst = max(worst, difference(ours, theirs))
        return worst


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Exporters talk; what they have to say is in their exceptions."""
    level = logging.root.manager.disable
    logging.disable(logging.CRITICAL)
    try:
        with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            warnings.simplefilter("ignore")
            yield
    finally:
        logging.disable(level)


def _sizes_of_one() -> AbstractContextManager[None]:
    """Sizes that vary may be 1 inside too: else exporters note, for a quick look at the layout, that no such file takes them."""
    config = torch.fx.experimental._config
    return config.patch(backed_size_oblivious=True) if hasattr(config, "backed_size_oblivious") else contextlib.nullcontext()


def _names(value: Any, stem: str, given: list[Any] | None = None) -> list[str]:
    """Names for what stands in a table, those that the nodes of a graph were given where there are."""
    count = len(flat([value]))
    names = [stem] if count == 1 else [f"{stem}{i}" for i in range(1, count + 1)]
    if given is None or len(given) != count:
        return names
    for i, name in enumerate(given):
        usable = re.sub(r"\W+", "_", name, flags=re.ASCII).strip("_")[:60] if isinstance(name, str) else ""
        if usable and usable not in names:
            names[i] = usable
    return names


def _end(net: Any, place: int) -> nngraph.gModule | None:
    """The graph that takes the input of a network (place 0), or gives its output (place -1)."""
    while not isinstance(net, nngraph.gModule):
        inner = getattr(net, "modules", None)
        if not inner or not isinstance(net, (nn.Sequential, nn.Decorator)):
            return None
        net = inner[place]
    return net


def input_names(net: Any) -> list[Any] | None:
    """The annotated names of the nodes that take the inputs, None where there is none."""
    if (graph := _end(net, 0)) is None:
        return None
    (first,) = graph.innode.children[:1] or [None]
    if graph.nInputs == 1:
        return [_name(first.data)] if first else None
    names: dict[Any, Any] = {
        part.data.get("selectindex"): _name(part.children[0].data) for part in first.children if part.children
    }
    return [names.get(i + 1) for i in range(graph.nInputs)]


def output_names(net: Any) -> list[Any] | None:
    """The annotated names of the nodes that give the outputs, None where there is none."""
    if (graph := _end(net, -1)) is None:
        return None
    sources = graph.outnode.data.get("mapindex", {})
    places = sorted(key for key in sources if isinstance(key, int)) if isinstance(sources, dict) else range(len(sources))
    return [_name(sources[place]) for place in places]


def _name(data: Any) -> Any:
    return data.get("annotations", {}).get("name") if isinstance(data, dict) else None


def to_onnx(net: Any, path: str | os.PathLike[str], example: Any, force: bool = False) -> Exported:
    """See `pytorch_legacy.to_onnx`."""
    import onnxruntime
    from onnxscript import optimizer
    from onnxscript.ir.passes import common

    if Path(path).suffix != ".onnx":
        raise ValueRangeError(f"{path}: expected a name that ends in .onnx")
    check_target(path)
    export = Export(net, example, force, change=written_out)
    inputs = _names(export.trials[0][0], "input", input_names(net))
    outputs = _names(export.trials[0][1], "output", output_names(net))
    outputs = [f"{name}_out" if name in inputs else name for name in outputs]

    def make(program: Any) -> bytes:
        with _sizes_of_one():
            made = torch.onnx.export(
                program,
                dynamo=True,
                input_names=inputs,
                output_names=outputs,
                opset_version=OPSET,
                verbose=False,
                optimize=False,  # the optimizer rounds numbers near 0 and 1 to 0 and 1
                custom_translation_table={torch.ops.aten.squeeze.dim: _squeezed},
            )
        optimizer.inline(made.model)
        optimizer.fold_constants(made.model)
        common.LiftConstantsToInitializersPass(lift_all_constants=True, size_limit=0)(made.model)
        optimizer.remove_unused_nodes(made.model)
        return bytes(made.model_proto.SerializeToString())

    def runner(model: bytes) -> Callable[[list[Any]], list[Any]]:
        quiet = onnxruntime.SessionOptions()
        quiet.log_severity_level = 4
        session = onnxruntime.InferenceSession(model, quiet, providers=["CPUExecutionProvider"])
        taken = {entry.name for entry in session.get_inputs()}
        return lambda arrays: session.run(outputs, {k: v for k, v in zip(inputs, arrays, strict=True) if k in taken})

    return _written(export, path, inputs, {"dynamo": export.module}, make, runner)


def _squeezed(x: Any, dim: int) -> Any:
    """torch.squeeze in ONNX, where a file's arrays do not change their rank: a size that may come to be 1 stays."""
    from onnxscript import opset18

    return opset18.Squeeze(x, [dim]) if x.shape[dim] == 1 else opset18.Identity(x)


def to_pt2(net: Any, path: str | os.PathLike[str], example: Any, force: bool = False) -> Exported:
    """See `pytorch_legacy.to_pt2`."""
    if Path(path).suffix != ".pt2":
        raise ValueRangeError(f"{path}: expected a name that ends in .pt2")
    check_target(path)
    export = Export(net, example, force, change=by_masks)

    def make(program: Any) -> bytes:
        file = io.BytesIO()
        torch.export.save(program, file)
        return file.getvalue()

    def runner(model: bytes) -> Callable[[list[Any]], list[Any]]:
        module = torch.export.load(io.BytesIO(model)).module()
        places = iter(range(10**6))
        pattern = tree(lambda _: next(places), export.trials[0][0])

        def run(arrays: list[Any]) -> list[Any]:
            with torch.no_grad():
                return flat([module(*arguments(tree(lambda place: arrays[place], pattern)))])

        return run

    inputs = _names(export.trials[0][0], "input", input_names(net))
    ways = {"torch.export": export.module}
    if (looped := with_loops(export.module)) is not None:
        ways["torch.export, step by step"] = looped  # slower, with any number of steps
    return _written(export, path, inputs, ways, make, runner)


def _written(
    export: Export,
    path: Any,
    inputs: list[str],
    ways: dict[str, torch.nn.Module],
    make: Callable[[Any], bytes],
    runner: Callable[[bytes], Any],
) -> Exported:
    """Writes the first module that gives our numbers and keeps all sizes free, or as many dimensions as any one does."""
    attempts = _Attempts(export, inputs, ways, make, runner)
    free = sorted(set().union(*export.free))
    found = attempts.run(free) or _fewer_free(attempts, free)
    if found is None:
        problems = dict.fromkeys(attempts.problems)
        lacks = any("NOT_IMPLEMENTED" in problem for problem in problems) and export.isDouble
        advice = "; onnxruntime has not all layers in double precision: export net.clone().float()" if lacks else ""
        raise Differs(f"{path}: no exporter gives the network's numbers; {'; '.join(problems)}{advice}")
    exported, model = found
    with whole(path) as file:
        file.write(model)
    return exported


def _fewer_free(attempts: _Attempts, free: list[int]) -> tuple[Exported, bytes] | None:
    """Returns the model that keeps the most of these dimensions free, which are added one by one; None if there is none."""
    axes: list[int] = []
    found = None
    for axis in free:
        if [*axes, axis] != free and (more := attempts.run([*axes, axis])):
            axes, found = [*axes, axis], more
    return found or (attempts.run([]) if free else None)


class _Attempts:
    """Exports of a network with some dimensions free, by one exporter after the other.

    Attributes
    ----------
    problems : list of str
        The reasons why exporters failed.
    """

    def __init__(
        self,
        export: Export,
        inputs: list[str],
        ways: dict[str, torch.nn.Module],
        make: Callable[[Any], bytes],
        runner: Callable[[bytes], Any],
    ) -> None:
        self._export, self._inputs, self._ways, self._make, self._runner = export, inputs, ways, make, runner
        self.problems: list[str] = []

    def run(self, axes: list[int]) -> tuple[Exported, bytes] | None:
        """Returns the first model that gives our numbers and keeps these dimensions free; None if no exporter makes one."""
        for way, module in self._ways.items():
            try:
                model, gap = self._model(axes.__contains__, module)
            except Exception as error:  # exporters raise anything
                self.problems.append(f"{way}: {_told(error)}")
                continue
            if gap <= TOLERANCE or (self._export.force and np.isfinite(gap)):
                return Exported(way, gap, self._fixed(axes)), model
            self.problems.append(f"{way}: differs by {gap:.2g}")
        return None

    def _model(self, kept: Kept, module: torch.nn.Module) -> tuple[bytes, float]:
        """Returns the bytes of the exported module, and the largest difference of its numbers from ours."""
        with _quiet():
            program, doubted = self._export.program(kept, module)
            model = self._make(program)
            return model, self._export.gap(self._runner(model), kept, doubted)

    def _fixed(self, axes: list[int]) -> list[str]:
        """Returns the names of the dimensions that could be free, and are not among `axes`."""
        pairs = zip(self._inputs, self._export.free, strict=True)
        return [f"{name}: dimension {axis}" for name, free in pairs for axis in sorted(free) if axis not in axes]


def _told(error: BaseException) -> str:
    """Returns the cause of an exporter's failure, in a line: the first of the exceptions that led to it."""
    while error.__cause__ is not None:
        error = error.__cause__
    text = " ".join(_COLORS.sub("", str(error)).split())
    return f"{type(error).__name__}: {text if len(text) <= _LONGEST else f'{text[:_LONGEST]}...'}"
