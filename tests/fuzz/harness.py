"""The fuzzer's treatment of an input, and its demand: a T7Error, or a value that can be inspected."""

from __future__ import annotations

import argparse
import contextlib
import json
from typing import Any
from unittest import mock

import numpy as np

import pytorch_legacy as pl
from pytorch_legacy import interop, t7
from pytorch_legacy.cli.inspect import Contents, Report
from pytorch_legacy.inference import expected
from pytorch_legacy.objects import Object

_OPTIONS = argparse.Namespace(input=None, model=None, depth=None, all=False, fields=True, verbose=True, json=False)


def examine(content: bytes) -> bool:
    """Read `content` in every way and look at what comes; tell whether it could be loaded.

    Only T7Error may be raised inside. Anything else passes through: it is a finding.
    """
    for longSize in ("auto", 4, 8):
        with contextlib.suppress(t7.T7Error):
            t7.read_all(content, longSize=longSize)
    with contextlib.suppress(t7.T7Error):
        pl.load(content, objects="first")
    try:
        value = pl.load(content)
    except t7.T7Error as error:
        text = str(error)
        assert text.startswith("<bytes>: offset ") and text.isprintable() and len(text) < 800, text
        return False
    look(value)
    return True


def look(value: Any) -> None:
    """Calls `inspect` and `convert` on a value, and reads each of its parts."""
    for visit in interop.walk(value):
        if isinstance(visit.value, np.ndarray) and visit.value.size:
            visit.value.flat[0], visit.value.flat[-1]
        elif isinstance(visit.value, (Object, t7.TorchObject, t7.Function)) and visit.depth < 20:
            repr(visit.value)
    report = Report("<bytes>", Contents(value), _OPTIONS)
    with mock.patch.object(expected, "_MODULES", 0):  # no trials with inputs: a network may be as slow as it likes
        list(report.lines())
        json.dumps(report.data(), allow_nan=False)
    interop.nested(interop.tensors(value, everything=True))
