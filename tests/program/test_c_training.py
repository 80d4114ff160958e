"""Training steps as C: they have the bits of `pl.compile`'s steps, allocate nothing after they were opened, and can be saved."""

from __future__ import annotations

import ctypes
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pytorch_legacy as pl
from pytorch_legacy import backend, nn, rnn
from pytorch_legacy.arrays import tree
from pytorch_legacy.errors import IndexRangeError, THNNError, ValueRangeError
from pytorch_legacy.program.inputs import Spec
from tests.program import c_host
from tests.program.test_c_source import counts, header_words, program
from tests.program.test_step_arrays import Centered, replacing, zeros
from tests.program.test_steps import Moving, char_rnn, digits, labels, numbers

MOST = 5
BATCHES = (2, 1, 5, 3)

pytestmark = pytest.mark.skipif(c_host.CC is None or c_host.CXX is None, reason="needs gcc and g++")


def classifier(*layers: Any) -> Any:
    return nn.Sequential(*layers, nn.LogSoftMax())


def normalized() -> Any:
    return nn.Sequential(
        nn.SpatialConvolution(2, 4, 3, 3, 1, 1, 1, 1), nn.SpatialBatchNormalization(4), nn.ReLU(True),
        nn.SpatialMaxPooling(2, 2), nn.View(-1).setNumInputDims(3), nn.Linear(36, 3),
    )  # fmt: skip


def two_outputs() -> Any:
    both = nn.ConcatTable(classifier(nn.Linear(4, 3)), nn.Sequential(nn.Linear(4, 2), nn.Tanh()))
    return nn.Sequential(nn.Linear(3, 4), nn.Sigmoid(), both)


def parallel(*criterions: Any) -> Any:
    made = nn.ParallelCriterion()
    for criterion in criterions:
        made.add(criterion, 0.5)
    return made


def unrolled() -> Any:
    return char_rnn(5, 4, 3), parallel(*[nn.ClassNLLCriterion() for _ in range(3)], nn.MSECriterion(), nn.MSECriterion())


def embedding() -> Any:
    return classifier(nn.LookupTable(3, 4), nn.TemporalConvolution(4, 5, 2), nn.Max(1), nn.Linear(5, 3)), nn.ClassNLLCriterion()


def padded() -> Any:
    """Returns a network that sets a row of its weights to zero in each forward pass."""
    return nn.Sequential(rnn.LookupTableMaskZero(3, 4), nn.Max(1), nn.Linear(4, 2)), nn.MSECriterion()


def renormed() -> Any:
    """Returns a network that shortens the rows of its weights that the input names."""
    return nn.Sequential(nn.LookupTable(3, 4, maxNorm=0.5), nn.Max(1), nn.Linear(4, 2)), nn.MSECriterion()


class Summing(nn.Linear):
    """An nn.Linear whose gradients are sums over all steps, and which shrinks its weight after each."""

    def zeroGradParameters(self) -> Any:
        return self

    def accGradParameters(self, input: Any, gradOutput: Any, scale: float = 1.0) -> None:
        super().accGradParameters(input, gradOutput, scale)
        self.weight *= self.weight.dtype.type(0.5)


def texts(n: int) -> Any:
    return np.random.default_rng(n).integers(0, 3, (n, 6))


def sequence(n: int) -> Any:
    """Returns the input and the target of char-rnn's LSTM."""
    states = [numbers(n, 4, seed=seed) for seed in range(2)]
    return [*(numbers(n, 5, seed=time) for time in range(3)), *states], [*(labels(n, 5, time) for time in range(3)), *states]


