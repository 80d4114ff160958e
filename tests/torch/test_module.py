"""Our modules inside PyTorch: gradients of every layer, and what PyTorch does with modules."""

from __future__ import annotations

import copy
import io
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")

import pytorch_legacy as pl  # noqa: E402
from pytorch_legacy import nn, rnn  # noqa: E402
from pytorch_legacy.errors import ArgumentError, DtypeError, UnsupportedError  # noqa: E402
from pytorch_legacy.torch import Module  # noqa: E402
from tests.case import Case  # noqa: E402
from tests.rows import rows  # noqa: E402
from tests.table import CASES  # noqa: E402
from tests.trees import leaves, mapped  # noqa: E402
from tests.trial import Trial  # noqa: E402

ROOT = Path(__file__).resolve().parent.parent.parent

# Classes of which no case is checked, and why.
NO_DERIVATIVE = {
    "GradientReversal": "turns the gradient, by design",
    "IndexLinear": "its gradient is a table of the rows that were read",
    "Kmeans": "learns by counting",
    "L1Penalty": "adds its penalty's gradient, by design",
    "OneHot": "of indices",
    "ZeroGrad": "gives zeros, by design",
}
LAYERS = [(name, case) for name, case in CASES if case.target is None]
CHECKED = [
    (name, case.name, case)
    for name, case in LAYERS
    if name not in NO_DERIVATIVE
    if case.jacobian or (name == "LookupTable" and case.name in ("matrix", "vector", "cube", "bytes"))  # by its weight
]


def live(net: Any) -> Any:
    return Module(net)


@rows("case", CHECKED)
def test_gradcheck(case: Case) -> None:
    """PyTorch's own check, of the gradients of inputs and of parameters."""
    trial = Trial(case, np.float64)
    module = live(trial.module())
    tensors = mapped(lambda leaf: torch.from_numpy(np.array(leaf)).requires_grad_(leaf.dtype.kind == "f"), trial.input)
    inputs = leaves(tensors)
    parameters = dict(module.named_parameters())

    def f(*given: Any) -> Any:
        pl.manualSeed(1)
        places = iter(given)
        table = mapped(lambda leaf: next(places), tensors)
        output = torch.func.functional_call(module, dict(zip(parameters, places, strict=True)), (table,))
        return tuple(leaf for leaf in leaves(output) if leaf.is_floating_point())

    assert torch.autograd.gradcheck(f, (*inputs, *parameters.values()), eps=1e-6, atol=1e-6, rtol=1e-5, fast_mode=True)


def test_all_other_classes_are_checked() -> None:
    assert {name for name, _ in LAYERS} - {name for name, _, _ in CHECKED} == set(NO_DERIVATIVE)


def convnet() -> Any:
    net = nn.Sequential(nn.SpatialConvolution(3, 4, 3, 3), nn.SpatialBatchNormalization(4), nn.ReLU(True), nn.Dropout(0.5))
    return net.add(nn.View(-1).setNumInputDims(3)).add(nn.Linear(64, 2)).double()


@pytest.fixture
def x() -> Any:
    return torch.from_numpy(np.random.default_rng(1).normal(size=(5, 3, 6, 6)))


def gradients(module: Any, *losses: Any) -> list[Any]:
    module.zero_grad()
    for loss in losses:
        loss.backward()
    return [p.grad.clone() for p in module.parameters()]


def test_memory_is_shared() -> None:
    """A step of PyTorch's is seen by our layer, a write of ours by PyTorch."""
    net = nn.Linear(3, 2)
    module = live(net)
    module(torch.ones(1, 3)).sum().backward()
    before = net.weight.copy()
    torch.optim.SGD(module.parameters(), lr=0.5).step()
    np.testing.assert_array_equal(net.weight, before - 0.5)
    net.weight[...] = 7
    assert (module.get_parameter("weight") == 7).all()


def test_names() -> None:
    module = live(convnet())
    names = ["0.weight", "0.bias", "1.weight", "1.bias", "1.running_mean", "1.running_var", "5.weight", "5.bias"]
    assert list(module.state_dict()) == names
    assert [name for name, _ in module.named_buffers()] == names[4:6]


def test_passes_before_a_backward(x: Any) -> None:
    """Two passes with dropout and batch normalization: as each alone, and the running statistics move once a pass."""
    one = live(convnet())
    two = copy.deepcopy(one)
    pl.manualSeed(5)
    first, second = one(x).sum(), (one(2 * x) ** 2).sum()
    together = gradients(one, first + second)
    pl.manualSeed(5)
    total = [a + b for a, b in zip(gradients(two, two(x).sum()), gradients(two, (two(2 * x) ** 2).sum()), strict=True)]
    for a, b in zip(together, total, strict=True):
        torch.testing.assert_close(a, b, rtol=0, atol=1e-12)
    for a, b in zip(one.buffers(), two.buffers(), strict=True):
        assert torch.equal(a, b)


