"""Networks as C: they compile without a warning, compute the bits of the program, and allocate nothing after they were opened."""

from __future__ import annotations

import ctypes
import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pytorch_legacy as pl
from pytorch_legacy import backend, nn, nngraph, rnn
from pytorch_legacy.arrays import tree
from pytorch_legacy.errors import IndexRangeError, ShapeError, THNNError, ValueRangeError
from pytorch_legacy.program.inputs import Spec, filled, leaves, specs
from tests.program import c_host
from tests.program.function import Function
from tests.realfiles import realfile

DIGITS = Path(__file__).resolve().parents[2] / "examples" / "digits" / "digits.t7"
MOST = 5

pytestmark = pytest.mark.skipif(c_host.CC is None or c_host.CXX is None, reason="needs gcc and g++")


def numbers(*shape: int, seed: int = 0, dtype: Any = np.float32) -> Any:
    return np.random.default_rng(seed).standard_normal(shape).astype(dtype)


def conv(inputs: int, outputs: int, k: int = 3, d: int = 1, pad: int = 1) -> nn.Module:
    return nn.SpatialConvolution(inputs, outputs, k, k, d, d, pad, pad)


def digits() -> Any:
    return pl.load(DIGITS)["model"]


def residual() -> Any:
    one = nn.Sequential(conv(8, 8), nn.SpatialBatchNormalization(8), nn.ReLU(True), conv(8, 8))
    both = nn.Sequential(nn.ConcatTable(one, nn.Identity()), nn.CAddTable(True), nn.ReLU(True))
    return nn.Sequential(conv(3, 8), both, nn.SpatialAveragePooling(8, 8, 8, 8), nn.View(-1).setNumInputDims(3), nn.Linear(8, 5))


def joined() -> Any:
    up = nn.Sequential(nn.SpatialMaxPooling(2, 2), conv(4, 8), nn.LeakyReLU(0.1), nn.SpatialUpSamplingNearest(2))
    return nn.Sequential(conv(3, 4), nn.ConcatTable(nn.Identity(), up), nn.JoinTable(0, 3), conv(12, 2), nn.Sigmoid())


def transposed() -> Any:
    return nn.Sequential(
        nn.SpatialFullConvolution(3, 4, 4, 4, 2, 2, 1, 1), nn.ELU(), nn.SpatialBatchNormalization(4), nn.Clamp(-1, 1)
    )


def doubles() -> Any:
    return nn.Sequential(conv(2, 3), nn.Tanh(), nn.View(-1).setNumInputDims(3), nn.Linear(48, 4), nn.SoftMax()).double()


def graph() -> Any:
    x = nn.Identity()()
    p, q = nn.SplitTable(1)(x).split(2)
    total = nn.CAddTable()([p, q])
    return nngraph.gModule([x], [total, nn.JoinTable(1)([total, nn.CMulTable()([p, q])]), x])


def embedding() -> Any:
    return nn.Sequential(nn.LookupTable(20, 6), nn.TemporalConvolution(6, 8, 3), nn.ReLU(), nn.Max(1), nn.Linear(8, 3))


def two_inputs() -> Any:
    one = nn.Sequential(nn.Linear(4, 3), nn.Tanh())
    return nn.Sequential(nn.ParallelTable(one, nn.Linear(6, 3)), nn.CosineDistance())


def tables() -> Any:
    return Function(lambda x: {"sum": x["a"] + x["b"], "more": [x["a"] * 2, {"int": x["b"] - x["a"], 1: (x["b"] > 0)}]})


def normalized() -> Any:
    return nn.Sequential(nn.SpatialContrastiveNormalization(3, np.ones((5, 5), np.float32)), nn.SpatialCrossMapLRN(3, 0.1))


def volumes() -> Any:
    return nn.Sequential(nn.VolumetricConvolution(2, 3, 3, 3, 3), nn.ReLU(), nn.VolumetricMaxPooling(2, 2, 2), nn.Mean(1, 4))


def attention() -> Any:
    return nn.Sequential(nn.ConcatTable(nn.Identity(), nn.Transpose((1, 2))), nn.MM(), nn.SoftMax(), nn.Sum(-1))