NETWORKS: dict[str, tuple[Callable[[], Any], Callable[[int], Any]]] = {
    "mlp": (
        lambda: (classifier(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 3)), nn.ClassNLLCriterion()),
        lambda n: (numbers(n, 3, seed=n), labels(n, 3, n)),
    ),
    "digits": (lambda: (digits(), nn.ClassNLLCriterion()), lambda n: (numbers(n, 1, 28, 28, seed=n), labels(n, 10, n))),
    "normalized": (lambda: (normalized(), nn.MSECriterion()), lambda n: (numbers(n, 2, 6, 6, seed=n), numbers(n, 3, seed=n))),
    "doubles": (
        lambda: (normalized().double(), nn.SmoothL1Criterion().double()),
        lambda n: (numbers(n, 2, 6, 6, seed=n, dtype=np.float64), numbers(n, 3, dtype=np.float64)),
    ),
    "dropout": (
        lambda: (nn.Sequential(nn.Linear(3, 8), nn.Dropout(0.4), nn.RReLU(), nn.Linear(8, 2)), nn.MSECriterion()),
        lambda n: (numbers(n, 3, seed=n), numbers(n, 2, seed=n)),
    ),
    "unrolled": (unrolled, sequence),
    "two_outputs": (
        lambda: (two_outputs(), parallel(nn.ClassNLLCriterion(), nn.MSECriterion())),
        lambda n: (numbers(n, 3, seed=n), [labels(n, 3, n), numbers(n, 2, seed=n)]),
    ),
    "embedding": (embedding, lambda n: (texts(n), labels(n, 3, n))),
    "padded": (padded, lambda n: (texts(n), numbers(n, 2, seed=n))),
    "renormed": (renormed, lambda n: (texts(n), numbers(n, 2, seed=n))),
    "weight_norm": (
        lambda: (nn.Sequential(nn.WeightNorm(nn.Linear(3, 4)), nn.Linear(4, 2)), nn.MSECriterion()),
        lambda n: (numbers(n, 3, seed=n), numbers(n, 2, seed=n)),
    ),
    "summing": (
        lambda: (nn.Sequential(nn.Linear(3, 4), Summing(4, 2)), nn.MSECriterion()),
        lambda n: (numbers(n, 3, seed=n), numbers(n, 2, seed=n)),
    ),
    "moving": (
        lambda: (nn.Sequential(nn.Linear(3, 4), Moving(4)), nn.MSECriterion()),
        lambda n: (numbers(n, 3, seed=n), numbers(n, 4, seed=n)),
    ),
    "replaced": (
        lambda: (nn.Sequential(nn.Linear(3, 4), Centered(replacing, mean=zeros(4))), nn.MSECriterion()),
        lambda n: (numbers(n, 3, seed=n), numbers(n, 4, seed=n)),
    ),
    "untold": (lambda: (nn.Linear(3, 4), nn.L1Cost()), lambda n: (numbers(n, 3, seed=n), None)),
    "single": (lambda: (classifier(nn.Linear(3, 4)), nn.ClassNLLCriterion()), lambda n: (numbers(3, seed=n), n % 4)),
}
FIXED = ("single",)
CHANGED = {
    "padded": ["nn.LookupTableMaskZero (module 1)"],
    "renormed": ["nn.LookupTable (module 1)"],
    "summing": ["Summing(4 -> 2) (module 2)"],
}
"""Networks with modules whose passes change their parameters."""


def made(name: str) -> tuple[Any, Any, Any]:
    """Returns a network, its criterion, and an example in which the number of samples is free."""
    make, batch = NETWORKS[name]
    pl.manualSeed(1)
    net, criterion = make()
    x, target = batch(2)
    return net, criterion, (x, target) if name in FIXED else (freed(x), freed(target))


def freed(value: Any) -> Any:
    """Returns specs with a free number of samples in the place of arrays."""
    if value is None or isinstance(value, list):
        return value and [freed(one) for one in value]
    return Spec((None, *value.shape[1:]), value.dtype, value if value.dtype.kind == "i" else None)


