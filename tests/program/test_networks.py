"""Networks, sizes and states that programs once got wrong, or may: beside the eager network, on numbers of all kinds."""

from __future__ import annotations

import copy
import gc
import pickle
import warnings
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

import pytorch_legacy as pl
from pytorch_legacy import authors, cudnn, nn, nngraph, rnn
from pytorch_legacy.arrays import tree
from pytorch_legacy.errors import CompileError, IndexRangeError, OutOfMemoryError, ShapeError, THNNError
from tests.program.function import Function
from tests.realfiles import realfile

BATCHES = (2, 1, 3, 17, 2)


def numbers(*shape: int, seed: int = 0, dtype: Any = np.float32) -> Any:
    return np.random.default_rng(seed).standard_normal(shape).astype(dtype)


def assert_alike(net: Any, program: Any, x: Any) -> None:
    """Both give the same, or raise the same kind of exception."""
    expected: Any = None
    with np.errstate(all="ignore"):
        try:
            expected = [np.array(one) for one in tree.leaves(net.forward(tree.map_arrays(np.copy, x)))]
        except THNNError as error:
            with pytest.raises(type(error)):
                program(x)
            return
    found = [*tree.leaves(program(x))]
    assert [np.shape(one) for one in expected] == [np.shape(one) for one in found]
    for one, other in zip(expected, found, strict=True):
        finite = one[np.isfinite(one)]
        scale = max(1e-30, float(np.abs(finite).max(initial=0)))
        np.testing.assert_allclose(other, one, rtol=1e-5, atol=1e-5 * scale)


def shared_graph() -> Any:
    x = nn.Identity()()
    layer, h = nn.Linear(3, 3), x
    for _ in range(3):
        h = nn.ReLU(True)(layer(h))
    return nngraph.gModule([x], [h])


def split_graph() -> Any:
    x = nn.Identity()()
    p, q = nn.SplitTable(1)(x).split(2)
    total = nn.CAddTable()([p, q])
    return nngraph.gModule([x], [total, nn.JoinTable(1)([total, nn.CMulTable()([p, q])]), x])


def tied() -> Any:
    net = nn.Sequential(nn.Linear(4, 4), nn.Tanh(), nn.Linear(4, 4))
    net.modules[2].weight = net.modules[0].weight.T
    return net


def normalized_twice() -> Any:
    layer, norm = nn.Linear(4, 4), nn.BatchNormalization(4)
    norm.running_mean += 1
    return nn.Sequential(layer, norm, nn.Tanh(), layer, norm)


def in_place_between() -> Any:
    return nn.Sequential(nn.ConcatTable(nn.Identity(), nn.Sequential(nn.Identity(), nn.ReLU(True)), nn.Tanh()), nn.CAddTable())


NETS: dict[str, tuple[Any, Any]] = {
    "a graph with one layer thrice": (shared_graph, (None, 3)),
    "a graph with tables": (split_graph, (None, 2, 3)),
    "tied weights": (tied, (None, 4)),
    "normalized twice": (normalized_twice, (None, 4)),
    "in place between": (in_place_between, (None, 3)),
    "Mean over the batch": (lambda: nn.Mean(0), (None, 4)),
    "normalized by sample": (lambda: authors.InstanceNormalization(4), (None, 4, 5, 5)),
    "VanillaRNN": (lambda: authors.VanillaRNN(4, 3), (None, 5, 4)),
    "cudnn.RNN": (lambda: cudnn.RNNTanh(4, 3, 2), (None, 5, 4)),
    "a batch in parts": (lambda: authors.SequentialSplitBatch(4).add(nn.Linear(4, 3)), (None, 4)),
    "no modules": (lambda: nn.ConcatTable(), (None, 4)),
    "a cost volume": (lambda: authors.CostVolMulti(3), [(None, 2, 5, 5), (None, 2, 5, 5)]),
    "products of matrices": (lambda: nn.MM(), [(None, 3, 4), (None, 4, 2)]),
    "a product over the batch": (lambda: nn.MM(False, True), [(None, 4), (None, 4)]),
    "a Gram matrix": (lambda: authors.GramMatrix(), (None, 5, 4)),
}


def inputs(example: Any, n: int, seed: int) -> Any:
    if isinstance(example, list):
        return [inputs(one, n, seed + place) for place, one in enumerate(example)]
    return numbers(*(n if size is None else size for size in example), seed=seed)


@pytest.mark.parametrize("name", NETS)
def test_batches_in_turns(name: str) -> None:
    make, example = NETS[name]
    pl.manualSeed(3)
    net = make().evaluate()
    program = pl.compile(net, example)
    for seed, n in enumerate(BATCHES):
        assert_alike(net, program, inputs(example, n, seed))
    for value in (np.nan, np.inf, 0.0):
        x = inputs(example, 3, 9)
        for one in tree.leaves(x):
            one[1] = value
        assert_alike(net, program, x)