def views() -> Any:
    return nn.ConcatTable(nn.Narrow(1, 1, 2), nn.Select(1, 0), nn.Sequential(nn.Transpose((1, 2)), nn.Select(1, 1)))


def char_rnn() -> Any:
    return pl.load(realfile("char-rnn__lstm_epoch2.36_1.7753.t7"))["protos"]["rnn"].evaluate().float()


def masked() -> Any:
    return Function(lambda x: np.where(x[:, :2] > 0, x[:, :2], np.float32(-np.inf)).max(1, keepdims=True) * x)


Example = Any
NETWORKS: dict[str, tuple[Callable[[], Any], Example]] = {
    "digits": (digits, (None, 1, 28, 28)),
    "residual": (residual, (None, 3, 8, 8)),
    "joined": (joined, (None, 3, 8, 8)),
    "transposed": (transposed, (None, 3, 5, 5)),
    "doubles": (doubles, (None, 2, 4, 4)),
    "graph": (graph, (None, 2, 3)),
    "embedding": (embedding, Spec((None, 7), np.dtype(np.int64), np.arange(14).reshape(2, 7))),
    "two_inputs": (two_inputs, [(None, 4), (None, 6)]),
    "tables": (tables, {"a": (None, 4), "b": (None, 4)}),
    "normalized": (normalized, (None, 3, 9, 9)),
    "volumes": (volumes, (None, 2, 6, 6, 6)),
    "attention": (attention, (None, 4, 4)),
    "views": (views, (None, 3, 4)),
    "masked": (masked, (None, 3)),
    "fixed": (residual, (2, 3, 8, 8)),
    "by_batch": (lambda: nn.Sequential(nn.Linear(3, 4), nn.Squeeze(), nn.Tanh()), (None, 3)),
    "char_rnn": (char_rnn, [np.int64([0, 1]), *[(2, 128)] * 4]),
    "last_axis": (lambda: nn.Sequential(nn.Transpose((0, 1)), nn.Linear(3, 2)), (3, None)),
    "bytes": (lambda: Function(lambda x: x.astype(np.float32) / 255), Spec((None, 2, 3), np.dtype(np.uint8))),
    "steps": (lambda: rnn.LSTM(3, 4), (None, 3)),
    "sequences": (lambda: nn.Sequential(rnn.SeqGRU(3, 4).remember("both"), nn.Tanh()), (5, None, 3)),
    "titles": (lambda: pl.load(realfile("torch-rnn__wired-titles.t7"))["model"], np.int64([[1, 2, 3], [4, 5, 6]])),
}
STATES = ("steps", "sequences", "titles")
BATCHES = (1, 2, MOST, 3)


def inputs(example: Any, n: int, seed: int) -> list[Any]:
    """Returns arrays for the specs of a table, with n for None."""
    found = []
    for place, spec in enumerate(leaves(example)):
        shape = [n if size is None else size for size in spec.shape]
        made = numbers(*shape, seed=10 * seed + place, dtype=np.float32)
        isIndex = spec.dtype.kind in "iu"
        found.append((np.abs(10 * made) % 20).astype(spec.dtype) if isIndex else made.astype(spec.dtype))
    return found


@pytest.fixture(scope="module")
def written(tmp_path_factory: Any) -> Any:
    """Returns the folder with the C of all networks, their library, and the networks themselves."""
    folder = tmp_path_factory.mktemp("c")
    nets = {}
    for name, (make, example) in NETWORKS.items():
        pl.manualSeed(1)
        with suppress(pytest.skip.Exception):  # a file that is not there
            nets[name] = make().evaluate()
            pl.to_c(nets[name], folder / f"{name}.c", example)
    return folder, c_host.library(folder, [folder / f"{name}.c" for name in nets]), nets


def test_they_are_cpp_too(written: Any) -> None:
    c_host.check_cpp([written[0] / f"{name}.c" for name in written[2]])