class Step(c_host.Network):
    """A step in C: ``step(x, target)`` returns the loss. `parameters` and `gradParameters` are its memory."""

    def __init__(self, library: ctypes.CDLL, header: Path, most: int = MOST, bin: Any = None) -> None:
        super().__init__(library, header, most, bin)
        count = int(re.search(r"_PARAMETERS (\d+)", header.read_text())[1])
        self.parameters, self.gradParameters = (self._vector(name, count, header) for name in ("parameters", "gradients"))

    def _vector(self, name: str, count: int, header: Path) -> Any:
        function = getattr(self.library, f"{self.name}_{name}")
        isDouble = f"double *{self.name}_{name}" in header.read_text()
        function.restype = ctypes.POINTER(ctypes.c_double if isDouble else ctypes.c_float)
        return np.ctypeslib.as_array(function(self.handle), (count,))

    def __call__(self, x: Any, target: Any) -> float:  # type: ignore[override]
        loss = np.zeros(1)
        self.run([*flat(x), *flat(target)], [loss], None)
        return float(loss[0])

    def save(self, file: Path) -> None:
        self.call("save", self.handle, bytes(file))


def flat(value: Any) -> list[Any]:
    """Returns the arrays of a table, in order."""
    return [np.atleast_1d(np.ascontiguousarray(one)) for one in tree.leaves(value) if one is not None]


@pytest.fixture(scope="module")
def written(tmp_path_factory: Any) -> Any:
    """Returns the folder with the C of all steps, and their library."""
    folder = tmp_path_factory.mktemp("steps")
    for name in NETWORKS:
        net, criterion, example = made(name)
        pl.to_c(net, folder / f"{name}.c", example, criterion=criterion)
    return folder, c_host.library(folder, [folder / f"{name}.c" for name in NETWORKS])


def test_they_are_cpp_too(written: Any) -> None:
    c_host.check_cpp([written[0] / f"{name}.c" for name in NETWORKS])


def assert_same(one: Any, other: Any, x: Any, target: Any, seed: int) -> None:
    """Both steps give the same bits, leave the generator at the same place, and move the parameters alike."""
    found = []
    for step in (one, other):
        pl.manualSeed(seed)
        loss = step(x, target)
        step.parameters[...] -= step.parameters.dtype.type(0.05) * step.gradParameters
        found.append((np.float64(loss).tobytes(), step.gradParameters.tobytes(), step.parameters.tobytes(), pl.random.random()))
    assert found[0] == found[1]


@pytest.mark.parametrize("name", NETWORKS)
def test_bits(name: str, written: Any) -> None:
    folder, library = written
    net, criterion, example = made(name)
    compiled = pl.compile(net, example, criterion=criterion)
    pl.manualSeed(3)
    first = pl.random.random()
    pl.manualSeed(3)
    step = Step(library, folder / f"{name}.h")
    assert pl.random.random() == first  # opening leaves the generator alone
    assert not step.gradParameters.any() and np.array_equal(step.parameters, compiled.parameters)
    for seed, n in enumerate(BATCHES):
        assert_same(step, compiled, *NETWORKS[name][1](n), seed)
    step.close()


@pytest.mark.parametrize("name", NETWORKS)
def test_the_header_says_what_a_step_changes(name: str, written: Any) -> None:
    folder, library = written
    words = re.sub(r"\s*\n \* ?", " ", (folder / f"{name}.h").read_text())
    x, target = NETWORKS[name][1](2)

    def gradients(before: float) -> tuple[bytes, bool]:
        """Returns the gradients of a step that finds these gradients, and whether the parameters stay as they are."""
        step = Step(library, folder / f"{name}.h")
        parameters, step.gradParameters[...] = step.parameters.copy(), before
        pl.manualSeed(3)
        step(x, target)
        found = step.gradParameters.tobytes(), np.array_equal(step.parameters, parameters)
        step.close()
        return found

    (one, isUnchanged), (other, _) = gradients(0), gradients(7)
    assert ("The parameters stay as they are" in words) == isUnchanged == (name not in CHANGED)
    assert all(f"{module} change their own." in words for module in CHANGED.get(name, ()))
    assert ("sets the gradients to zero" in words) == (one == other) == (name != "summing")
    assert ("The gradients are not written" in words) == (name == "summing")


