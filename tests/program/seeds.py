"""Writes small programs for fuzz_program.c: one for each function of libTHNN that programs can call, and some networks.

``python -m tests.program.seeds FOLDER``
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

from tests import capi
from tests.capi import is_tensor, is_written
from tests.program.encoding import (
    ARENA,
    CONSTANTS,
    INPUT,
    NULL,
    OUTPUT,
    TYPES,
    B,
    D,
    F,
    L,
    call,
    calls,
    double,
    integer,
    port,
    program,
    tensor,
    text,
)

N = (0, 1)


def of_function(function: capi.Function, real: str) -> bytes:
    """A valid call: the first tensor that is read is an input, the first one that is written an output."""
    one = capi.valid(function, real, capi.SIZES | {"N": 2})
    constants, arena = b"", 0
    inputs: list[bytes] = []
    outputs: list[bytes] = []
    arguments: list[bytes] = []
    for argument in function.arguments[1:]:
        if not is_tensor(argument):
            value = one.values[argument.name]
            arguments.append(double(float(value)) if argument.type == "double" else integer(int(value)))
            continue
        array = one.arrays[argument.name]
        kind, shape = TYPES[array.dtype], array.shape
        if is_written(argument) and not outputs:
            outputs.append(port(kind, *shape))
            arguments.append(tensor(kind, OUTPUT, *shape))
        elif is_written(argument):
            arguments.append(tensor(kind, ARENA, *shape, offset=arena))
            arena += -(-array.nbytes // 64) * 64
        elif not inputs:
            inputs.append(port(kind, *shape))
            arguments.append(tensor(kind, INPUT, *shape))
        else:
            arguments.append(tensor(kind, CONSTANTS, *shape, offset=len(constants)))
            constants += array.tobytes() + bytes(-array.nbytes % 64)
    step = call(real + function.name, *arguments)
    return program(calls(arena=arena, inputs=inputs, outputs=outputs, calls=[step]), constants=constants)


def array_steps() -> dict[str, tuple[list[bytes], bytes]]:
    """Arguments of each array function for inputs of n x 3 floats, a vector of 3 longs and n x 3 bytes, and a type of output."""
    x, y = tensor(F, INPUT, N, 3), tensor(F, OUTPUT, N, 3)
    doubles, indices, truth = tensor(D, ARENA, N, 3), tensor(L, INPUT, 3, index=1), tensor(B, INPUT, N, 3, index=2)
    row = tensor(F, CONSTANTS, N, 3, strides=(0, 1))
    return {
        "arrayFill": ([y, double(3)], y),
        "arrayCopy": ([x, doubles], y),
        "arrayMap": ([x, y, integer(4)], y),
        "arrayApply": ([x, row, y, integer(2)], y),
        "arrayReduce": ([x, tensor(F, OUTPUT, N, 1), integer(0)], y),
        "arrayReduceIndex": ([x, tensor(L, ARENA, N, 1), integer(1), integer(2)], y),
        "arrayScan": ([x, y, integer(1)], y),
        "arrayProduct": ([x, tensor(F, CONSTANTS, 3, 3), y], y),
        "arrayTake": ([x, indices, tensor(F, OUTPUT, N, 3), integer(1)], y),
        "arrayPut": ([x, indices, y, integer(1), integer(1)], y),
        "arrayChoose": ([truth, x, row, y], y),
        "arrayIota": ([tensor(F, OUTPUT, 3), double(1), double(2)], y),
        "arrayWithin": ([x, double(-1e30), double(1e30), text(b"input")], y),
    }


def networks() -> dict[str, bytes]:
    inputs = [port(F, N, 3), port(L, 3), port(B, N, 3)]
    constants = np.arange(16, dtype=np.float32).tobytes() + np.ones(64, np.float32).tobytes()
    steps = {name: call(name, *arguments) for name, (arguments, _) in array_steps().items()}
    together = [
        call("FloatLinear_updateOutput", tensor(F, INPUT, N, 3), tensor(F, ARENA, N, 3), tensor(F, CONSTANTS, 3, 3), NULL)
    ]
    together += [
        call("FloatThreshold_updateOutput", tensor(F, ARENA, N, 3), tensor(F, ARENA, N, 3), double(0), double(0), integer(1))
    ]
    together += [steps[name] for name in ("arrayWithin", "arrayScan", "arrayPut")]

    def one(list_: list[bytes], least: int = 1) -> bytes:
        return calls(least=least, arena=(64, 24), inputs=inputs, outputs=[port(F, N, 3)], calls=list_)

    found = {name: program(one([step]), constants=constants) for name, step in steps.items()}
    found["together"] = program(one(together), constants=constants)
    found["recurrent"] = program(recurrent(), recurrent(later=1), states=1, notes=b"label a\n")
    found["two lists"] = program(one(together[:2], 2), one(list(steps.values())), constants=constants)
    return found


def recurrent(later: int = 0) -> bytes:
    """A list whose second output, a state, is the sum of all inputs so far."""
    before = tensor(F, INPUT, N, 3, index=1) if later else tensor(F, ARENA, N, 3)
    after = tensor(F, OUTPUT, N, 3, index=1)
    steps = [
        call("arrayFill", tensor(F, ARENA, N, 3), double(0)),
        call("arrayApply", tensor(F, INPUT, N, 3), before, after, integer(0)),
        call("FloatAbs_updateOutput", after, tensor(F, OUTPUT, N, 3)),
    ]
    ports = [port(F, N, 3)] * 2
    return calls(least=1, later=later, arena=(0, 12), inputs=ports[: 1 + later], outputs=ports, calls=steps)


def seeds() -> dict[str, bytes]:
    functions = [f for f in capi.GENERIC if not capi.asks(f)]
    reals = {f.name: ("Float", "Double")[i % 2] for i, f in enumerate(functions)}
    return {f.name: of_function(f, reals[f.name]) for f in functions} | networks()


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for name, data in seeds().items():
        (folder / name).write_bytes(data)
