"""Embeds libTHNN with ctypes alone: pools a 4 x 4 image to 2 x 2, scores it with a linear layer, sends a gradient
back, makes a mistake.

    python embed.py [path of libTHNN.so]
"""

import ctypes
import math
import sys
from ctypes import POINTER, byref, c_double, c_float, c_int32, c_int64, c_uint32

thnn = ctypes.CDLL(sys.argv[1] if len(sys.argv) > 1 else "libTHNN.so.1")
thnn.THNN_lastError.restype = ctypes.c_char_p  # all others return a status, which is what ctypes expects


class THFloatTensor(ctypes.Structure):
    """The struct of THNN.h, field by field. It borrows its memory; its `data` keeps the array alive."""

    _fields_ = [
        ("data", POINTER(c_float)),
        ("size", c_int64 * 8),
        ("stride", c_int64 * 8),
        ("nDimension", c_int32),
        ("flags", c_uint32),
    ]


def floats(*values):
    return (c_float * len(values))(*values)


def view(array, *shape):
    """The array's elements in row-major order."""
    strides = [math.prod(shape[d + 1 :]) for d in range(len(shape))]
    data = ctypes.cast(array, POINTER(c_float))
    return THFloatTensor(data, (c_int64 * 8)(*shape), (c_int64 * 8)(*strides), len(shape), 0)


def call(name, *arguments):
    """Call a float layer: tensors go by reference, sizes as int64_t, other numbers as double."""
    kinds = {THFloatTensor: byref, int: c_int64, float: c_double}
    status = getattr(thnn, f"THNN_Float{name}")(*(kinds.get(type(a), lambda a: a)(a) for a in arguments))
    if status:
        raise RuntimeError(f"error {status}: {thnn.THNN_lastError().decode()}")


def show(name, array):
    print(f"{name:10}", *(f"{x:g}" for x in array))


assert thnn.THNN_checkVersion(1) == 0  # the ABI that the struct above was written for

image = view(floats(*range(16)), 1, 4, 4)
weight, bias = view(floats(1, 0, 0, -1, 0, 2, -2, 0), 2, 4), view(floats(11, 20), 2)

# Forward. The host makes room for each output and can ask how much; None is the default state.
size = (c_int64 * 8)()
call("SpatialAdaptiveAveragePooling_outputSize", image, 2, 2, size)
pooled, scores = (c_float * math.prod(size[:3]))(), (c_float * 2)()
planes, flat = view(pooled, *size[:3]), view(pooled, 4)  # one memory, two shapes
call("SpatialAdaptiveAveragePooling_updateOutput", None, image, planes, 2, 2)
call("Linear_updateOutput", None, flat, view(scores, 2), weight, bias)
show("pooled", pooled)
show("scores", scores)

# Backward: updateGradInput overwrites, accGradParameters adds (ctypes clears what it makes).
gradPooled, gradPixels, gradWeights, gradBiases = ((c_float * n)() for n in (4, 16, 8, 2))
gradScores = view(floats(1, -1), 2)
call("Linear_updateGradInput", None, flat, gradScores, view(gradPooled, 4), weight)
call("Linear_accGradParameters", None, flat, gradScores, view(gradWeights, 2, 4), view(gradBiases, 2), 1.0)
call("SpatialAdaptiveAveragePooling_updateGradInput", None, image, view(gradPooled, 1, 2, 2), view(gradPixels, 1, 4, 4))
show("gradImage", gradPixels)
show("gradWeight", gradWeights)

# A mistake: the output has not the shape that was asked for. Nothing has been written, and the process lives on.
try:
    call("SpatialAdaptiveAveragePooling_updateOutput", None, image, planes, 3, 3)
except RuntimeError as error:
    print(error)
