"""Every case of the table on a device: what layers give there is what they give on the host.

Without a GPU, CuPy's part is played by fake_cupy.py, which counts who waits, and the kernels are those of the emulated libTHCUNN.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pytorch_legacy import cudnn, manualSeed, rnn
from pytorch_legacy.arrays import on_device
from pytorch_legacy.backend import header
from pytorch_legacy.errors import UnsupportedError
from tests.case import Case
from tests.cases.sparse import Sparse
from tests.cuda import fake_cupy
from tests.cuda.gpu import IS_REAL, TYPES, down, layers_with_kernels, on_a_device, up
from tests.cuda.gpu import gpu as gpu
from tests.rows import all_of
from tests.table import only
from tests.table import pytest_generate_tests as pytest_generate_tests
from tests.trees import assert_close, leaves
from tests.trial import SEED, Trial

ROOT = Path(__file__).resolve().parent.parent.parent
NEAR = {"torch.CudaTensor": 2e-5, "torch.CudaDoubleTensor": 1e-10}

# Computations that depend on values of the device, with the reason.
WAITING = {
    "nn.MaskedSelect": "the size of its output is the number of its mask's ones",
    "nn.Kmeans": "its loss is a number, and it counts the samples of each centre",
    "nn.L1Penalty": "its loss is a number",
    "nn.RReLU": "as many numbers are drawn as elements are not positive",
    "nn.NaN": "what it is for",
    "nn.DontCast": "the module inside has stayed on the host",
    "nn.Index": "the case looks at what comes back",
}

pytestmark = on_a_device


class OnDevice:
    """A pass over a case on the device."""

    def __init__(self, trial: Trial, type: str) -> None:
        self.trial = trial
        self.module = trial.module().type(type)
        self.input, self.target = up(trial.fed(trial.input)), up(trial.target) if trial.isCriterion else None

    def forward(self) -> Any:
        manualSeed(SEED)
        return self.module.forward(self.input, self.target) if self.trial.isCriterion else self.module.forward(self.input)

    def backward(self, gradOutput: Any) -> Any:
        return self.module.backward(self.input, self.target if self.trial.isCriterion else gradOutput)


# these layers pass on arrays of the host; golden files have the same layers
@only(lambda case: not isinstance(case.make(), Sparse))
@all_of("type", TYPES)
def test_as_on_the_host(gpu: Any, case: Case, type: str) -> None:
    trial = Trial(case, TYPES[type])
    module = trial.module()
    expected = trial.run(module=module)
    gradOutput = up(trial.gradOutput(expected.output))
    try:
        other = OnDevice(trial, type)
        gradients = other.trial.parameters(other.module)[1]
        for gradient in gradients:
            gradient.fill(0)
        fake_cupy.waits = 0
        output = other.forward()
        kept = down(output) if not trial.isCriterion else np.asarray(float(output))
        waits = fake_cupy.waits - (len(leaves(output)) if not trial.isCriterion else 0)
        fake_cupy.waits = 0
        gradInput = other.backward(gradOutput)
        waits += fake_cupy.waits
    except UnsupportedError as error:
        if "has no CUDA kernel" not in str(error):
            raise
        pytest.skip(str(error))
    assert all(on_device(leaf) for leaf in leaves(gradInput) if leaf is not None)
    assert_close(kept, expected.output, NEAR[type])
    assert_close(down(gradInput), expected.gradInput, NEAR[type])
    assert_close(down(gradients), expected.gradParameters, NEAR[type])
    if not IS_REAL and not trial.isCriterion and other.module._typename not in WAITING:
        assert waits == 0


def test_not_all_are_skipped() -> None:
    """The library has every layer of THNN."""
    layers = {layer for layer in header.definitions(ROOT) if layer[0].isupper()}
    assert len(layers) >= 10
    assert layers <= layers_with_kernels()


def masked(layer: Any) -> Any:
    layer.maskzero = True
    return layer


SEQUENCES = [
    *[lambda make=make: make(3, 4) for make in (rnn.SeqLSTM, rnn.SeqGRU)],
    *[lambda make=make: masked(make(3, 4)) for make in (rnn.SeqLSTM, rnn.SeqGRU)],
    *[lambda make=make: make(3, 4, 2) for make in (cudnn.BLSTM, cudnn.BGRU)],
]


@all_of("type", TYPES)
@pytest.mark.parametrize("make", SEQUENCES)
def test_sequences_as_on_the_host(gpu: Any, make: Any, type: str) -> None:
    module = make().type(TYPES[type])
    other = module.clone().type(type)
    x = np.random.default_rng(0).standard_normal((5, 2, 3))
    x[2, 0] = x[4, 1] = 0
    x = x.astype(module.output.dtype)
    output = module.forward(x)
    assert_close(down(other.forward(up(x))), output, NEAR[type])
    assert_close(down(other.backward(up(x), up(output))), module.backward(x, output), NEAR[type])
    assert_close(down(other.parameters()[1]), module.parameters()[1], NEAR[type])