@pytest.mark.parametrize("name", NETWORKS)
def test_bits(name: str, written: Any) -> None:
    folder, library, nets = written
    if name not in nets:
        pytest.skip("its file is not there")
    table = specs(nets[name], NETWORKS[name][1])
    program = pl.compile(nets[name], table)
    network = c_host.Network(library, folder / f"{name}.h", MOST)
    for seed, n in enumerate(BATCHES if network.isBatched else (0, 0)):
        program.forget()
        if name in STATES:
            network.call("forget", network.handle)
        for time in range(3 if name in STATES else 1):
            arrays = inputs(table, n, seed + time)
            expected = [*tree.leaves(program(filled(table, arrays)))]
            assert not network.differs(arrays, expected, n), (n, time)
    network.close()


# ---- memory


def program(folder: Path, names: Sequence[str], *options: str) -> Path:
    """Returns a program that runs networks, and prints how often they allocated. If HAS_NAN is set, inputs have NaN."""
    headers = [folder / f"{name}.h" for name in names]
    text = "".join([f'#include "{header.name}"\n' for header in headers] + [c_host.host(header) for header in headers])
    calls = "\n".join(f"  {name}_host();" for name in names)
    source = folder / "host.c"
    source.write_text(
        f'{c_host.COUNTING}\n{text}\nint main(void)\n{{\n  hasNaN = getenv("HAS_NAN") != NULL;\n{calls}\n  return 0;\n}}\n'
    )
    flags = ["-std=gnu11", "-O1", "-g", "-Wall", "-Wextra", "-Werror", f"-I{c_host.installed.library}", *options]
    sources = [source, *(folder / f"{name}.c" for name in names)]
    c_host.run(c_host.CC, *flags, *sources, "-o", folder / "host", *c_host.linked())
    return folder / "host"


@pytest.fixture(scope="module")
def counting(written: Any) -> Path:
    """Returns the program that counts the allocations of all networks."""
    folder, _, nets = written
    return program(folder, [*nets], "-DCOUNTS")


@pytest.mark.parametrize("variables", [{}, {"HAS_NAN": "1"}], ids=["finite", "NaN"])
def test_nothing_is_allocated_after_opening(variables: dict[str, str], counting: Path, written: Any) -> None:
    nets = written[2]
    for threads, times in (("1", 1), ("2", 3)):
        runs = [counts(c_host.run(counting, OMP_NUM_THREADS=threads, **variables), len(nets)) for _ in range(times)]
        # A thread that sleeps takes no part in a small call, so that `prepare` may rarely have seen too few threads.
        assert {key: runs[0][key] for key in runs[0] if min(run[key] for run in runs)} == {}


def counts(text: str, networks: int) -> dict[tuple[str, str], int]:
    """Returns how often networks allocated in their runs, of the output of the program."""
    rows = [line.split() for line in text.splitlines()]
    found = {(name, when): int(count) for name, when, count in rows}
    assert len(rows) == 7 * networks and all(count > 0 for (_, when), count in found.items() if when == "open")
    return {key: count for key, count in found.items() if key[1] != "open"}


def test_no_memory_is_lost_or_overrun(written: Any) -> None:
    """Under AddressSanitizer, UndefinedBehaviorSanitizer and LeakSanitizer, which see the memory of the generated C."""
    folder = written[0]
    sanitizers = ["-fsanitize=address,undefined,leak", "-fno-sanitize-recover=all"]
    names = ["digits", "graph", "embedding", "tables", "fixed", "steps"]
    host = program(folder, names, *sanitizers)
    text = c_host.run(host, ASAN_OPTIONS="detect_leaks=1", OMP_NUM_THREADS="1")
    assert len(text.splitlines()) == 7 * len(names)


def test_the_header_counts_the_bytes(written: Any) -> None:
    folder, library, nets = written
    for name in nets:
        text = (folder / f"{name}.h").read_text()
        assert re.search(r"_WEIGHTS (\d+)", text)[1] == str((folder / f"{name}.bin").stat().st_size)
    packed, scratch = re.search(
        r"keeps ([\d,]+) bytes of packed weights and ([\d,]+)", header_words(folder / "digits.h")
    ).groups()
    network = c_host.Network(library, folder / "digits.h", 1)
    state = ctypes.c_void_p.from_address(network.handle.value)
    bytes = (ctypes.c_uint64 * 2)()
    lib = ctypes.CDLL(str(backend.library_path))
    assert lib.THNN_setNumThreads(state, 1) == lib.THNN_freeScratch(state) == 0
    network([np.ones((1, 1, 28, 28), "f")], [np.ones((1, 10), "f")])
    assert lib.THNN_stateBytes(state, ctypes.byref(bytes), ctypes.byref(bytes, 8)) == 0
    assert list(bytes) == [int(packed.replace(",", "")), int(scratch.replace(",", ""))]