def test_what_was_trained_is_saved(written: Any, tmp_path: Path) -> None:
    folder, library = written
    net, criterion, example = made("normalized")
    compiled, batch = pl.compile(net, example, criterion=criterion), NETWORKS["normalized"][1]
    step = Step(library, folder / "normalized.h")
    for n in (4, 3):
        assert_same(step, compiled, *batch(n), n)
    step.save(tmp_path / "trained.bin")
    step.close()
    compiled.writeTo(net)
    content = (tmp_path / "trained.bin").read_bytes()
    layer = net.findModules(nn.SpatialBatchNormalization)[0][0]
    assert layer.running_mean.any() and layer.running_mean.tobytes() in content and layer.running_var.tobytes() in content
    again = Step(library, folder / "normalized.h", bin=tmp_path / "trained.bin")
    for n in (1, 2):  # one sample is normalized by the running mean
        assert_same(again, compiled, *batch(n), n)
    again.close()


# ---- memory


def test_nothing_is_allocated_after_opening(written: Any) -> None:
    host = program(written[0], [*NETWORKS], "-DCOUNTS")
    for variables in ({}, {"HAS_NAN": "1"}):
        assert not any(counts(c_host.run(host, OMP_NUM_THREADS="1", **variables), len(NETWORKS)).values()), variables


def test_no_memory_is_lost_or_overrun(written: Any) -> None:
    names = ["mlp", "normalized", "dropout", "two_outputs", "embedding", "single"]
    host = program(written[0], names, "-fsanitize=address,undefined,leak", "-fno-sanitize-recover=all")
    text = c_host.run(host, ASAN_OPTIONS="detect_leaks=1", OMP_NUM_THREADS="1")
    assert len(text.splitlines()) == 7 * len(names)


def test_the_header_counts_the_bytes(written: Any) -> None:
    folder, library = written
    lib, bytes = ctypes.CDLL(str(backend.library_path)), (ctypes.c_uint64 * 2)()
    for name in ("digits", "normalized"):
        assert f"_WEIGHTS {(folder / f'{name}.bin').stat().st_size} " in (folder / f"{name}.h").read_text()
        scratch = int(re.search(r"keeps ([\d,]+) bytes of scratch", header_words(folder / f"{name}.h"))[1].replace(",", ""))
        step = Step(library, folder / f"{name}.h", most=1)
        state = ctypes.c_void_p.from_address(step.handle.value)
        assert lib.THNN_stateBytes(state, ctypes.byref(bytes), ctypes.byref(bytes, 8)) == 0
        assert not bytes[0] and bytes[1] >= scratch > 0
        step.close()


# ---- errors


def test_errors_of_a_step(written: Any) -> None:
    folder, library = written
    step, x, t = Step(library, folder / "mlp.h"), numbers(6, 3), labels(6, 3)
    with pytest.raises(ValueRangeError, match="mlp_step: n: expected 1 to 5, got 6"):
        step(x, t)
    with pytest.raises(IndexRangeError, match="expected 0 to 2, got 3"):
        step(x[:2], np.int64([0, 3]))
    for given, name in (([None, t], "input"), ([x, None], "target")):
        with pytest.raises(THNNError, match=f"mlp_step: {name}: expected an address, got NULL"):
            step.run(given, [np.zeros(1)], 1)
    with pytest.raises(THNNError, match="mlp_step: loss: expected an address, got NULL"):
        step.run([x, t], [None], 1)
    assert step(x[:2], t[:2]) > 0
    step.close()
    assert not library.mlp_parameters(None) and not library.mlp_gradients(None)


@pytest.mark.parametrize(
    "change, message",
    [
        (lambda content: content[:-1], "expected 192 bytes, got fewer in"),
        (lambda content: content + b"0", "expected 192 bytes, got more in"),
        (lambda content: content[:-60] + b"1" + content[-59:], "expected a file as mlp_save writes it, got a damaged one in"),
        (lambda content: b"1" + content[1:], r"expected the weights of mlp\.c, got other ones in"),
    ],
)
def test_wrong_files_of_weights(change: Any, message: str, written: Any, tmp_path: Path) -> None:
    folder, library = written
    content = (folder / "mlp.bin").read_bytes()
    (tmp_path / "other.bin").write_bytes(change(content))
    with pytest.raises(ValueRangeError, match=f"mlp_open: bin: {message}.*other.bin"):
        Step(library, folder / "mlp.h", bin=tmp_path / "other.bin")


