"""``pytorch-legacy inspect``: print the content of a .t7 file."""

from __future__ import annotations

import argparse
import json
import os
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

import pytorch_legacy as pl
from pytorch_legacy.errors import DtypeError, ShapeError, T7Error, T7Warning, THNNError
from pytorch_legacy.files import migration, t7
from pytorch_legacy.inference import expected, inputs, models, programs
from pytorch_legacy.inference.output import say
from pytorch_legacy.inference.problem import Problem
from pytorch_legacy.inference.progress import busy
from pytorch_legacy.interop import Visit, places
from pytorch_legacy.nn import listing
from pytorch_legacy.nn.Module import Module
from pytorch_legacy.nn.summary import Summary

from . import describe, inspect_program
from .describe import Class, Entry
from .options import add_lua, whole

HELP = "print the content of a .t7 file, or of a program"
DESCRIPTION = (
    """\
Print the content of a .t7 file: tables and tensors as a tree, each network as a
table of modules, the classes that are not known, and the functions. Of a program
(.thnn), print its sizes, labels and calls.

  pytorch-legacy inspect digits.t7
  pytorch-legacy inspect digits.t7 --input 1x8x8       add the output shape and the
                                                       operations of each module
  pytorch-legacy inspect two.t7 --input 1x3x32x32,1x10:int
                                                       use a network with two inputs
  pytorch-legacy inspect old.t7 --verbose              list fields of old versions
                                                       that were converted
  pytorch-legacy inspect opt.t7 --all --fields         print everything

With --input the network runs on zeros. Operations are multiply-adds, comparisons
or function calls. Places count from 1, as Torch7 prints them: model.3 is the third
module of the network "model". --model takes each place that is printed, and the
names that loadcaffe gave to modules (conv1_1).

"""
    + inputs.GRAMMAR
    + "\n"
)
_DEPTH, _MOST, _MOST_ROWS = 3, 30, 1000


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE.t7", help="binary or ASCII file of Torch7, or a .thnn file")
    parser.add_argument("--input", metavar="SIZES", help="input of the network, such as 1x32x32 or 1x3x32x32,1x10:int")
    parser.add_argument("--model", metavar="PLACE", help="only this network or module, such as protos.rnn or model.3")
    parser.add_argument("--depth", type=whole("--depth", 0), metavar="N", help=f"levels of tables to print (default: {_DEPTH})")
    parser.add_argument(
        "--all", action="store_true", help=f"print all entries and levels of tables (default: the first {_MOST} entries)"
    )
    parser.add_argument(
        "--fields",
        action="store_true",
        help="print the fields of modules (dimensions and indices count from 0, as in Python), and those of objects of unknown "
        "classes (as in the file)",
    )
    parser.add_argument("--verbose", action="store_true", help="list the fields of old modules that were converted")
    parser.add_argument("--json", action="store_true", help="print JSON")
    add_lua(parser)


@dataclass
class Contents:
    """The content of a file, as far as it can be read."""

    value: Any
    objects: int = 1
    remarks: list[str] = field(default_factory=list)
    mended: list[Any] = field(default_factory=list)


def execute(options: argparse.Namespace) -> None:
    if not Path(options.file).exists():
        raise Problem(f"{options.file}: there is no such file")
    if Path(options.file).is_file() and programs.isProgram(options.file):
        inspect_program.execute(options)
        return
    with busy(f"reading {options.file}"):
        contents = read(options.file, options.lua)
    report = Report(options.file, contents, options)
    if options.json:
        print(json.dumps(report.data(), indent=1, allow_nan=False))
    else:
        for line in [*report.lines()]:  # whole, or not at all
            say(line)
    report.refuse()


def read(path: str, lua: Sequence[str] = ()) -> Contents:
    """The file with its modules if they can be made, else as it stands; all objects, or as many as can be read."""
    with migration.collect() as mended, warnings.catch_warnings():
        warnings.simplefilter("ignore", T7Warning)  # the report says the same
        try:
            return Contents(pl.load(path, lua=lua), mended=mended)
        except T7Error as error:
            first = error
        for objects in ("all", "first"):
            try:
                value = pl.load(path, objects=objects, lua=lua)  # type: ignore[arg-type]
            except T7Error:
                continue
            if objects == "all":
                return Contents(value, len(value), [f"{len(value)} objects, one after the other"], mended)
            return Contents(value, 1, [str(first)], mended)
    try:
        value = t7.read_all(path)
    except T7Error:
        raise first from None
    return Contents(value if len(value) > 1 else value[0], len(value), [f"shown as it stands in the file: {first}"])


