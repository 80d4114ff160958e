"""A class of one's own that returns another dtype is named itself, not the layer after it."""

from __future__ import annotations

import numpy as np
import pytest

import pytorch_legacy as pl
from pytorch_legacy import nn
from pytorch_legacy.errors import DtypeError


class Doubles(nn.Module):
    """Returns float64, as numbers of NumPy make of float32."""

    def __init__(self, forward: bool = True) -> None:
        super().__init__()
        self.isForward = forward

    def updateOutput(self, input):
        self.output = np.float64(2) * input if self.isForward else 2 * input
        return self.output

    def updateGradInput(self, input, gradOutput):
        self.gradInput = np.float64(2) * gradOutput
        return self.gradInput


class Rows(nn.Module):
    """Rows of the identity, as float64, for indices."""

    def updateOutput(self, input):
        self.output = [np.eye(5)[input], input]
        return self.output


class Loss(nn.Criterion):
    def updateOutput(self, input, target):
        self.output = float((input - target).sum())
        return self.output

    def updateGradInput(self, input, target):
        self.gradInput = np.ones(input.shape)
        return self.gradInput


X = np.ones((2, 3), np.float32)
TEXT = r"Doubles: updateOutput: expected to return float32, the dtype of the module, got a float64 array of 2 x 3; return x"


def test_the_class_is_named() -> None:
    for net, where in (
        (nn.Sequential(nn.Linear(3, 3), Doubles(), nn.Linear(3, 2)), "in module 2 of nn.Sequential, "),
        (nn.Sequential(nn.Linear(3, 3), Doubles()), "in module 2 of nn.Sequential, "),
        (nn.Sequential(nn.ConcatTable(nn.Tanh(), Doubles()), nn.CAddTable()), "in module 1 of nn.Sequential, in module 2 of "),
        (Doubles(), ""),
    ):
        with pytest.raises(DtypeError, match=rf"^{where}.*{TEXT}"):
            net.forward(X)
    x = nn.Identity()()
    graph = nn.gModule([x], [nn.Tanh()(Doubles()(x))])
    with pytest.raises(DtypeError, match=TEXT):
        graph.forward(X)
    with pytest.raises(DtypeError, match=r"Rows: updateOutput: expected to return float32, .*, got a float64 array of 1 x 5"):
        Rows().forward(np.array([3]))


def test_gradients_too() -> None:
    net = nn.Sequential(nn.Linear(3, 3), Doubles(forward=False), nn.Linear(3, 3))
    with pytest.raises(DtypeError, match=r"^in module 2 of nn\.Sequential, Doubles: updateGradInput: expected to return float32"):
        net.backward(X, net.forward(X))
    loss = Loss()
    assert loss.forward(X, X) == 0
    with pytest.raises(DtypeError, match=r"^Loss: updateGradInput: expected to return float32, .* got a float64 array of 2 x 3"):
        loss.backward(X, X)


def test_what_is_no_mistake() -> None:
    class Cast(Doubles):
        changesDtype = True

    class Best(nn.Module):
        def updateOutput(self, input):
            self.output = input.argmax(1)
            return self.output

    class Pair(nn.Sequential):
        def updateOutput(self, input):
            return super().updateOutput(input)

    assert Cast().forward(X).dtype == np.float64
    assert nn.Sequential(Cast(), nn.Linear(3, 2).double()).forward(X).dtype == np.float64
    assert Best().forward(X).dtype == np.int64
    assert Doubles().double().forward(X.astype(np.float64)).dtype == np.float64
    assert Doubles().forward(X.astype(np.float64)).dtype == np.float64  # the input is of another dtype already
    assert Pair(nn.Copy("torch.FloatTensor", "torch.DoubleTensor")).forward(X).dtype == np.float64
    assert "changesDtype" not in pl.t7.read(_saved(Cast())).fields


def _saved(module: nn.Module) -> bytes:
    import io

    file = io.BytesIO()
    pl.save(file, module)
    return file.getvalue()


def test_integers_that_the_next_module_refuses() -> None:
    """The error is that of the next module, because integers may be indices; it names the class that returned them."""

    class Signs(nn.Module):
        def updateOutput(self, input):
            self.output = (input > 0).astype(np.int64)
            return self.output

    x = np.ones((2, 3), np.float32)
    with pytest.raises(DtypeError, match=r"^in module 2 of nn\.Sequential, nn\.Tanh: input: .*; module 1 of .*, Signs, returned"):
        nn.Sequential(Signs(), nn.Tanh()).forward(x)
    assert nn.Sequential(Signs(), nn.LookupTable(2, 4)).forward(x).shape == (2, 3, 4)
    with pytest.raises(DtypeError) as caught:
        nn.Sequential(nn.Identity(), nn.Tanh()).forward(x.astype(int))
    assert "returned" not in str(caught.value)


def test_what_is_no_array() -> None:
    """A forgotten `return` is the fault of the class, not of the layer after it."""

    class Forgets(nn.Module):
        def updateOutput(self, input):
            self.output = 2 * input

    class Listed(nn.Module):
        def updateOutput(self, input):
            self.output = [input, input]
            return self.output

    x = np.ones((2, 3), np.float32)
    with pytest.raises(DtypeError, match=r"nn\.Tanh: input: .*, got None; module 1 of nn\.Sequential, Forgets, returned it$"):
        nn.Sequential(Forgets(), nn.Tanh()).forward(x)
    with pytest.raises(
        DtypeError, match=r"^in module 2 .* in module 2 of nn\.Sequential, nn\.Tanh: .*; module 1 of .*, Listed, returned it$"
    ):
        nn.Sequential(nn.Identity(), nn.Sequential(Listed(), nn.Tanh())).forward(x)
