"""The networks of the golden files on a device: they give what they give on the host. test_modules.py says how."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import pytorch_legacy as pl
from pytorch_legacy.errors import UnsupportedError
from tests.cuda import fake_cupy
from tests.cuda.gpu import TYPES, down, need_device, pretended, up
from tests.cuda.gpu import gpu as gpu
from tests.test_golden import Entry, cases, labels, load
from tests.trees import assert_close, largest, leaves, mapped

need_device()
WORDS = {dtype: name for name, dtype in TYPES.items()}


def skip_without_kernel(error: UnsupportedError) -> None:
    if "has no CUDA kernel" not in str(error):
        raise error
    pytest.skip(str(error))


def plain(tree: Any) -> Any:
    """Numbers and arrays on the host; None counts as no elements."""
    return mapped(lambda leaf: np.empty(0) if leaf is None else np.array(down(leaf)), tree)


# Its types are those of its arguments, one of which is not that of the module.
MIXED = ("nn.Copy",)


@cases("module", "results", has=("train", "output"))
def test_as_on_the_host(gpu: Any, entry: Entry) -> None:
    if set(entry["classes"]) & set(MIXED):
        pytest.skip("of two types")
    here, there = load(entry), load(entry)
    there["module"].type(WORDS[here["module"]._dtype])
    there["input"], there["gradOutput"] = up(there["input"]), up(there.get("gradOutput"))
    results = []
    for case in (here, there):
        module = case["module"]
        module.zeroGradParameters()
        pl.manualSeed(case["seed"])
        try:
            output = plain(module.forward(case["input"]))
            gradInput = None if case.get("forwardOnly") else plain(module.backward(case["input"], case["gradOutput"]))
        except UnsupportedError as error:
            skip_without_kernel(error)
        gradients = module.parameters()[1] if module.parameters() and gradInput is not None else []
        results.append([output, [] if gradInput is None else gradInput, plain(gradients)])
    near = 1e-10 if here["module"]._dtype == np.float64 else 2e-5
    assert_close(results[1], results[0], near, "on the device", max(1.0, largest(results[0])))
    for leaf in leaves(there["module"].output):
        assert not isinstance(leaf, np.ndarray)


@cases("criterion", "results")
def test_criterions(gpu: Any, entry: Entry) -> None:
    here, there = load(entry), load(entry)
    here["target"] = labels(here)
    there["module"].type(WORDS[here["module"]._dtype])
    there["input"], there["target"] = up(there["input"]), up(labels(there))
    results = []
    for case in (here, there):
        try:
            loss = case["module"].forward(case["input"], case.get("target"))
            results.append([np.asarray(float(loss)), plain(case["module"].backward(case["input"], case.get("target")))])
        except UnsupportedError as error:
            skip_without_kernel(error)
    assert_close(results[1], results[0], 1e-10 if here["module"]._dtype == np.float64 else 2e-5)


@pretended
def test_the_pretence_is_one(gpu: Any) -> None:
    """The other tests rely on these properties: arrays of the device never turn into NumPy's or mix with them."""
    array = fake_cupy.zeros((2, 3), np.float32)
    with pytest.raises(TypeError, match="Implicit conversion"):
        np.asarray(array)
    with pytest.raises(TypeError, match="Unsupported type"):
        np.add(array, np.zeros(3, np.float32))
    with pytest.raises(ValueError, match="non-scalar"):
        array[...] = np.zeros(3, np.float32)
    with pytest.raises(TypeError, match="no implementation"):
        np.interp(array, array, array)
    with pytest.raises(TypeError, match="unexpected keyword"):
        np.sum(array, where=True)
    assert isinstance(np.zeros(3, like=array), fake_cupy.ndarray)
    assert array[1].base is array and array.sum().ndim == 0