WEIGHTS = {
    "strided": lambda w: np.repeat(w, 2, 1)[:, ::2],
    "transposed": lambda w: np.asfortranarray(w),
    "reversed": lambda w: w[::-1, ::-1],
    "repeated": lambda w: np.broadcast_to(w[:1], w.shape),
    "of a buffer": lambda w: np.frombuffer(w.tobytes(), w.dtype).reshape(w.shape),
}


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("name", WEIGHTS)
def test_weights_in_any_memory(name: str, dtype: Any) -> None:
    net = nn.Sequential(nn.Linear(4, 3), nn.Tanh()).type(np.dtype(dtype).name)
    net.modules[0].weight = WEIGHTS[name](numbers(3, 4, dtype=dtype))
    program = pl.compile(net, (None, 4))
    for n in (1, 5):
        assert_alike(net, program, numbers(n, 4, dtype=dtype))


def test_weights_in_a_mapped_file(tmp_path: Any) -> None:
    mapped = np.memmap(tmp_path / "weights", np.float32, "w+", shape=(3, 4))
    mapped[...] = numbers(3, 4)
    net = nn.Linear(4, 3)
    net.weight = mapped
    program = pl.compile(net, (None, 4))
    before = program(numbers(2, 4))
    mapped[...] = 0
    assert np.array_equal(program(numbers(2, 4)), before)


def test_another_size_after_forget() -> None:
    net = nn.Sequential(rnn.SeqLSTM(3, 4).remember("both")).evaluate()
    program = pl.compile(net, (None, None, 3))
    assert_alike(net.forget(), program, numbers(5, 2, 3))
    long = numbers(7, 3, 3)
    with pytest.raises(ShapeError, match="forget"):
        program(long)
    program.forget(), net.forget()
    for _ in range(2):
        assert_alike(net, program, long)


def test_what_is_no_size_of_the_network_after_forget() -> None:
    program = pl.compile(rnn.LSTM(3, 4), (None, 3))
    program(numbers(2, 3))
    for _ in range(2):
        with pytest.raises(ShapeError):
            program(numbers(2, 5))
        program.forget()
    with pytest.raises(ShapeError, match="expected any x 3, as it was compiled for"):
        program(numbers(2, 5))


@pytest.mark.parametrize("kind", [rnn.SeqLSTM, rnn.SeqGRU])
def test_states_of_clones_and_pickles_begin_anew(kind: Any) -> None:
    net = nn.Sequential(kind(3, 4).remember("both"), kind(4, 2).remember("both")).evaluate()
    program = pl.compile(net, (5, None, 3))
    steps = [numbers(5, 2, 3, seed=seed) for seed in range(3)]
    expected = [program(x).copy() for x in steps]
    for other in (program.clone(), pickle.loads(pickle.dumps(program)), copy.deepcopy(program)):
        for x, y in zip(steps, expected, strict=True):
            assert np.array_equal(other(x), y)


def test_clones_with_states_in_threads() -> None:
    program = pl.compile(rnn.LSTM(3, 4), (None, 3))
    steps = [numbers(2, 3, seed=seed) for seed in range(20)]
    expected = [program(x).copy() for x in steps]
    wrong: list[int] = []

    def work(own: Any) -> None:
        for _ in range(5):
            own.forget()
            wrong.extend(k for k, x in enumerate(steps) if not np.array_equal(own(x), expected[k]))

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(work, [program.clone() for _ in range(4)]))
    assert not wrong


def test_a_state_stays_after_an_error() -> None:
    net = nn.Sequential(nn.LookupTable(5, 3), rnn.SeqLSTM(3, 4).remember("both")).evaluate()
    index = np.int64([[1], [2]])
    program = pl.compile(net, index)
    net.forget()
    for x in (index, index + 1, index + 9, index):
        assert_alike(net, program, x)


def test_an_index_out_of_range_whose_row_nobody_reads() -> None:
    net = nn.Sequential(nn.ConcatTable(nn.LookupTable(10, 3), nn.LookupTable(5, 3)), nn.SelectTable(0))
    program = pl.compile(net, np.int64([1, 2]))
    assert_alike(net, program, np.int64([4, 0]))
    with pytest.raises(IndexRangeError, match=r"module 2 of nn\.ConcatTable.* 0 to 4, got 9"):
        program(np.int64([1, 9]))


def test_errors_in_a_graph_name_its_node() -> None:
    x = nn.Identity()()
    net = nngraph.gModule([x], [nn.CAddTable()([nn.LookupTable(5, 3)(x), nn.LookupTable(4, 3)(x)])])
    program = pl.compile(net, np.int64([1, 2]))
    texts = []
    for run in (net.forward, program):
        with pytest.raises(IndexRangeError) as raised:
            run(np.int64([1, 4]))
        texts.append(str(raised.value))
    assert texts[0] == texts[1]


def test_tables_by_name() -> None:
    net = Function(lambda x: {"sum": x["a"] + x["b"], "more": [x["a"] * 2, {"difference": x["b"] - x["a"], 1: x["b"] * 3}]})
    program = pl.compile(net, {"a": (None, 4), "b": (None, 4)})
    x = {"b": numbers(3, 4), "a": numbers(3, 4, seed=1)}
    found = program(x)
    assert np.array_equal(found["sum"], x["a"] + x["b"]) and found["more"][1].keys() == {"difference", 1}
    assert np.array_equal(found["more"][1][1], x["b"] * 3)


