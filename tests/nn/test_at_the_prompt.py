"""Aids at a prompt: help, completion, pictures of networks, hints of PyTorch's names."""

import inspect
import pydoc
import re
import textwrap
import traceback
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

import pytorch_legacy as pl
from pytorch_legacy import nn, torch_names
from pytorch_legacy.backend import call, stubs
from pytorch_legacy.errors import ArgumentError, ShapeError
from pytorch_legacy.files.classes import list_names


@pytest.mark.parametrize("cls", [nn.SpatialConvolution, nn.Sequential, nn.MSECriterion, pl.rnn.SeqLSTM])
def test_help_shows_no_insides(cls):
    """pydoc lists the private members of whatever has an attribute called _fields, as named tuples have."""
    text = pydoc.render_doc(cls, renderer=pydoc.plaintext)
    assert len(text.splitlines()) < 480
    assert not re.search(r"^ \|  _[a-z]", text, re.MULTILINE)


# ---------------------------------------------------------------------------------------------- completion


def test_classes_of_other_packages_are_known_to_completion_and_type_checkers():
    assert {"LSTM", "gModule", "Inception", "Sequential", "utils"} <= set(dir(nn))
    assert all(hasattr(nn, name) for name in dir(nn))
    stub = stubs.texts(Path(pl.__file__).parent)[Path(nn.__file__).with_suffix(".pyi")]
    typed = re.findall(r"^from (\S*) import (\w+) as (\w+)$", stub, re.MULTILINE)
    names = [name for _, _, name in typed]
    assert len(set(names)) == len(names)
    assert set(names) - set(nn.__dict__) == {name for name in list_names("nn") if name.isidentifier()} - set(nn.__all__)
    for module, cls, name in typed:
        path = f"pytorch_legacy.nn{module}" if module.startswith(".") else module
        package = nn if module == "." else import_module(path)
        assert getattr(package, cls) is getattr(nn, name), (module, name)


def test_a_build_writes_what_completion_reads(tmp_path):
    package = Path(pl.__file__).parent
    stubs.generate(package, tmp_path)
    for family in nn.FAMILIES:
        text = (tmp_path / "nn" / family / "__init__.pyi").read_text()
        assert re.findall(r" as (\w+)$", text, re.MULTILINE) == getattr(nn, family).__all__


# ---------------------------------------------------------------------------------------- names of PyTorch


def test_every_hint_names_what_there_is():
    for theirs, ours in torch_names.CLASSES.items():
        assert hasattr(nn, ours)
        with pytest.raises(AttributeError, match=f"no attribute '{theirs}'; Torch7 calls it nn.{ours}$"):
            getattr(nn, theirs)
    for theirs, ours in torch_names.OPTIMIZERS.items():
        assert callable(getattr(pl.optim, ours))
        with pytest.raises(AttributeError, match=rf"no attribute '{theirs}'; .* optim\.{ours}\(opfunc, x, config\)"):
            getattr(pl.optim, theirs)
    net = nn.Sequential(nn.Linear(2, 2))
    for theirs, text in torch_names.ATTRIBUTES.items():
        for thing in (net, net[0], nn.MSECriterion()):
            with pytest.raises(AttributeError, match=re.escape(f"{thing._typename}: has no attribute '{theirs}'; {text}")):
                getattr(thing, theirs)
            assert not hasattr(thing, theirs)
        for method in re.findall(r"(?:^| )\.?(\w+)\(\)", text):
            assert callable(getattr(net, method)), text
    known = {name for cls in map(nn.__dict__.get, nn.__all__) for name in inspect.signature(cls.__init__).parameters}
    for theirs, candidates in torch_names.ARGUMENTS.items():
        assert set(candidates) & (known | {"hiddenSize", "numLayers"}), theirs