class Report:
    """All that is said about a file."""

    def __init__(self, name: str, contents: Contents, options: argparse.Namespace) -> None:
        self.name, self.contents, self.options = name, contents, options
        value = contents.value
        self.networks: dict[str, Module] = dict(models.networks(value))
        self.ran: dict[str, tuple[dict[Any, Any] | None, str]] = {}
        self.root = places.ROOT  # the place of what is shown
        if options.model is not None:
            place, value = models.located(name, value, options.model)
            self.networks, self.root = {place: value}, place or places.ROOT
        depth = None if options.all and options.depth is None else _DEPTH if options.depth is None else options.depth
        self.depth = options.depth
        self.entries = describe.tree(value, depth, None if options.all else _MOST, options.fields)
        self.classes, self.functions = describe.contents(value)

    # ---- as text

    def lines(self) -> Iterator[str]:
        value = self.contents.value
        yield f"{self.name}: {describe.summary(value)}{self._size()}"
        for remark in self.contents.remarks:
            yield f"  note: {remark}"
        yield from self._tree_lines()
        if isinstance(value, np.ndarray) and value.size:
            yield from np.array2string(value[:1000], threshold=100, edgeitems=3).split("\n")
        for place, module in self.networks.items():
            yield ""
            yield from self._network_lines(place, module)
        for unknown in self.classes:
            yield from self._class_lines(unknown)
        for visit, function in self.functions[: None if self.options.all else _MOST]:
            yield f"function: {describe.function_line(visit, function, self._place(visit))}"
        if len(self.functions) > _MOST and not self.options.all:
            yield f"function: ... and {len(self.functions) - _MOST} more"
        if self.contents.mended:
            if self.options.verbose:
                yield "mended on the way in:"
                yield from self._mended_lines()
            else:
                count = len(self.contents.mended)
                found = "1 field of old versions was" if count == 1 else f"{count} fields of old versions were"
                yield f"{found} mended; --verbose lists them"
        elif self.options.verbose:
            yield "mended on the way in: nothing"

    def _place(self, visit: Visit) -> str:
        return places.text(visit, self.root)

    def _mended_lines(self) -> Iterator[str]:
        """Yields a line for all repairs of one kind."""
        alike: dict[tuple[str, str, str], list[str]] = {}
        for entry in self.contents.mended:
            alike.setdefault((entry.typename, entry.field, entry.what), []).append(entry.path)
        for (typename, name, what), paths in alike.items():
            times = f"{len(paths)} times, first at " if len(paths) > 1 else "at "
            yield f"  {typename}: {name}: {what}" + f" ({times}{places.from_lua(paths[0])})" * bool(paths[0])

    def _shapes(self, place: str, module: Module) -> tuple[dict[Any, Any] | None, str]:
        """Returns the modules' outputs for the input, or why they cannot run. A network that is alone has to run."""
        if not self.options.input:
            return None, ""
        if place not in self.ran:
            try:
                self.ran[place] = run(module, self.options.input), ""
            except (THNNError, Problem) as error:
                if len(self.networks) == 1:
                    raise
                self.ran[place] = None, str(error)
        return self.ran[place]

    def refuse(self) -> None:
        """Raises a Problem that names the networks that do not take the input."""
        if self.options.input and not self.networks:
            raise Problem(f"{self.name}: --input: expected a network in this file, got none")
        failed = {place: problem for place, (_, problem) in self.ran.items() if problem}
        if failed:
            first, problem = next(iter(failed.items()))
            names = ", ".join(failed) if len(failed) < 6 else f"{first} and {len(failed) - 1} more"
            raise Problem(f"{self.name}: {names} of {len(self.networks)} networks: {problem}; --model {first} shows one alone")

    def _size(self) -> str:
        return f", {os.path.getsize(self.name):,} bytes" if os.path.isfile(self.name) else ""

    def _tree_lines(self) -> Iterator[str]:
        widths: dict[int, int] = {}
        for entry in self.entries[1:]:
            widths[entry.parent] = max(widths.get(entry.parent, 0), min(len(entry.key), 24))
        open_entries: list[Entry] = []
        for entry in self.entries[1:]:
            while open_entries and open_entries[-1].depth >= entry.depth:
                yield from self._left_out(open_entries.pop())
            open_entries.append(entry)
            indent = "  " * min(entry.depth, 40)
            yield f"{indent}{entry.key:{widths[entry.parent]}}  {self._text(entry)}"
        while open_entries:
            yield from self._left_out(open_entries.pop())
        yield from self._left_out(self.entries[0])

    def _left_out(self, entry: Entry) -> Iterator[str]:
        if entry.left_out:
            yield "  " * min(entry.depth + 1, 40) + f"... and {entry.left_out} more (--all)"

    def _text(self, entry: Entry) -> str:
        if entry.same is not None:
            where = self._place(self.entries[entry.same].place)
            return f"-> {where}, which it stands in" if entry.place.cyclic else f"-> the same as {where}"
        text = entry.text
        return text if entry.shares is None else f"{text}, shares the memory of {self._place(self.entries[entry.shares].place)}"

    def _network_lines(self, place: str, module: Module) -> Iterator[str]:
        shapes, problem = self._shapes(place, module)
        header, rows = listing.table(module, shapes, self.depth, None if self.options.all else _MOST_ROWS, place)
        total = listing.count(module)
        yield f"{place or places.ROOT}: {module._typename}, {total:,} parameters, {module._dtype}"
        yield from (f"  {line}" for line in Summary("", header, rows).lines())
        if shapes:
            ran = {number: found for number, found in shapes.items() if number != "input"}
            operations = sum(found[2] for found in ran.values() if not getattr(found[0], "modules", None))
            yield f"  total: {total:,} parameters, {operations:,} operations for an input of {shapes['input']}"
        elif problem:
            yield f"  does not run: {problem}"
        elif takes := expected.expected(module):
            yield f"  expects {takes.sentence()}"
        if reason := listing.endless(module):
            yield f"  cannot run: {reason}"

    def _class_lines(self, unknown: Class) -> Iterator[str]:
        times = f", {unknown.count} times" if unknown.count > 1 else ""
        yield f"not known: {unknown.typename}{times}, first at {self._place(unknown.first)}; its fields:"
        width = min(max(map(len, unknown.fields), default=0), 24)
        yield from (f"    {name:{width}}  {text}" for name, text in unknown.fields.items())
        verb = "use its fields" if unknown.role == "data" else "run it"
        yield f"  to {verb}, write it as a class and register that before loading (here: --classes FILE.py):"
        yield from (f"    {line}" for line in unknown.stub())

    # ---- as data

    def data(self) -> dict[str, Any]:
        entries = []
        for number, entry in enumerate(self.entries):
            told = {"id": number, "parent": entry.parent, "key": entry.key, "kind": entry.kind, "text": entry.text}
            told |= entry.extra
            for name, other in (("same_as", entry.same), ("shares_memory_with", entry.shares)):
                told |= {} if other is None else {name: other}
            told |= {"cyclic": True} if entry.place.cyclic else {}
            entries.append(told | ({"left_out": entry.left_out} if entry.left_out else {}))
        return {
            "file": self.name,
            "bytes": os.path.getsize(self.name) if os.path.isfile(self.name) else None,
            "objects": self.contents.objects,
            "remarks": self.contents.remarks,
            "entries": entries,
            "networks": [self._network_data(place, module) for place, module in self.networks.items()],
            "unknown_classes": [
                {
                    "typename": unknown.typename,
                    "role": unknown.role,
                    "count": unknown.count,
                    "first": self._place(unknown.first),
                    "fields": unknown.fields,
                    "stub": "\n".join(unknown.stub()),
                }
                for unknown in self.classes
            ],
            "functions": [
                {"place": self._place(visit), "bytes": len(function.bytecode), "language": describe.language(function)}
                | ({"method": effect} if (effect := describe.describe_effect(visit)) else {})
                for visit, function in self.functions
            ],
            "mended": [
                {"typename": entry.typename, "field": entry.field, "what": entry.what, "place": places.from_lua(entry.path)}
                for entry in self.contents.mended
            ],
        }

    def _network_data(self, place: str, module: Module) -> dict[str, Any]:
        shapes, problem = self._shapes(place, module)
        header, rows = listing.table(module, shapes, self.depth, None if self.options.all else _MOST_ROWS, place)
        return {
            "place": place,
            "typename": module._typename,
            "dtype": str(module._dtype),
            "parameters": listing.count(module),
            "modules": [dict(zip(header, row, strict=True)) for row in rows],
            "expected_input": None if shapes or problem or (takes := expected.expected(module)) is None else str(takes),
        } | ({"problem": problem} if problem else {})


def run(module: Module, text: str) -> dict[Any, Any]:
    """Run the network on zeros, as `run_on`, of the sizes that `--input` says; "input" -> them, as they were taken."""
    spec = expected.given(text, module)
    try:
        found = listing.run_on(module, inputs.candidates(spec, module))
    except (ShapeError, DtypeError) as problem:
        takes = expected.expected(module)
        words = "" if takes is None else f"; the network expects {takes.sentence()}"
        raise Problem(f"--input {text}: {problem}{words}") from None
    return found | {"input": listing.output_text(found["input"])}
