"""Networks learn the same in PyTorch and here: three steps of SGD with weight decay end in the same parameters.

The parameters that learn are compared as sets, too: each number that PyTorch changes is one parameter of the network.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import pytorch_legacy as pl
from pytorch_legacy import authors, dpnn, nn, rnn
from tests.bridge.test_cases import TRIED, is_new
from tests.bridge.test_golden import FAMILIES, NO_ARRAYS
from tests.case import Case
from tests.rows import rows
from tests.test_golden import MANIFEST, load, stored
from tests.trees import Tree, cast, copied

torch = pytest.importorskip("torch", reason='the bridge needs torch: pip install "pytorch-legacy[torch]"')

from pytorch_legacy.bridge.conversion import Conversion, arguments  # noqa: E402
from pytorch_legacy.bridge.fields import memory  # noqa: E402
from pytorch_legacy.bridge.labels import Labels, doubled, list_arrays  # noqa: E402
from pytorch_legacy.bridge.values import difference, flat, tree  # noqa: E402
from pytorch_legacy.inference.examples import forget  # noqa: E402

RATE, DECAY, STEPS = 0.05, 0.1, 3

# Files whose network has no gradient of the kind that is compared, and why.
NOT_TRAINED = {
    "NCEModule_t2x3": "draws classes, in evaluation too",
    "NCEModule_normalized_t2x3": "draws classes in training, and has no gradient in evaluation",
    "BatchNormalization_single_1x3": "PyTorch does not train on one value of a channel",
}
# The same for the table of cases, by class and case.
NOT_TRAINED_CASES = {
    "BatchNormalization-train_one_vector": "PyTorch does not train on one value of a channel",
    "BatchNormalization-evaluate_one_sample": "a sample without a batch is for evaluation alone",
}


@pytest.fixture(autouse=True)
def one_thread() -> Iterator[None]:
    """Small networks take less time on one thread, above all if other tests run beside this one."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def outputs_of(net: nn.Module, input: Tree) -> Tree:
    forget(net)
    return tree(np.array, net.forward(copied(input)))


def is_random(net: nn.Module, input: Tree) -> bool:
    """Returns True if the network, while training, computes other numbers for another seed."""
    twin = copy.deepcopy(net).training()
    outputs = []
    for seed in (1, 2):
        pl.manualSeed(seed)
        outputs.append(outputs_of(twin, input))
    return difference(*outputs) != 0


class Numbers:
    """All numbers of a network under the labels by which `Labels` knows them: those of parameters and of running statistics.

    Attributes
    ----------
    learn : array of bool
        For each label whether it is a parameter that learns.
    """

    def __init__(self, net: nn.Module) -> None:
        self.net = net
        arrays = list_arrays(net)
        starts = np.cumsum([1, *(array.size for array in arrays)])
        self._places = {memory(array): (start, array) for start, array in zip(starts, arrays, strict=False)}
        self.learn = self._spread([(parameter, np.ones(parameter.shape)) for parameter in net.parameters()[0]]) > 0
        fixed: list[tuple[np.ndarray, Any]] = []
        for module in net.listModules():
            if isinstance(module, rnn.LookupTableMaskZero):
                fixed.append((module.weight, np.arange(len(module.weight))[:, None] == 0))  # zeros, in each pass anew
            elif isinstance(module, nn.IndexLinear) and module.normalize:
                fixed.append((module.weight, np.arange(module.weight.shape[1]) < 3))  # statistics
        self.learn &= self._spread([(array, np.broadcast_to(mask, array.shape)) for array, mask in fixed]) == 0

    def values(self) -> np.ndarray:
        return self._spread([(array, array) for _, array in self._places.values()])

    def step(self) -> np.ndarray:
        """Takes a step of SGD with weight decay; returns the gradients."""
        gradients = self._gradients()
        step = np.where(self.learn, RATE * (gradients + DECAY * self.values()), 0)
        for start, array in self._places.values():
            array -= step[start : start + array.size].reshape(array.shape)
        return gradients

    def _gradients(self) -> np.ndarray:
        parameters, gradients = self.net.parameters()
        if not all(isinstance(gradient, np.ndarray) for gradient in gradients):  # an nn.IndexLinear has tables
            before = [parameter.copy() for parameter in parameters]
            self.net.updateParameters(1)
            gradients = [one - parameter for one, parameter in zip(before, parameters, strict=True)]
            for one, parameter in zip(before, parameters, strict=True):
                parameter[...] = one
        pairs = {(memory(p), memory(g)): (p, g) for p, g in zip(parameters, gradients, strict=True)}  # clones may share one alone
        return self._spread(pairs.values())

    def _spread(self, pairs: Any) -> np.ndarray:
        """The sum of values for arrays of the network, in the order of labels."""
        found = np.zeros(1 + sum(array.size for _, array in self._places.values()))
        for array, values in pairs:
            start, _ = self._places[memory(array)]
            found[start : start + array.size] += values.reshape(-1)
        return found


