"""Dimensions in another order."""

import numpy as np

from pytorch_legacy import nn
from pytorch_legacy.errors import ArgumentError, DtypeError, ShapeError, ValueRangeError
from tests.case import Case, ErrorRow, normal

CASTS = ("wrong_dtype",)  # an input of another dtype is what it is for

CASES = [
    Case("dtype", lambda: nn.Convert(), normal(3, 4), lambda m, x: x, singleSample=False, skip=CASTS),
    Case("bhwc", lambda: nn.Convert("bchw", "bhwc"), normal(2, 3, 4, 5), lambda m, x: x.transpose(0, 2, 3, 1), skip=CASTS),
    Case(
        "turned", lambda: nn.Convert("tbf", "bft"), normal(4, 3, 5), lambda m, x: x.transpose(1, 2, 0), batched=False, skip=CASTS
    ),
    Case(
        "sample", lambda: nn.Convert("chw", "hwc"), normal(3, 4, 5), lambda m, x: x.transpose(1, 2, 0), batched=False, skip=CASTS
    ),
    Case("bf", lambda: nn.Convert("bchw", "bf"), normal(2, 3, 4, 5), lambda m, x: x.reshape(len(x), -1), skip=CASTS),
    Case("bf_sample", lambda: nn.Convert("bchw", "bf"), normal(3, 4, 5), lambda m, x: x.reshape(-1), batched=False, skip=CASTS),
    Case(
        "bf_swapped",
        lambda: nn.Convert("chwb", "bf"),
        normal(2, 3, 4, 5),
        lambda m, x: x.transpose(3, 1, 2, 0).reshape(5, -1),
        batched=False,  # the last dimension is the batch
        skip=CASTS,
    ),
    Case("bf_scalars", lambda: nn.Convert("b", "bf"), normal(5), lambda m, x: x[:, None], singleSample=False, skip=CASTS),
    Case("bf_two", lambda: nn.Convert("bc", "bf"), normal(5, 3), lambda m, x: x, skip=CASTS),
    Case("first", lambda: nn.Convert("bt", "b"), normal(5, 3), lambda m, x: x[:, 0], singleSample=False, skip=CASTS),
    Case("first_of_columns", lambda: nn.Convert("tb", "b"), normal(3, 5), lambda m, x: x[0], batched=False, skip=CASTS),
    Case("feature", lambda: nn.Convert("bf", "b"), normal(5, 1), lambda m, x: x[:, 0], singleSample=False, skip=CASTS),
    Case("column", lambda: nn.Convert("b", "bt"), normal(5), lambda m, x: x[:, None], singleSample=False, skip=CASTS),
]


def wrong(name, *shapes):
    return ErrorRow(name, lambda: None, lambda _: nn.Convert(*shapes), ValueRangeError, r"nn\.Convert: ")


ERRORS = [
    wrong("only_output", None, "bf"),
    wrong("any_to_some", "b*", "bf"),
    wrong("bt_to_bf", "bt", "bf"),
    wrong("planes_to_b", "bchw", "b"),
    wrong("bf_to_bt", "bf", "bt"),
    wrong("other_letters", "bchw", "bthw"),
    wrong("twice", "bcc", "bccb"),
    ErrorRow("rank", lambda: nn.Convert("bchw", "bf"), lambda m: m.forward(np.zeros((2, 3), "f")), ShapeError, "'bchw'"),
    ErrorRow("features", lambda: nn.Convert("bf", "b"), lambda m: m.forward(np.zeros((2, 3), "f")), ShapeError, "one feature"),
    ErrorRow("table", lambda: nn.Convert(), lambda m: m.forward([1]), DtypeError, "expected a float32 array"),
    ErrorRow("kind", lambda: None, lambda _: nn.Convert(3), ArgumentError, "inputShape: expected a string or None, got 3"),
    ErrorRow(
        "no_input",
        lambda: nn.Convert(),
        lambda m: m.backward(None, np.zeros(3, "f")),
        DtypeError,
        "input: expected a float32 array, got None",
    ),
    ErrorRow(
        "another_input",
        lambda: nn.Convert("bchw", "bf"),
        lambda m: m.backward(np.zeros((2, 3, 4, 5), "f"), np.zeros((2, 48), "f")),
        ShapeError,
        "gradOutput: expected 2 x 60, got 2 x 48",
    ),
    ErrorRow(
        "no_steps",
        lambda: nn.Convert("bt", "b"),
        lambda m: m.forward(np.zeros((2, 0), "f")),
        ShapeError,
        "input: expected at least one step, got 0",
    ),
]