@pytest.mark.parametrize(
    "make, text",
    [
        (lambda: nn.SpatialConvolution(3, 8, kernel_size=3), "nn.SpatialConvolution: kernel_size: .*; Torch7 calls it kW, kH$"),
        (lambda: nn.SpatialMaxPooling(2, 2, stride=2), "stride: there is no such argument, .*; Torch7 calls it dW, dH$"),
        (lambda: nn.SpatialConvolution(3, 8, 3, 3, padding=1), "padding: .*; Torch7 calls it padW, padH$"),
        (lambda: nn.SpatialConvolution(3, 8, 3, 3, bias=False), r"bias: .*; call noBias\(\) on the layer$"),
        (lambda: nn.Linear(in_features=3, out_features=2), "in_features: .*; Torch7 calls it inputSize$"),
        (lambda: nn.MSECriterion(reduction="sum"), "reduction: .*; Torch7 calls it sizeAverage$"),
        (lambda: nn.BatchNormalization(num_features=3), "num_features: .*; Torch7 calls it nOutput$"),
        (lambda: nn.Linear(3, 2, colour=1), "colour: there is no such argument, but inputSize, outputSize, bias$"),
        (
            lambda: nn.Sequential(nn.Tanh),
            r"nn.Sequential: modules: expected a module, got the class nn.Tanh; make one of it: \(\)$",
        ),
    ],
)
def test_arguments_of_pytorch(make, text):
    with pytest.raises(ArgumentError, match=text):
        make()


def test_dtype():
    net = nn.Sequential(nn.Linear(2, 2).double(), nn.Tanh())
    assert net.dtype == np.float64 and nn.Tanh().dtype == np.float32 and nn.MSECriterion().double().dtype == np.float64
    assert nn.Sequential().double().dtype == nn.Sequential(nn.Tanh()).double().dtype == np.float64


# ---------------------------------------------------------------------------------------------- tables of networks


def network():
    return nn.Sequential(
        nn.SpatialConvolution(3, 8, 3, 3), nn.ReLU(), nn.Dropout(), nn.View(-1).setNumInputDims(3), nn.Linear(72, 2)
    )


def test_summary():
    net = network()
    before = dict(vars(net))
    table = net.summary((3, 5, 5))
    assert str(table) == repr(table) == textwrap.dedent(
        """\
        nn.Sequential, 370 parameters, float32
          module                                  output  parameters  operations
          (1) nn.SpatialConvolution(3 -> 8, 3x3)   8x3x3         224       1,944
          (2) nn.ReLU                              8x3x3           0          72
          (3) nn.Dropout(0.500000)                 8x3x3           0           0
          (4) nn.View(-1)                             72           0           0
          (5) nn.Linear(72 -> 2)                       2         146         144
          total: 370 parameters, 2,160 operations for an input of 3x5x5"""
    )  # fmt: skip
    assert table.rows[0] == ("(1) nn.SpatialConvolution(3 -> 8, 3x3)", "8x3x3", "224", "1,944")
    assert vars(net) == before and net.output.size == 0 and net.train, "the network is as it was"
    assert net.summary().header == ("module", "parameters") and "370 parameters" in str(net.summary())
    assert str(net.summary([7, 3, 5, 5])).endswith("for an input of 7x3x5x5")
    assert net.double().summary((3, 5, 5)).rows == table.rows
    assert [row[0] for row in nn.Sequential(network()).summary(depth=1).rows] == ["(1) nn.Sequential"]
    for wrong, error, text in (
        ((3, 2, 2), ShapeError, "in module 1 of nn.Sequential, nn.SpatialConvolution: input: expected at least the kernel"),
        ((3, -1, 5), ShapeError, "nn.Sequential: summary: expected sizes of 0 or more"),
        ((10**6, 10**6), ShapeError, "nn.Sequential: summary: expected sizes of 0 or more, of 10.9 elements at most"),
        ("3x5x5", ArgumentError, "nn.Sequential: summary: expected a shape such as .*, got str '3x5x5'"),
    ):
        with pytest.raises(error, match=f"^{text}"):
            net.summary(wrong)


def test_summary_of_tables_indices_graphs_and_sequences():
    assert nn.ParallelTable(nn.Linear(2, 3), nn.Tanh()).summary([(2,), (4,)]).rows[1][1] == "4"
    assert nn.LookupTable(5, 3).summary(np.array([1, 2])).rows[0][1] == "2x3"
    node = nn.Linear(10, 5)()
    assert nn.gModule([node], [nn.Tanh()(node)]).summary(10).rows[1][:2] == ("(2) nn.Tanh", "5")
    steps = nn.Sequencer(nn.Recurrence(nn.Sequential(nn.JoinTable(0), nn.Linear(7, 3)), 3, 1))
    assert steps.summary([(4,), (4,)]).header[1] == "output" and steps.output == nn.Sequencer(nn.Identity()).output
    assert pl.rnn.SeqLSTM(4, 3).summary((5, 2, 4)).rows[0][1] == "5x2x3"
    criterion = nn.MultiCriterion().add(nn.MSECriterion()).add(nn.AbsCriterion(), 0.5)
    assert criterion.summary().rows == [("(1) nn.MSECriterion", "1"), ("(2) nn.AbsCriterion", "0.5")]