def learning_problems(net: nn.Module, input: Tree) -> list[str]:
    """Trains the network here and in PyTorch, in double precision, and returns what is not alike."""
    net, input = copy.deepcopy(net).double(), doubled(input)
    isSingle = any(parameter.dtype == np.float32 for parameter in net.parameters()[0])  # inside nn.DontCast
    tolerance = 1e-5 if isSingle else 1e-10
    for module in net.listModules():
        if isinstance(module, nn.BatchNormalization):
            module.setStrict()  # statistics of a batch of one, as PyTorch takes them
    outputs_of(net.evaluate(), input)  # an nn.MapTable makes its modules in its first call
    labels = Labels(net, [input, input])
    conversion = Conversion(net, [input, input])
    made = conversion.executed()
    if not is_random(net, input):
        made.train(), net.training()
    else:
        made.eval(), net.evaluate()

    numbers, problems = Numbers(net), []
    learned = {name: p for name, p in made.named_parameters() if p.requires_grad}
    uses = np.zeros(len(numbers.learn), np.int64)
    for name, parameter in learned.items():
        places = labels.places[name]
        np.add.at(uses, places.reshape(-1), 1)
        if not (numbers.learn[places] | (places == 0) & (parameter.detach().numpy() == 0)).all():
            problems.append(f"{name} learns in PyTorch, and is no parameter here")
    uses[0] = 0
    if (uses > 1).any():
        problems.append("numbers of the network learn in several places")

    optimizer = torch.optim.SGD(learned.values(), lr=RATE, weight_decay=DECAY)
    rng = np.random.default_rng(1)
    for step in range(STEPS):
        net.zeroGradParameters()
        output = outputs_of(net, input)
        gradOutput = tree(lambda array: rng.standard_normal(array.shape), output)
        net.backward(copied(input), copied(gradOutput))
        optimizer.zero_grad()
        found = made(*arguments(input))
        found = found[0] if conversion.writer.states else found
        if not difference(flat([output]), flat([found])) <= tolerance:
            problems.append(f"the outputs differ in step {step}")
        pairs = [(t, torch.from_numpy(g)) for t, g in zip(flat([found]), flat([gradOutput]), strict=True) if t.requires_grad]
        torch.autograd.backward([t for t, _ in pairs], [g for _, g in pairs])
        optimizer.step()
        if numbers.step()[numbers.learn & (uses == 0)].any():
            problems.append("a parameter gets a gradient here, and does not learn in PyTorch")
    values = numbers.values()
    for name, parameter in learned.items():
        places = labels.places[name]
        gap = difference(np.where(places == 0, 0, values[places]), parameter)
        if not gap <= tolerance:
            problems.append(f"{name} differs by {gap:.1e}")
    return problems


def is_trained(entry: dict[str, Any], family: str) -> bool:
    """Returns True for a network of the family.

    Infinite inputs leave nothing to compare; ASCII and float files have the same networks.
    """
    isNetwork = entry["family"] == family and entry["kind"] in ("module", "graph")
    isTwin = entry["format"] == "ascii" or (entry["dtype"] == "float" and entry["name"].removesuffix("_float") in NAMES)
    isLeftOut = entry["name"] in (*NO_ARRAYS, *NOT_TRAINED) or "special" in entry["name"] or isTwin
    return isNetwork and not isLeftOut and stored(entry, "evaluate", "output") is not None


NAMES = {entry["name"] for entry in MANIFEST if entry["dtype"] == "double"}


@pytest.mark.parametrize("family", FAMILIES)
def test_family(family: str) -> None:
    """The golden files of a family that have parameters."""
    wrong = {}
    for entry in MANIFEST:
        if is_trained(entry, family):
            case = load(entry)
            if (case["module"].parameters() or ([],))[0] and (what := learning_problems(case["module"], case["input"])):
                wrong[entry["file"]] = "; ".join(what)
    assert not wrong, "\n".join(f"{file}: {what}" for file, what in wrong.items())


def learns(name: str, case: Case) -> bool:
    net = case.make()
    return bool((net.parameters() or ([],))[0]) and not is_new(name, case) and not type(net).__module__.startswith("tests.")


LEARNERS = [row for row in TRIED if learns(*row[2])]


@rows("name, case", LEARNERS)
def test_case(name: str, case: Case) -> None:
    if (why := NOT_TRAINED_CASES.get(f"{name}-{case.name}")) is not None:
        pytest.skip(why)
    assert not learning_problems(case.make(), cast(case.input(np.random.default_rng(0)), np.float64))


def draw(*shape: int) -> np.ndarray:
    return np.random.default_rng(len(shape)).standard_normal(shape)


def padded() -> np.ndarray:
    """A batch with samples of zeros."""
    x = draw(5, 4)
    x[1] = x[3] = 0
    return x


def steps() -> np.ndarray:
    """Sequences of two samples, one of which begins late."""
    x = draw(6, 2, 4)
    x[:2, 1] = 0
    return x


def masked(*layers: nn.Module) -> nn.Module:
    return nn.Sequential(rnn.MaskZero(nn.Sequential(*layers), 1), nn.Tanh())


def branches() -> nn.Module:
    ends = nn.ConcatTable(nn.Linear(3, 2), nn.Sequential(nn.Linear(3, 3), nn.Tanh()), nn.Identity())
    return nn.Sequential(rnn.MaskZero(nn.Sequential(nn.Linear(4, 3), ends), 1), nn.JoinTable(1))