def header_words(header: Path) -> str:
    """Returns the first comment of a header as one line."""
    return re.sub(r"\s*\n \* ?", " ", header.read_text().partition("*/")[0])


# ---- errors of the C


@pytest.mark.parametrize(
    "most, message",
    [
        (0, "most: expected 1 to"),
        (-1, "most: expected 1 to"),
        (10**13, "most: expected 1 to"),
        (10**12, "bytes of memory, got none"),
    ],
)
def test_a_wrong_number_of_samples(most: int, message: str, written: Any) -> None:
    folder, library, _ = written
    with pytest.raises(THNNError, match=f"digits_open: .*{message}"):
        c_host.Network(library, folder / "digits.h", most)


def test_errors_of_a_run(written: Any) -> None:
    folder, library, _ = written
    network = c_host.Network(library, folder / "two_inputs.h", 3)
    x, y, z = numbers(9, 4), numbers(9, 6), np.zeros(9, np.float32)
    for n in (0, -1, 4, 2**62):
        with pytest.raises(ValueRangeError, match=f"two_inputs_run: n: expected 1 to 3, got {n}"):
            network.run([x, y], [z], n)
    for inputs, output, name in (([None, y], z, "input_1"), ([x, None], z, "input_2"), ([x, y], None, "output")):
        with pytest.raises(THNNError, match=f"two_inputs_run: {name}: expected an address, got NULL"):
            network.run(inputs, [output], 1)
    network.close()
    with pytest.raises(THNNError, match="two_inputs_run: net: expected an address, got NULL"):
        network.run([x, y], [z], 1)
    network.close()  # NULL is allowed
    with pytest.raises(THNNError, match="two_inputs_open: net: expected a place for the pointer"):
        network.call("open", None, b"", ctypes.c_int64(1))
    with pytest.raises(THNNError, match="two_inputs_open: bin: expected the path of a file, got NULL"):
        network.call("open", ctypes.byref(network.handle), None, ctypes.c_int64(1))


def test_an_index_out_of_range(written: Any) -> None:
    folder, library, _ = written
    network = c_host.Network(library, folder / "embedding.h", 2)
    good, bad, y = np.ones((1, 7), np.int64), np.full((1, 7), 20), np.zeros((1, 3), np.float32)
    first = network([good], [y])[0]
    with pytest.raises(IndexRangeError, match="expected 0 to 19, got 20"):
        network.run([bad], [y])
    assert np.array_equal(network([good], [y])[0], first)
    network.close()


@pytest.mark.parametrize(
    "change, message",
    [
        (lambda content: None, "expected a file that can be read, got"),
        (lambda content: content[:-1], "expected 262592 bytes, got 262591 in"),
        (lambda content: b"", "expected a file that can be read, got"),
        (lambda content: content + b"0", "expected 262592 bytes, got 262593 in"),
        (
            lambda content: content[:1000] + bytes([content[1000] ^ 1]) + content[1001:],
            r"expected the weights of digits\.c, got other",
        ),
        (lambda content: content[::-1], r"expected the weights of digits\.c, got other"),
    ],
)
def test_wrong_files_of_weights(change: Any, message: str, written: Any, tmp_path: Path) -> None:
    folder, library, _ = written
    file = tmp_path / "other.bin"
    content = change((folder / "digits.bin").read_bytes())
    if content is not None:
        file.write_bytes(content)
    with pytest.raises(ValueRangeError, match=f"digits_open: bin: {message}.*other.bin"):
        c_host.Network(library, folder / "digits.h", 1, file)
    with pytest.raises(ValueRangeError, match="digits_open: bin: "):
        c_host.Network(library, folder / "digits.h", 1, tmp_path)