def test_notebooks_show_tables():
    html = network()._repr_html_()
    assert html.startswith("<p>nn.Sequential, 370 parameters, float32</p><table>")
    assert "(3 -&gt; 8, 3x3)" in html and "->" not in html
    assert "<td>1,944</td>" in network().summary((3, 5, 5))._repr_html_()
    node, broken = nn.Tanh()(), nn.Container.__new__(nn.Container)
    for thing in (nn.MSECriterion(), nn.gModule([node], [node]), nn.LSTM(2, 2), nn.Unknown("<b>"), broken):
        assert "<" in thing._repr_html_() and "<b>" not in thing._repr_html_()


# ---------------------------------------------------------------------------------------------- messages


def zeros(*shape):
    return np.zeros(shape, np.float32)


def again(layer, *inputs):
    for input in inputs:
        layer.forward(input)


def unpooled(pooling):
    pooling.forward(zeros(1, 6, 6))
    nn.SpatialMaxUnpooling(pooling).forward(zeros(1, 2, 2))


@pytest.mark.parametrize(
    "use, text",
    [
        (
            lambda: nn.SpatialConvolution(3, 2, 9, 9).forward(zeros(3, 4, 4)),
            "nn.SpatialConvolution: input: expected at least the kernel",
        ),
        (lambda: nn.Linear(3, 2).backward(zeros(3)), "nn.Linear: gradOutput: expected an array, got None"),
        (lambda: pl.setNumThreads(-1), "setNumThreads: threads: expected 0 to 1024, got -1"),
        (lambda: pl.setNumThreads("two"), "setNumThreads: threads: expected an integer from 0 to 1024, got 'two'"),
        (
            lambda: nn.SpatialMaxPooling(2, 2).backward(zeros(1, 4, 4), zeros(1, 2, 2)),
            "nn.SpatialMaxPooling: indices: expected 1 x 2 x 2, got none; forward() comes first, with the input",
        ),
        (
            lambda: nn.SpatialMaxPooling(2, 2).forward(zeros(1, 0, 4)),
            "nn.SpatialMaxPooling: input height: expected 1 or more, got 0",
        ),
        (
            lambda: nn.SpatialReflectionPadding(5, 0, 0, 0).forward(zeros(1, 3, 3)),
            "nn.SpatialReflectionPadding: pad_l: expected 2 or less, got 5",
        ),
        (
            lambda: unpooled(nn.SpatialMaxPooling(2, 2)),
            "nn.SpatialMaxUnpooling: input: expected 1 x 3 x 3, as the output of nn.SpatialMaxPooling(2x2, 2,2), got 1 x 2 x 2",
        ),
        (
            lambda: again(pl.rnn.SeqLSTM(3, 4).remember("both"), zeros(2, 5, 3), zeros(2, 6, 3)),
            "nn.SeqLSTM: input: expected a batch of 5, as in the sequence that is remembered, got 6; forget() begins a new one",
        ),
        (
            lambda: again(nn.Recurrence(nn.Sequential(nn.CAddTable()), 3, 1), zeros(5, 3), zeros(6, 3)),
            "nn.CAddTable: input[1]: expected 6 x 3, got 5 x 3; it is step 2 of a sequence, forget() begins a new one",
        ),
        (
            lambda: nn.JoinTable(0).forward([zeros(2), zeros(2, 3)]),
            "nn.JoinTable: input[1]: expected the sizes of input[0], 2, but for dimension 0, got 2 x 3",
        ),
    ],
)
def test_errors_speak_of_what_was_called(use, text):
    with pytest.raises(pl.THNNError, match=re.escape(text)) as caught:
        use()
    assert not re.search("_updateOutput|_outputSize|NULL|2147483647|THNN_", str(caught.value))


def test_tracebacks_show_the_lines_of_a_call():
    with pytest.raises(pl.THNNError) as caught:
        call(nn.Tanh(), "Tanh_updateOutput", zeros(2).astype(np.float64), zeros(2))
    assert "slot.fill(array)" in "".join(traceback.format_exception(caught.value))