def style() -> nn.Module:
    content = authors.ContentLoss(0.3, draw(2, 3, 4).astype(np.float32))
    pulled = authors.StyleLoss(2.0, draw(2, 2).astype(np.float32), normalize=True)
    return nn.Sequential(nn.SpatialConvolution(1, 2, 2, 2), content, authors.TotalVariation(0.1), pulled)


def slopes() -> nn.Module:
    """One picture without a batch, as many planes as rows."""
    layer = nn.PReLU(3).setNumInputDims(3)
    layer.weight[...] = 0.1, 0.2, 0.3
    return nn.Sequential(nn.SpatialConvolution(3, 3, 1, 1), layer)


def distances() -> nn.Module:
    one = nn.Linear(4, 3)
    both = nn.ParallelTable(one, one.clone("weight", "bias", "gradWeight", "gradBias"))
    return nn.Sequential(both, nn.ConcatTable(*map(nn.PairwiseDistance, (1, 2, 3)), nn.CosineDistance()))


# Layers whose gradients are not the derivatives of what they give, or that share what they learn.
NETWORKS: dict[str, tuple[Callable[[], nn.Module], Callable[[], Tree]]] = {
    "penalty": (lambda: nn.Sequential(nn.Linear(4, 4), nn.L1Penalty(0.3), nn.L1Penalty(0.2, True), nn.Linear(4, 2)), padded),
    "penalty at an end": (
        lambda: nn.ConcatTable(nn.Linear(4, 2), nn.Sequential(nn.Linear(4, 3), nn.L1Penalty(0.3, False, False))),
        padded,
    ),
    "entropy": (lambda: nn.Sequential(nn.Linear(4, 3), nn.SoftMax(), dpnn.CategoricalEntropy(2.0, 1.09)), padded),
    "style": (style, lambda: draw(1, 4, 5)),
    "steady norms": (lambda: rnn.Sequencer(nn.Sequential(rnn.GRU(4, 3), rnn.NormStabilizer(0.7), nn.Linear(3, 2))), steps),
    "steady norms of tables": (
        lambda: nn.Sequential(nn.SplitTable(0), rnn.Sequencer(nn.Sequential(nn.Linear(4, 3), rnn.NormStabilizer()))),
        steps,
    ),
    "masked": (lambda: masked(nn.Linear(4, 3), nn.Tanh(), nn.Linear(3, 2)), padded),
    "masked without a last weight": (lambda: masked(nn.Linear(4, 3), nn.Tanh()), padded),
    "masked branches": (branches, padded),
    "masked steps": (lambda: rnn.Sequencer(rnn.LSTM(4, 3).maskZero(1)), steps),
    "masked layer of steps": (lambda: rnn.Sequencer(rnn.MaskZero(nn.Linear(4, 3), 1)), steps),
    "masked layers of steps": (
        lambda: rnn.Sequencer(rnn.MaskZero(nn.Sequential(rnn.FastLSTM(4, 3), nn.Linear(3, 3), nn.BatchNormalization(3)), 1)),
        lambda: draw(5, 3, 4),
    ),
    "masked recurrent layer and another": (
        lambda: rnn.Sequencer(rnn.MaskZero(nn.Sequential(rnn.FastLSTM(4, 3), nn.Linear(3, 2)), 1)),
        steps,
    ),
    "trimmed": (lambda: rnn.Sequencer(rnn.TrimZero(nn.Linear(4, 3), 1)), steps),
    "slopes": (slopes, lambda: draw(3, 3, 4)),
    "distances": (distances, lambda: [padded(), draw(5, 4)]),
    "torch-rnn": (lambda: nn.Sequential(authors.TorchRnnLSTM(4, 3), authors.VanillaRNN(3, 2)), lambda: draw(2, 5, 4)),
    "both ways": (lambda: rnn.SeqBRNN(4, 3), lambda: draw(5, 2, 4)),
    "kernels of one pair": (
        lambda: nn.SpatialConvolutionMap(np.array([[0, 1], [0, 1], [1, 0], [2, 1]]), 2, 2, 2, 1),
        lambda: draw(2, 3, 5, 4),
    ),
}


@pytest.mark.parametrize("name", NETWORKS)
def test_network(name: str) -> None:
    make, input = NETWORKS[name]
    assert not learning_problems(make(), input())


def test_a_weight_that_is_computed_does_not_learn() -> None:
    """PyTorch may not change the product of a length and a direction that are not there."""
    module = pl.to_torch(nn.WeightNorm(nn.TemporalRowConvolution(3, 2)), (None, 4, 3))
    assert not any(parameter.requires_grad for parameter in module.parameters())


def test_half_a_batch_normalization() -> None:
    """A layer without a weight has none that learns in PyTorch, either."""
    net = nn.BatchNormalization(3)
    net.weight = net.gradWeight = None
    module = pl.to_torch(net, (None, 3))
    assert [name for name, parameter in module.named_parameters() if parameter.requires_grad] == ["bn.bias"]