def test_a_state_is_of_one_number_of_samples(written: Any) -> None:
    folder, library, _ = written
    network = c_host.Network(library, folder / "steps.h", 4)
    x, y = numbers(4, 3), np.zeros((4, 4), np.float32)
    first = network([x[:2]], [y[:2]])[0]
    with pytest.raises(ValueRangeError, match=r"n: expected 2, as before, .*, got 3; steps_forget begins anew"):
        network.run([x[:3]], [y])
    assert not np.array_equal(network([x[:2]], [y[:2]])[0], first)
    network.call("forget", network.handle)
    network.run([x[:3]], [y])
    network.call("forget", network.handle)
    assert np.array_equal(network([x[:2]], [y[:2]])[0], first)
    network.close()


# ---- names and files


def small() -> Any:
    return nn.Sequential(nn.Linear(3, 2), nn.Tanh())


@pytest.mark.parametrize(
    "name", ["my-net.2", "int", "div", "net", "2nd", "\u03bb", "malloc", "TRY", "a_b", "y1", "state", "arena", "x"]
)
def test_names_of_files(name: str, tmp_path: Path) -> None:
    net, embed = small(), name in ("my-net.2", "net", "state")
    files = pl.to_c(net, tmp_path / f"{name}.c", (None, 3), embed=embed)
    assert [file.name for file in files] == [f"{name}.h", f"{name}.c", f"{name}_weights.c" if embed else f"{name}.bin"]
    assert sorted(tmp_path.iterdir()) == sorted(files)
    sources = [file for file in files if file.suffix == ".c"]
    c_host.check_cpp(sources)
    network = c_host.Network(c_host.library(tmp_path, sources), files[0], 4)
    x = numbers(3, 3)
    assert not network.differs([x], [pl.compile(net, (None, 3))(x)])
    network.close()


def test_modules_whose_text_ends_a_comment(tmp_path: Path) -> None:
    net = small()
    net.modules[1].__class__ = type("Tanh", (nn.Tanh,), {"__repr__": lambda self: "*/ int x = 1/0; /* \\", "_typename": "*/ /*"})
    files = pl.to_c(net, tmp_path / "net.c", (None, 3))
    c_host.library(tmp_path, files[1:2])


@pytest.mark.parametrize("name", ["net.h", "net.cpp", "net", ".c", "net.C"])
def test_wrong_endings(name: str, tmp_path: Path) -> None:
    with pytest.raises(ValueRangeError, match=r"expected a name that ends in \.c"):
        pl.to_c(small(), tmp_path / name, (None, 3))
    assert not [*tmp_path.iterdir()]


def test_nothing_is_written_after_an_error(tmp_path: Path) -> None:
    for file in ("net.h", "net.c", "net.bin"):
        (tmp_path / file).write_text("before")
    with pytest.raises(ShapeError):
        pl.to_c(small(), tmp_path / "net.c", (None, 4))
    (tmp_path / "other.bin").mkdir()
    with pytest.raises(IsADirectoryError):
        pl.to_c(small(), tmp_path / "other.c", (None, 3))
    assert {file.name for file in tmp_path.iterdir()} == {"net.h", "net.c", "net.bin", "other.bin"}
    assert all(file.read_text() == "before" for file in tmp_path.iterdir() if file.is_file())


@pytest.mark.parametrize(
    "make, example, message",
    [
        (lambda: 3, (None, 3), "pl.to_c: net: expected a module, got int 3"),
        (small, (None, None, 3), "expected at most one None in a shape"),
        (lambda: Function(lambda x: x if len(x) < 4 else x + 1), (None, 3), "the same calls for each number of samples"),
        (lambda: Function(lambda x: x * float(x.max())), (None, 3), "reads numbers of an array"),
    ],
)
def test_networks_that_are_refused(make: Any, example: Any, message: str, tmp_path: Path) -> None:
    with pytest.raises(THNNError, match=re.escape(message)):
        pl.to_c(make(), tmp_path / "net.c", example)
    assert not [*tmp_path.iterdir()]