def test_errors_of_saving(written: Any, tmp_path: Path) -> None:
    folder, library = written
    step = Step(library, folder / "mlp.h")
    with pytest.raises(ValueRangeError, match="mlp_save: bin: expected a file that can be written, got"):
        step.save(tmp_path)
    with pytest.raises(THNNError, match="mlp_save: bin: expected the path of a file, got NULL"):
        step.call("save", step.handle, None)
    if Path("/dev/full").exists():
        with pytest.raises(ValueRangeError, match="mlp_save: bin: expected room for 192 bytes, got less in /dev/full"):
            step.save(Path("/dev/full"))
    step.close()
    with pytest.raises(THNNError, match="mlp_save: net: expected an address, got NULL"):
        step.save(tmp_path / "mlp.bin")


def remembering() -> Any:
    return nn.Sequential(rnn.SeqLSTM(3, 4).remember("both"), rnn.Sequencer(nn.Linear(4, 2)))


REFUSED: dict[str, tuple[Any, Any, Any, dict[str, Any], str]] = {
    "a state": (remembering(), nn.MSECriterion(), ((5, None, 3), (5, None, 2)), {}, "keeps no state from step to step"),
    "no parameters": (nn.Tanh(), nn.MSECriterion(), ((None, 3), (None, 3)), {}, "a network with parameters, got one without"),
    "embedded": (nn.Linear(3, 2), nn.MSECriterion(), ((None, 3), (None, 2)), {"embed": True}, "embed: expected False"),
    "no pair": (nn.Linear(3, 2), nn.MSECriterion(), (None, 3), {}, "expected a pair of an input and a target"),
    "no criterion": (nn.Linear(3, 2), nn.Tanh(), ((None, 3), (None, 2)), {}, "criterion: expected a criterion"),
    "two free sizes": (nn.Linear(3, 2), nn.MSECriterion(), ((None, None, 3), (None, None, 2)), {}, "at most one None"),
    "a decision": (nn.NaN(nn.Linear(3, 3)), nn.MSECriterion(), ((None, 3), (None, 3)), {}, "reads numbers"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refusals(name: str, tmp_path: Path) -> None:
    net, criterion, example, options, text = REFUSED[name]
    with pytest.raises(THNNError, match=re.escape(text)):
        pl.to_c(net, tmp_path / "net.c", example, criterion=criterion, **options)
    assert not [*tmp_path.iterdir()]


def test_the_network_does_not_change(tmp_path: Path) -> None:
    net, criterion, example = made("normalized")
    before = [array.copy() for array in (*net.parameters()[0], net.modules[1].running_mean, net.modules[1].running_var)]
    generator = pl.random.getRNGState()
    pl.to_c(net, tmp_path / "net.c", example, criterion=criterion)
    after = [*net.parameters()[0], net.modules[1].running_mean, net.modules[1].running_var]
    assert all(map(np.array_equal, before, after)) and np.array_equal(generator, pl.random.getRNGState())
    assert sorted(file.name for file in tmp_path.iterdir()) == ["net.bin", "net.c", "net.h"]


def test_the_source_has_three_sections(written: Any) -> None:
    text = (written[0] / "digits.c").read_text()
    parts = re.split(r"\n  /\* ---- (.*) \*/\n", text)[1:]
    titles = ["zeroGradParameters", "forward: updateOutput", "criterion", "backward: updateGradInput and accGradParameters"]
    each = dict(zip(parts[::2], parts[1::2], strict=True))
    assert [*each] == titles
    assert "Linear_updateOutput" in each[titles[1]] and "updateGradInput" not in each[titles[1]]
    assert "ClassNLLCriterion_updateOutput" in each[titles[2]] and "ClassNLLCriterion_updateGradInput" in each[titles[2]]
    assert each[titles[3]].index("Linear_updateGradInput") < each[titles[3]].index("Linear_accGradParameters")
    assert "&net->gradWeight_8, &net->gradBias_8" in each[titles[3]]
