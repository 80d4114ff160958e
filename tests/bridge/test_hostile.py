"""Files are hostile: nothing of their text runs, and nothing of it but comments stands in what is written."""

from __future__ import annotations

import ast
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pytorch_legacy as pl
from pytorch_legacy import nn

torch = pytest.importorskip("torch", reason='the bridge needs torch: pip install "pytorch-legacy[torch]"')

NAMES = [
    'x"""\nraise SystemExit("""',
    "x\nraise SystemExit()\n#",
    "x\r\x0c\x0b\x1c\u2028\u2029\x85raise SystemExit()",
    "«0»«1»",
    "# self.fc1",
    "\\",
    '"\\"""',
    "\x00\x1b[2J\u202e",
    "\ud800",
    "a; raise SystemExit() #" * 50,
]


def graph(name: str) -> nn.Module:
    x = nn.Identity()()
    return nn.gModule([x], [nn.Tanh()(nn.Linear(3, 3)(x).annotate({"name": name}))])


@pytest.mark.parametrize("name", NAMES)
def test_names_of_nodes_and_classes(name: str, tmp_path: Path) -> None:
    """The text is what it is without the name, but for comments and the docstring, and is one that editors show."""
    net, plain = graph(name), graph("plain")
    net._typename = name
    module = pl.to_python(net, tmp_path / "net.py", (None, 3))
    written = (tmp_path / "net.py").read_bytes().decode()
    assert written == module.source and all(c.isprintable() or c == "\n" for c in written)
    trees = [ast.parse(text) for text in (written, pl.to_torch(plain, (None, 3)).source)]
    assert ast.dump(ast.Module(trees[0].body[1:], [])) == ast.dump(ast.Module(trees[1].body[1:], []))
    with pytest.raises(pl.bridge.NoRule) as caught:
        pl.to_torch(nn.Sequential().add(nn.Unknown(name)), (None, 3))
    assert str(caught.value).isprintable()


class Repr:
    def __repr__(self) -> str:
        return "torch.zeros(1).fill_(1)"


@pytest.mark.parametrize(
    "field",
    [
        '(__import__("os").environ.setdefault("HOSTILE", "1"), 0)[1]',
        'torch.os.environ.setdefault("HOSTILE", "1") and 0',
        'float(torch.os.environ.setdefault("HOSTILE", "1"))',
        "0)  # x\n(",
        'torch.load("x")',
        "torch.cat.__self__",
        "[y for y in (1,)][0]",
        "(lambda: 0)()",
        "f'{torch}'",
        "9**9**9",
        "open",
        "«0»",
        "(" * 500,
        "\x00",
        Repr(),
        nn.Unknown("0), exit(), (0"),
    ],
)
def test_fields_that_are_no_numbers(field: Any) -> None:
    """Whatever a field holds where a rule expects a number: nothing of it runs."""
    assert "HOSTILE" not in os.environ
    layers = {
        "LeakyReLU": (nn.LeakyReLU, "negval"),
        "HardShrink": (nn.HardShrink, "lambda_"),
        "Replicate": (lambda: nn.Replicate(2), "nfeatures"),
        "PixelShuffle": (lambda: nn.PixelShuffle(2), "upscaleFactor"),
    }
    for make, name in layers.values():
        layer = make()
        layer.updateOutput = lambda input, layer=layer: input  # as if the layer itself took it
        layer._axis = lambda input: 0
        setattr(layer, name, field)
        with pytest.raises(pl.THNNError):
            pl.to_torch(layer, (None, 4, 2, 2))
        assert "HOSTILE" not in os.environ


def test_constructors() -> None:
    """Fields that stand in the constructor of a torch module."""
    net = nn.PartialLinear(3, 3)
    net.partition = ['0)], exit(), [("']
    with pytest.raises(pl.THNNError):
        pl.to_torch(net, (None, 3))
    net = nn.SpatialFullConvolution(1, 1, 3, 3)
    net.nOutputPlane = "1, 1), exit(), (1"
    net.updateOutput = lambda input: np.zeros_like(input)
    with pytest.raises(pl.THNNError):
        pl.to_torch(net, (None, 1, 4, 4))