def test_applied_to_its_own_output() -> None:
    module = live(nn.Sequential(nn.Linear(3, 3), nn.Tanh()).double())
    x = torch.randn(2, 3, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(lambda x: module(module(x)), (x,))


def test_in_place_layers_leave_the_input(x: Any) -> None:
    module = live(nn.ReLU(True).double())
    before = x.clone()
    module(module(x.requires_grad_())).sum().backward()
    assert torch.equal(x, before) and torch.equal(x.grad, (before > 0).double())


def test_second_derivatives_are_an_error() -> None:
    module = live(nn.Square())
    x = torch.ones(3, requires_grad=True)
    (gradient,) = torch.autograd.grad(module(x).sum(), x, create_graph=True)
    with pytest.raises(RuntimeError, match="no second derivatives"):
        (gradient**2).sum().backward()
    (gradient,) = torch.autograd.grad(module(x).sum(), x, create_graph=True, grad_outputs=torch.tensor(1.0))
    with pytest.raises(RuntimeError, match="no second derivatives"):
        gradient.sum().backward()


def test_a_parameter_that_changed_before_backward(x: Any) -> None:
    module = live(convnet())
    loss = module(x).sum()
    with torch.no_grad():
        module.get_parameter("0.weight").mul_(2)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        loss.backward()


def test_modes_follow(x: Any) -> None:
    module = live(convnet())
    assert module.training and module._net.train
    module.eval()
    assert not any(m.train for m in module._net.listModules())
    assert torch.equal(module(x), module(x))
    assert not live(convnet().evaluate()).training


def test_copies(x: Any) -> None:
    module = live(convnet()).eval()
    file = io.BytesIO()
    torch.save(module, file)
    file.seek(0)
    assert file.getbuffer().nbytes < 3 * sum(p.nbytes for p in module.parameters()) + 20_000
    for twin in (copy.deepcopy(module), pickle.loads(pickle.dumps(module)), torch.load(file, weights_only=False)):
        assert torch.equal(twin(x), module(x))
        twin(x).sum().backward()
        twin.get_parameter("0.weight").data.zero_()
        assert not torch.equal(twin(x), module(x))


def test_state_dict(x: Any) -> None:
    module, other = live(convnet()).eval(), live(convnet()).eval()
    for assign in (False, True):
        other.load_state_dict({name: value.clone() for name, value in module.state_dict().items()}, assign=assign)
        assert torch.equal(other(x), module(x))
    other.load_state_dict({name: torch.zeros_like(value) for name, value in module.state_dict().items()}, assign=True)
    assert not other(x).any() and not other._net.parameters()[0][0].any()


def test_functional_call(x: Any) -> None:
    module = live(nn.Linear(2, 2))
    given = {"weight": torch.eye(2), "bias": torch.ones(2)}
    assert torch.func.functional_call(module, given, (torch.tensor([[1.0, 2.0]]),)).tolist() == [[2, 3]]
    assert torch.equal(module(torch.ones(1, 2)), module.weight.sum(1)[None] + module.bias)


def test_types(x: Any) -> None:
    module = live(convnet()).eval()
    expected = module(x)
    module.float()
    torch.testing.assert_close(module(x.float()).double(), expected, rtol=1e-5, atol=1e-5)
    with pytest.raises(DtypeError, match="float32"):
        module(x)
    with pytest.raises(DtypeError, match="bfloat16"):
        module(x.bfloat16())
    module.double()(x).sum().backward()
    with pytest.raises(DtypeError, match="bfloat16"):
        module.bfloat16()(x)


def test_layers_without_parameters_take_the_type_of_their_input() -> None:
    live = Module(nn.Sequential().add(nn.Tanh()).add(nn.MulConstant(2)))
    for dtype in (torch.float64, torch.float32, torch.float64):
        leaf = torch.ones(2, 3, dtype=dtype, requires_grad=True)
        live(leaf).sum().backward()
        assert live(leaf).dtype == leaf.grad.dtype == dtype
    with pytest.raises(pl.THNNError, match=r"got one of torch\.float16"):
        live(torch.ones(2, 3).half())
    statistics = Module(nn.BatchNormalization(3, 1e-3, 0.1, False)).double()
    assert statistics(torch.randn(4, 3).double()).dtype == torch.float64
    assert statistics.float()(torch.randn(4, 3)).dtype == torch.float32


def test_tables() -> None:
    net = nn.Sequential(nn.ParallelTable(nn.Linear(2, 3), nn.LookupTable(5, 3)), nn.ConcatTable(nn.CMulTable(), nn.CSubTable()))
    module = live(net)
    a, i = torch.ones(2, 2, requires_grad=True), torch.tensor([1, 4])
    for outputs in (module(a, i), module([a, i]), module((a, i))):
        product, difference = outputs
        (product.sum() + difference.sum()).backward()
    expected = 3 * (net.modules[0].modules[1].weight[[1, 4]] + 1) @ net.modules[0].modules[0].weight
    np.testing.assert_allclose(a.grad.numpy(), expected, rtol=1e-5)
    assert net.modules[0].modules[1].weight.ctypes.data == module.get_parameter("0.1.weight").data_ptr()


def test_frozen_parameters(x: Any) -> None:
    module = live(convnet())
    module.get_parameter("0.weight").requires_grad_(False)
    module(x).sum().backward()
    assert module.get_parameter("0.weight").grad is None and module.get_parameter("5.bias").grad is not None
    for parameter in module.parameters():
        parameter.requires_grad_(False)
    module(x.requires_grad_()).sum().backward()
    assert x.grad.abs().sum() > 0


def test_flattened_and_shared_parameters() -> None:
    """One parameter in two layers is one of PyTorch's; a network after getParameters keeps its vector until PyTorch moves it."""
    first = nn.Linear(2, 2)
    second = nn.Linear(2, 2).share(first, "weight", "bias", "gradWeight", "gradBias")
    net = nn.Sequential(first, second)
    net.getParameters()
    module = live(net.double())
    assert len(list(module.parameters())) == 2
    x = torch.randn(3, 2, dtype=torch.float64)
    assert torch.autograd.gradcheck(lambda w, b: torch.func.functional_call(module, {"0.weight": w, "0.bias": b}, (x,)),
                                    tuple(p.detach().clone().requires_grad_() for p in module.parameters()))  # fmt: skip


def test_recurrent_networks() -> None:
    module = live(nn.Sequencer(nn.FastLSTM(2, 3)).double())
    x = torch.randn(4, 2, 2, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(lambda x: module(module(x)[..., :2]), (x,), fast_mode=True)
    remembering = live(nn.Sequencer(nn.LSTM(2, 3)).remember().double())
    first = remembering(x)
    remembering(x)
    with pytest.raises(RuntimeError, match=r"nn.Sequencer carries its state .* backward before the next forward"):
        first.sum().backward()
    assert rnn  # the classes of this test are its


def test_compile(x: Any) -> None:
    module = live(convnet()).eval()
    compiled = torch.compile(torch.nn.Sequential(module, torch.nn.Softmax(1)), backend="eager")
    torch.testing.assert_close(compiled(x), module(x).softmax(1))


def test_errors() -> None:
    with pytest.raises(ArgumentError, match=r"torch.Module: net: expected a module of pytorch_legacy, got Linear$"):
        Module(torch.nn.Linear(1, 1))
    with pytest.raises(ArgumentError, match=r"pl\.to_torch"):
        Module(nn.MSECriterion())
    with pytest.raises(UnsupportedError, match=r"nn.IndexLinear: expected an array for the gradient"):
        Module(nn.IndexLinear(3, 2, False, 0))


def test_loaders_with_workers() -> None:
    module = live(nn.Linear(3, 2))
    data = torch.utils.data.TensorDataset(torch.ones(8, 3))
    for (batch,) in torch.utils.data.DataLoader(data, batch_size=4, num_workers=2):
        assert module(batch).shape == (4, 2)


DDP = """
import os, sys, torch, torch.distributed as dist
from pytorch_legacy import nn
from pytorch_legacy.torch import Module
rank = int(sys.argv[1])
dist.init_process_group("gloo", init_method="file://" + sys.argv[2], rank=rank, world_size=2)
net = nn.Linear(3, 2).double()
net.weight[...] = rank  # that of rank 0 goes to all
net.bias[...] = 0
module = torch.nn.parallel.DistributedDataParallel(Module(net))
optimizer = torch.optim.SGD(module.parameters(), lr=0.1)
x = torch.arange(12.0, dtype=torch.float64).reshape(4, 3)[rank::2]
for _ in range(3):
    optimizer.zero_grad()
    module(x).pow(2).mean().backward()
    optimizer.step()
print(net.weight.tolist(), flush=True)
os._exit(0)  # PyTorch 2.13 may wait for itself for ever when it takes the process group down
"""


def test_distributed_data_parallel(tmp_path: Path) -> None:
    """Two processes train as one that has the whole batch."""
    command = [sys.executable, "-c", DDP]
    processes = [
        subprocess.Popen([*command, str(rank), str(tmp_path / "rendezvous")], cwd=ROOT, stdout=subprocess.PIPE, text=True)
        for rank in range(2)
    ]
    outputs = [process.communicate(timeout=120)[0] for process in processes]
    assert [process.returncode for process in processes] == [0, 0] and outputs[0] == outputs[1]
    weight = torch.zeros(2, 3, dtype=torch.float64, requires_grad=True)
    bias = torch.zeros(2, dtype=torch.float64, requires_grad=True)
    x = torch.arange(12.0, dtype=torch.float64).reshape(4, 3)
    for _ in range(3):
        for p, g in zip((weight, bias), torch.autograd.grad((x @ weight.T + bias).pow(2).mean(), (weight, bias)), strict=True):
            p.data -= 0.1 * g
    np.testing.assert_allclose(np.array(eval(outputs[0])), weight.detach().numpy(), rtol=0, atol=1e-12)


def test_import_in_the_folder_of_the_package() -> None:
    """`import torch` there is PyTorch."""
    script = "import torch; print(torch.__version__, torch.nn.Linear(1, 1).weight.shape)"
    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT / "pytorch_legacy", capture_output=True, text=True)
    assert done.stdout.startswith(torch.__version__), done.stderr
