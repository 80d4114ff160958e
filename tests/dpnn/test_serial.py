"""Serial changes the content of a file, and leaves the module itself as it is."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from pytorch_legacy import nn
from pytorch_legacy.errors import DtypeError
from tests.trees import assert_same


def made(tensortype: str | None = None) -> nn.Serial:
    inner = nn.Linear(3, 2)
    module = nn.Serial(nn.Sequential().add(inner).add(nn.Tanh()).add(nn.Linear(2, 2)), tensortype)
    module.forward(np.ones((4, 3), np.float32))
    return module


def stored(module: Any) -> Any:
    """The Linear in front, as its file has it."""
    return module._toTorch7()["modules"][0]._toTorch7()["modules"][0]._toTorch7()


def test_a_clone_is_what_the_file_gives() -> None:
    module = made("torch.DoubleTensor").mediumSerial()
    copy = module.clone()
    assert copy.get(0).get(0).weight.dtype == np.float64 and copy.get(0).output.size == 0 and not copy._inFile
    assert_same(copy.get(0).get(0).weight.astype(np.float32), module.get(0).get(0).weight)
    assert module.get(0).get(0).weight.dtype == np.float32 and module.get(0).output.shape == (4, 2)
    copy.get(0).get(0).weight.fill(0)
    assert module.get(0).get(0).weight.any()
    plain = made()
    assert plain.clone("weight").get(0).get(0).weight is plain.get(0).get(0).weight and plain.clone().output.shape == (4, 2)


def test_every_module_is_named() -> None:
    module = made()
    fields = module._toTorch7()
    chain = fields["modules"][0]._toTorch7()
    names = [inner._toTorch7()["dpnn_typename"] for inner in chain["modules"]]
    assert [fields["dpnn_typename"], chain["dpnn_typename"], *names] == [
        "nn.Serial",
        "nn.Sequential",
        "nn.Linear",
        "nn.Tanh",
        "nn.Linear",
    ]
    assert not any(hasattr(inner, "dpnn_typename") for inner in module.listModules())


def test_parameters_are_not_copied() -> None:
    module = made()
    assert stored(module)["weight"] is module.get(0).get(0).weight


def test_a_module_twice_is_one_twin() -> None:
    shared = nn.Tanh()
    module = nn.Serial(nn.Sequential().add(shared).add(shared))
    one, other = module._toTorch7()["modules"][0].modules
    assert one is other and one is not shared


def test_another_precision() -> None:
    module = made("torch.DoubleTensor")
    weight = module.get(0).get(0).weight
    fields = stored(module)
    assert fields["weight"].dtype == np.float64 and fields["_type"] == "torch.DoubleTensor"
    assert_same(fields["weight"].astype(np.float32), weight)
    assert module._toTorch7()["tensortype"] == "torch.DoubleTensor"
    assert weight.dtype == np.float32 and module._dtype == np.float32
    assert stored(made("torch.CudaTensor"))["_type"] == "torch.FloatTensor"


@pytest.mark.parametrize("mode, empty", [("heavy", ()), ("medium", ("output",)), ("light", ("output", "gradWeight", "gradBias"))])
def test_modes(mode: str, empty: tuple[str, ...]) -> None:
    module = getattr(made(), f"{mode}Serial")()
    fields = stored(module)
    for name in ("output", "weight", "bias", "gradWeight", "gradBias"):
        assert (fields[name].size == 0) == (name in empty), name
    assert module.get(0).get(0).output.size == 8  # only the file goes without
    assert isinstance(fields["dpnn_serialEmpty"], list)


def test_runs_as_its_module() -> None:
    module = made()
    input = np.ones((4, 3), np.float32)
    assert_same(module.forward(input), module.get(0).clone().forward(input))


def test_errors() -> None:
    with pytest.raises(DtypeError, match=r"tensortype: expected a tensor type, .* got 'float'"):
        nn.Serial(nn.Tanh(), "float")