def test_outputs_that_are_one_array_for_some_batches() -> None:
    net = Function(lambda x: [x, x, [x[0:1], x]])
    program = pl.compile(net, (None, 3))
    for n in BATCHES:
        assert_alike(net, program, numbers(n, 3))


def test_sums_that_cancel_out() -> None:
    net = Function(lambda x: x.sum())
    for seed in range(4):
        program = pl.compile(net, (None, 3 + seed))
        assert_alike(net, program, numbers(5, 3 + seed))


def fails(x: Any) -> Any:
    if len(x) != 5:
        raise ValueError("not five")
    return 2 * x


def test_an_exception_of_a_layer_of_one_s_own_is_a_refusal() -> None:
    with pytest.raises(CompileError, match="Function: ValueError: not five"):
        pl.compile(Function(fails), (None, 3))
    net = Function(fails)
    assert_alike(net, pl.compile(net, (5, 3)), numbers(5, 3))


def test_a_program_in_a_layer_is_a_refusal() -> None:
    inner = pl.compile(nn.Tanh(), (None, 3))
    with pytest.raises(CompileError, match="cannot call a program"):
        pl.compile(Function(inner), (None, 3))


def test_a_network_that_contains_itself() -> None:
    net = nn.Sequential(nn.Tanh())
    net.modules.append(net)
    with pytest.raises(THNNError, match="nested too deep, or contain themselves"):
        pl.compile(net, (None, 3))


def test_more_than_memory() -> None:
    with pytest.raises(OutOfMemoryError, match=r"pl\.compile"):
        pl.compile(nn.Tanh(), (10**13, 3))


def test_no_warnings() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        pl.compile(nn.Sequential(nn.Linear(3, 2), nn.Exp()), (None, 3))
        pl.compile(nn.Sequential(nn.Exp()).double(), [numbers(2, 3, dtype=np.float64) * 1e300][0])


def test_repr_shows_no_state() -> None:
    assert repr(pl.compile(nn.Sequential(rnn.LSTM(3, 4)), (None, 3))).startswith("Program: N x 3 -> N x 4, 41 calls")


@pytest.mark.parametrize(
    "make, example", [(lambda: nn.Sequential(nn.Linear(3, 2), nn.Tanh()), (None, 3)), (shared_graph, (None, 3))]
)
def test_compiling_leaves_no_cycles(make: Any, example: Any) -> None:
    net = make()
    pl.compile(net, example)
    gc.collect()
    gc.disable()
    try:
        before = {id(one) for one in gc.get_objects() if type(one).__name__ in ("Block", "Memory", "Call")}
        pl.compile(net, example)
        left = [one for one in gc.get_objects() if type(one).__name__ in ("Block", "Memory", "Call")]
        assert not [one for one in left if id(one) not in before]
    finally:
        gc.enable()


@pytest.mark.parametrize("name", ["lstm_epoch2.36_1.7753", "rnn_epoch0.13_2.4581"])
def test_networks_of_char_rnn(name: str) -> None:
    content = pl.load(realfile(f"char-rnn__{name}.t7"))
    net = content["protos"]["rnn"].evaluate().float()
    size, layers = int(content["opt"]["rnn_size"]), int(content["opt"]["num_layers"])
    count = layers * (2 if "lstm" in name else 1)
    program = pl.compile(net, [np.int64([0, 1]), *[(None, size)] * count])
    state = [numbers(2, size, seed=seed) for seed in range(count)]
    for index in ([3, 4], [5, 0]):
        assert_alike(net, program, [np.int64(index), *state])
        state = [one.copy() for one in program([np.int64(index), *state])[:count]]


def test_the_network_of_torch_rnn() -> None:
    net = pl.load(realfile("torch-rnn__wired-titles.t7"))["model"].evaluate()
    program = pl.compile(net, np.int64([[1, 2, 3], [4, 5, 6]]))
    for seed in range(3):
        assert_alike(net, program, np.random.default_rng(seed).integers(0, 80, (2, 3)))


@pytest.mark.parametrize(
    "name, shape",
    [
        ("tic-tac-toe__213000-O.t7", (9,)), ("e-lab__face-detector.ascii.net", (1, 32, 32)),
        ("e-lab__new_face.net", (1, 32, 32)), ("e-lab__road_u1net.net", (3, 46, 46)),
        ("cudnn.torch__modelTemp.t7", (11, 4, 8, 8)), ("cpp-torch__basic_net.t7", (3,)),
    ],
)  # fmt: skip
def test_real_networks(name: str, shape: Any) -> None:
    net = pl.load(realfile(name)).evaluate()
    program = pl.compile(net, (None, *shape))
    for n in (1, 2, 5):
        assert_alike(net, program, numbers(n, *shape, dtype=net._inputDtype))
