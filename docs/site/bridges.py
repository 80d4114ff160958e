"""A class's form in PyTorch and ONNX: the lines that the bridge writes for the example, if torch is installed."""

from __future__ import annotations

import copy
import io
import logging
import os
import re
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from importlib.util import find_spec
from typing import Any

import numpy as np

import pytorch_legacy as pl
from docs.site.example import Example, leaves
from pytorch_legacy.errors import THNNError

HAS_TORCH = find_spec("torch") is not None
HAS_ONNX = HAS_TORCH and find_spec("onnx") is not None


def pytorch(one: Example) -> tuple[str, Any]:
    """The lines, and the module that they make; where there is none, the reason why and None."""
    examples = [one.input, one.input] if one.target is None else [[one.input, one.target]] * 2
    try:
        with warnings.catch_warnings(), redirect_stdout(io.StringIO()):
            warnings.simplefilter("ignore")
            module = pl.to_torch(copy.deepcopy(one.module), examples)
    except THNNError as error:
        return str(error), None
    return _lines(module.source), module


def _lines(source: str) -> str:
    """Returns the text between the imports and ``load()``: helpers, the fields, and the body of ``forward()``."""
    text = source[: source.index("\n\n\ndef load(")]
    helpers, _, body = text.partition("class Net(nn.Module):\n")
    helpers = helpers.partition("from torch import nn\n")[2].strip()
    fields, _, forward = body.partition("    def forward(")
    fields = re.sub(r"^ {8}", "", fields.partition("super().__init__()\n")[2], flags=re.M).strip("\n")
    steps = re.sub(r"^ {8}", "", forward.partition("\n")[2], flags=re.M).strip("\n")
    steps = re.sub(r"\nreturn (\w+)$", lambda last: "" if f"\n{last[1]} = " in f"\n{steps}" else last[0], steps)
    return "\n\n".join(part for part in (helpers, fields, steps) if part and part != "pass")


def onnx(module: Any, one: Example) -> list[str] | None:
    """The operators of ONNX that PyTorch's exporters make of the module, in order; None if they take it not."""
    import torch

    given = one.input if one.target is None else [one.input, one.target]
    if isinstance(given, list) and any(isinstance(entry, (list, tuple, dict)) for entry in given):
        given = leaves(given)
    tensors = tuple(torch.from_numpy(np.array(leaf)) for leaf in leaves(given))
    for way in (_older, _newer):
        try:
            with silence(), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                return [node.op_type for node in way(module, tensors).node if node.op_type not in ("Constant", "Identity")]
        except Exception:  # exporters have errors of many kinds
            continue
    return None


def _older(module: Any, tensors: tuple[Any, ...]) -> Any:
    """Takes a thirtieth of the time of the newer one, and does without some operators."""
    import onnx
    import torch

    file = io.BytesIO()
    torch.onnx.export(module, tensors, file, dynamo=False, opset_version=18)
    return onnx.load_from_string(file.getvalue()).graph


def _newer(module: Any, tensors: tuple[Any, ...]) -> Any:
    import torch

    return torch.onnx.export(module, tensors, dynamo=True, opset_version=18, verbose=False).model_proto.graph


@contextmanager
def silence() -> Iterator[None]:
    """Nothing reaches the terminal, from C++ neither."""
    kept = [os.dup(1), os.dup(2)]
    logging.disable(logging.ERROR)
    try:
        sys.stdout.flush()
        with open(os.devnull, "w") as nowhere:
            os.dup2(nowhere.fileno(), 1)
            os.dup2(nowhere.fileno(), 2)
            yield
    finally:
        sys.stdout.flush()
        for place, old in zip((1, 2), kept, strict=True):
            os.dup2(old, place)
            os.close(old)
        logging.disable(logging.NOTSET)
