"""``pytorch-legacy inspect`` for a program: sizes, labels, preparation, and the calls of its lists."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pytorch_legacy.inference.output import say
from pytorch_legacy.inference.problem import Problem
from pytorch_legacy.inference.progress import busy
from pytorch_legacy.program import Program
from pytorch_legacy.program.decoding import decoded
from pytorch_legacy.program.listing import Listing, Number, Size
from pytorch_legacy.recording.recorder import Ref

_FOR_NETWORKS = ("input", "model", "depth", "fields", "verbose")


def execute(options: argparse.Namespace) -> None:
    """Prints the program of options.file."""
    for name in _FOR_NETWORKS:
        if getattr(options, name) not in (None, False):
            raise Problem(f"--{name}: is for .t7 files; {options.file} is a program")
    with busy(f"reading {options.file}"):
        program = Program.load(options.file)
        made = program._first
        lists = decoded(made.opened.bytes)
    data = _data(program, lists, Path(options.file).stat().st_size)
    if options.json:
        print(json.dumps(data, indent=1))
        return
    for line in [*_lines(options.file, data, options.all)]:
        say(line)


def _data(program: Program, lists: list[Listing], size: int) -> dict[str, Any]:
    notes = program._first.notes
    return {
        "program": str(program).removeprefix("Program: "),
        "bytes": size,
        "weights": notes.weights,
        "labels": program.labels,
        "preparation": program.preparation,
        "scores": notes.scores,
        "lists": [_list(program, one, known.modules) for one, known in zip(lists, notes.lists, strict=True)],
    }


def _list(program: Program, one: Listing, modules: list[int]) -> dict[str, Any]:
    inputs = one.inputs[: len(program._specs)]
    return {
        "inputs": [f"{ref.dtype} {_shape(ref)}" for ref in inputs],
        "least n": one.least,
        "later": one.isLater,
        "arena": _number(one.blocks[1].bytes),
        "calls": [
            {
                "module": _place(program, number),
                "function": call.name,
                "outputs": [_shape(ref) for ref in call.refs(call.writes)],
            }
            for call, number in zip(one.calls, modules, strict=False)
        ],
    }


def _place(program: Program, number: int) -> str:
    if number < 0:
        return "program"
    where, name = program._places[number]
    return ", ".join([*where, name])


def _shape(ref: Ref) -> str:
    return " x ".join(map(_number, ref.shape))


def _number(number: Number) -> str:
    if not isinstance(number, Size):
        return str(number)
    slope = "n" if number.b == 1 else f"{number.b} n"
    return f"{slope} + {number.a}" if number.a > 0 else f"{slope} - {-number.a}" if number.a else slope


def _lines(path: str, data: dict[str, Any], isAll: bool) -> Iterator[str]:
    lists = data["lists"]
    yield f"{path}: a program, {data['bytes']:,} bytes"
    yield f"  {data['program']}"
    if data["labels"]:
        names = data["labels"][:10]
        yield f"  labels: {', '.join(names)}" + (f" and {len(data['labels']) - 10} more" if len(data["labels"]) > 10 else "")
    if data["preparation"]:
        yield f"  preparation of pictures: {', '.join(f'{name} {value}' for name, value in data['preparation'].items())}"
    for number, one in enumerate(lists):
        inputs = ", ".join(one["inputs"]) + (", after an earlier run" if one["later"] else "")
        yield f"  list {number}: {inputs}; {len(one['calls'])} calls, arena of {one['arena']} bytes"
        if number and not isAll:
            continue
        width = max((len(call["module"]) for call in one["calls"]), default=0)
        for call in one["calls"]:
            yield f"    {call['module']:<{width}}  {call['function']}  {', '.join(call['outputs'])}".rstrip()
    if len(lists) > 1 and not isAll:
        yield "  --all prints the calls of all lists"
