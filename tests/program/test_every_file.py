"""Programs come back from files, bit for bit, in Python and in C: those of the bridges' tests.

Those of the golden files are checked in test_golden.py, which compiles them.
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pytorch_legacy as pl
from pytorch_legacy.arrays import tree
from pytorch_legacy.errors import CompileError, THNNError
from pytorch_legacy.program.decoding import decoded, notes_in
from pytorch_legacy.program.encoding import encoded
from pytorch_legacy.program.inputs import Source
from pytorch_legacy.program.listing import places
from tests.capi import lib
from tests.program import encoding

RUNS = 3  # in a row: recurrent networks keep a state


class FileProgram(encoding.Program):
    """A program that C opens from a file."""

    def __init__(self, path: Path) -> None:
        self.handle = ctypes.c_void_p()
        encoding.check(lib.THNN_openProgramFile(os.fsencode(path), ctypes.byref(self.handle)))


class Failure(str):
    """The text of an error, in the place of an output."""


def outcome(program: Any, input: Any) -> Any:
    """The output for an input, or the error."""
    try:
        return program(input)
    except THNNError as error:
        return Failure(f"{type(error).__name__}: {error}")


def bits(value: Any) -> Any:
    """A table with the types and bytes of its leaves, so that == compares all of it."""
    if isinstance(value, (list, tuple)):
        return type(value), [bits(entry) for entry in value]
    if isinstance(value, dict):
        return {key: bits(entry) for key, entry in value.items()}
    return (value.dtype, value.shape, value.tobytes()) if isinstance(value, np.ndarray) else (type(value), repr(value))


def bits_from_c(program: FileProgram, input: Any, order: list[int]) -> list[bytes]:
    """The bytes of the outputs of a program in C, in the order of the leaves of the output in Python."""
    arrays = [np.asarray(leaf) for leaf in tree.leaves(input)]
    outputs = program(*(array if array.ndim else array.reshape(1) for array in arrays))
    return [outputs[place].tobytes() for place in order]


def wrong(program: Any, inputs: list[Any], folder: Path) -> str:
    """The first difference after a program was saved and read; "" if there is none."""
    expected = []
    for input in inputs:
        program.forget()
        expected.append([outcome(program, input) for _ in range(RUNS)])
    if any(isinstance(output, Failure) for output in expected[0]):
        return f"the program fails: {expected[0]}"
    path = folder / "net.thnn"
    program.save(path)
    content = path.read_bytes()
    if bytes(encoded(decoded(content), notes=notes_in(content))) != content:
        return "its lists, read and written again, are other bytes"
    read, inC = pl.Program.load(path), FileProgram(path)
    order = places(program._first.notes.output)
    for input, outputs in zip(inputs, expected, strict=True):
        read.forget()
        inC.forget()
        for number, output in enumerate(outputs):
            if bits(outcome(read, input)) != bits(output):
                return f"run {number} differs in Python"
            leaves = [*tree.leaves(output)]
            if all(isinstance(leaf, np.ndarray) for leaf in leaves) and bits_from_c(inC, input, order) != [
                leaf.tobytes() for leaf in leaves
            ]:
                return f"run {number} differs in C"
    return ""


def reversed_rows(input: Any) -> Any:
    """The input with its rows in the opposite order, a view."""
    return tree.map_arrays(lambda array: array[::-1] if array.ndim else array, input)


def programs_of_bridges() -> Iterator[tuple[str, Any, list[Any]]]:
    """The programs, with inputs of two batches where the batch is free."""
    from tests.program.test_bridge_networks import NETWORKS

    for name, (make, example) in NETWORKS.items():
        net = make().evaluate()
        arrays = [leaf for leaf in tree.leaves(example) if isinstance(leaf, np.ndarray)]
        if any(array.dtype == np.float64 for array in arrays):
            net.double()
        try:
            program = pl.compile(net, example)
        except CompileError:
            continue  # test_bridge_networks tells which
        if arrays:
            yield name, program, [example, reversed_rows(example)]
            continue
        source = Source(program._table, net)
        both = [*zip(program._specs, program._axes, strict=True)]
        shapes = [[tuple(n if d == axis else size for d, size in enumerate(spec.shape)) for spec, axis in both] for n in (1, 3)]
        yield name, program, [source.filled(source.arrays(one)) for one in shapes]


def test_networks_of_the_bridges(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    found = {name: wrong(program, inputs, tmp_path) for name, program, inputs in programs_of_bridges()}
    assert len(found) > 40
    differing = {name: what for name, what in found.items() if what}
    assert not differing, "\n".join(f"{name}: {what}" for name, what in differing.items())
