"""Containers: chains, branches, and how an error finds its way out of them."""

import sys
from itertools import count

import numpy as np
import pytest

from pytorch_legacy.errors import DtypeError, IndexRangeError, ShapeError, THNNError, from_status
from pytorch_legacy.nn.activation.ReLU import ReLU
from pytorch_legacy.nn.Container import Container
from pytorch_legacy.nn.container.Concat import Concat
from pytorch_legacy.nn.container.DepthConcat import DepthConcat
from pytorch_legacy.nn.container.MapTable import MapTable
from pytorch_legacy.nn.container.Parallel import Parallel
from pytorch_legacy.nn.container.Sequential import Sequential
from pytorch_legacy.nn.Module import Module
from pytorch_legacy.nn.shape.Identity import Identity
from pytorch_legacy.nn.table.CAddTable import CAddTable
from pytorch_legacy.nn.table.ConcatTable import ConcatTable
from pytorch_legacy.nn.table.JoinTable import JoinTable
from pytorch_legacy.nn.table.ParallelTable import ParallelTable
from tests.nn.toys import Linear, Tanh, batch, fails, mlp
from tests.trees import assert_same, copied, mapped


class Raising(Module):
    def __init__(self, error):
        super().__init__()
        self.error = error

    def updateOutput(self, input):
        raise self.error

    def zeroGradParameters(self):
        raise self.error


class First(Module):
    def updateOutput(self, input):
        self.output = input[0]
        return self.output


class TestContainer:
    def test_looks_like_a_list(self):
        net = mlp()
        assert net.size() == len(net) == 3
        assert net.get(0) is net[0] is next(iter(net)) and net[-1] is net.get(2)
        assert bool(Sequential())
        with fails(IndexRangeError, "nn.Sequential: index: 3 is out of range for 3 modules"):
            net.get(3)
        with pytest.raises(IndexError):
            net[-4]

    def test_parameters_are_always_two_lists(self):
        assert Sequential().add(Tanh()).parameters() == ([], [])
        parameters, gradients = mlp().add(Sequential().add(Linear(2, 2))).parameters()
        assert [p.shape for p in parameters] == [(3, 4), (3,), (2, 3), (2,), (2, 2), (2,)]
        assert [p.shape for p in parameters] == [g.shape for g in gradients]

    def test_does_for_all_what_is_asked_of_it(self):
        net = Sequential().add(mlp())
        net.evaluate()
        assert not any(module.train for module in net.listModules())
        net.training()
        assert all(module.train for module in net.listModules())
        net.backward(batch(2, 4), net.forward(batch(2, 4)))
        before = [p.copy() for p in net.parameters()[0]]
        net.updateParameters(0.5)
        for old, new, gradient in zip(before, *net.parameters(), strict=True):
            np.testing.assert_allclose(new, old - 0.5 * gradient, rtol=1e-5, atol=1e-7)
        net.zeroGradParameters()
        assert not any(g.any() for g in net.parameters()[1])
        seen = []
        net.applyToModules(seen.append)
        assert seen == [net.get(0)]

    def test_reset_reaches_the_layers(self):
        class Resettable(Module):
            def reset(self, stdv=None):
                self.stdv = stdv

        net = Sequential().add(Sequential().add(Resettable()))
        net.reset(0.1)
        assert net[0][0].stdv == 0.1

    def test_share_goes_child_by_child(self):
        a, b = mlp(), mlp()
        assert b.share(a, "weight") is b
        assert b[0].weight is a[0].weight and b[2].weight is a[2].weight and b[0].bias is not a[0].bias
        with fails(ShapeError, "nn.Sequential: share: expected a container of 3 modules, got 0"):
            b.share(Tanh(), "weight")


class TestErrors:
    def test_a_message_says_where(self):
        branches = Concat(1).add(Linear(4, 2))
        net = Sequential().add(Identity()).add(Identity()).add(branches)
        with pytest.raises(ShapeError) as error:
            net.forward(batch(2, 5))
        assert str(error.value) == (
            "in module 3 of nn.Sequential, in module 1 of nn.Concat, nn.Linear: input: expected 4 columns, got 5"
        )
        assert error.value.where == ["in module 3 of nn.Sequential", "in module 1 of nn.Concat"]
        assert error.value.code == 2

    def test_backward_says_where_too(self):
        net = Sequential().add(Identity()).add(Sequential().add(CAddTable()))
        x = [batch(2), batch(2)]
        net.forward(x)
        for run in (net.backward, net.updateGradInput):
            where = "in module 2 of nn.Sequential, in module 1 of nn.Sequential"
            with fails(ShapeError, f"{where}, nn.CAddTable: gradOutput: expected 2, or 2 elements in another shape, got 3"):
                run(x, batch(3))

    def test_foreign_exceptions_get_notes(self):
        net = Sequential().add(ParallelTable().add(Identity()).add(Raising(ZeroDivisionError("mine"))))
        with pytest.raises(ZeroDivisionError, match="mine") as error:
            net.forward([1, 2])
        assert error.value.__notes__ == ["in module 2 of nn.ParallelTable", "in module 1 of nn.Sequential"]
        with pytest.raises(ZeroDivisionError):
            net.zeroGradParameters()

    def test_an_interrupt_passes_untouched(self):
        with pytest.raises(KeyboardInterrupt) as error:
            Sequential().add(Raising(KeyboardInterrupt())).forward(1)
        assert not hasattr(error.value, "__notes__")

    @pytest.mark.parametrize(
        "code, builtin",
        [
            (1, ValueError),
            (2, ValueError),
            (3, ValueError),
            (4, IndexError),
            (5, MemoryError),
            (6, NotImplementedError),
            (7, RuntimeError),
            (8, RuntimeError),
        ],
    )
    def test_a_status_becomes_its_exception(self, code, builtin):
        error = from_status(code, "THNN_FloatX: input: no")
        assert isinstance(error, THNNError) and isinstance(error, builtin)
        assert error.code == code and str(error) == "THNN_FloatX: input: no"

    def test_an_unknown_status(self):
        error = from_status(99, "what")
        assert type(error) is THNNError and error.code == 99

    def test_dtype_errors_have_no_code(self):
        assert DtypeError("x").code == 0 and isinstance(DtypeError("x"), TypeError)


class TestSequential:
    def test_ends_are_those_of_the_children(self):
        net, x = mlp(), batch(2, 4)
        output = net.forward(x)
        assert output is net.output is net[2].output
        gradInput = net.backward(x, batch(2, 2))
        assert gradInput is net.gradInput is net[0].gradInput

    def test_three_ways_back_agree(self):
        x, g = batch(2, 4), batch(2, 2)
        one, two, three = mlp(), mlp(), mlp()
        for net in (one, two, three):
            net.forward(x)
        first = one.backward(x, g, 0.5)
        second = two.updateGradInput(x, g)
        two.accGradParameters(x, g, 0.5)
        np.testing.assert_array_equal(first, second)
        for ours, theirs in zip(one.parameters()[1], two.parameters()[1], strict=True):
            np.testing.assert_array_equal(ours, theirs)
            assert ours.any()
        third = three.backwardUpdate(x, g, 0.5)
        np.testing.assert_array_equal(first, third)
        one.updateParameters(1.0)
        for ours, theirs in zip(one.parameters()[0], three.parameters()[0], strict=True):
            np.testing.assert_allclose(ours, theirs, rtol=1e-5, atol=1e-6)

    def test_gradient_is_the_derivative(self):
        net, x, g = mlp().double(), batch(4).astype(np.float64), batch(2, seed=5).astype(np.float64)
        net.forward(x)
        gradInput = net.backward(x, g).copy()
        for i in range(4):
            step = np.zeros(4)
            step[i] = 1e-6
            slope = (net.forward(x + step).copy() - net.forward(x - step)) @ g / 2e-6
            assert abs(slope - gradInput[i]) < 1e-8

    def test_the_empty_chain_is_the_identity(self):
        x, g = batch(3), batch(3)
        net = Sequential()
        assert net.forward(x) is x is net.output
        assert net.backward(x, g) is g is net.gradInput
        assert net.updateGradInput(x, g) is g

    def test_insert_and_remove(self):
        net, first, middle = Sequential(), Identity(), Tanh()
        net.insert(middle)
        net.insert(first, 0)
        net.insert(Linear(2, 2), 1)
        net.insert(Linear(2, 3), -1)
        assert [type(module).__name__ for module in net] == ["Identity", "Linear", "Linear", "Tanh"]
        net.remove(1)
        net.remove()
        assert [type(module).__name__ for module in net] == ["Identity", "Linear"]
        assert net.output is net[1].output and net.gradInput is first.gradInput
        with fails(IndexRangeError, "nn.Sequential: insert: index 3 is out of range for 2 modules"):
            net.insert(first, 3)
        with fails(IndexRangeError, "nn.Sequential: index: 2 is out of range for 2 modules"):
            net.remove(2)

    def test_nothing_is_left_of_the_last_module(self):
        net = Sequential().add(Tanh())
        net.forward(batch(3))
        net.remove()
        assert net.output.size == net.gradInput.size == 0
        assert net.forward(x := batch(2)) is x

    def test_a_disabled_gradInput_ends_the_way_back(self):
        net = mlp()
        net[0].gradInput = None
        net.forward(batch(2, 4))
        assert net.backward(batch(2, 4), batch(2, 2)) is None
        assert net[0].gradWeight.any()


class TestConcat:
    @pytest.mark.parametrize("dimension", [1, -1])
    def test_joins_outputs_and_adds_gradients(self, dimension):
        a, b, x = Linear(4, 2), Linear(4, 3), batch(5, 4)
        net = Concat(dimension).add(a).add(b)
        np.testing.assert_array_equal(net.forward(x), np.concatenate([a.forward(x), b.forward(x)], 1))
        g = batch(5, 5)
        kept = g.copy()
        gradInput = net.backward(x, g, 2.0)
        np.testing.assert_allclose(gradInput, g[:, :2] @ a.weight + g[:, 2:] @ b.weight, rtol=1e-5, atol=1e-6)
        np.testing.assert_allclose(b.gradWeight, 2 * g[:, 2:].T @ x, rtol=1e-5, atol=1e-6)
        np.testing.assert_array_equal(net.updateGradInput(x, g), gradInput)
        np.testing.assert_array_equal(g, kept)
        assert gradInput is not a.gradInput
        before = a.weight.copy()
        net.accUpdateGradParameters(x, g, 0.1)
        np.testing.assert_allclose(a.weight, before - 0.1 * g[:, :2].T @ x, rtol=1e-5, atol=1e-6)
        gradWeight = a.gradWeight.copy()
        net.accGradParameters(x, g)
        assert (a.gradWeight != gradWeight).any()

    def test_memory_is_reused(self):
        net, x = Concat(0).add(Identity()).add(Tanh()), batch(3)
        output = net.forward(x)
        gradInput = net.backward(x, batch(6))
        assert net.forward(x) is output and net.backward(x, batch(6)) is gradInput

    def test_tables(self):
        net, x = Concat(1).add(CAddTable()).add(JoinTable(1)), [batch(2, 3), batch(2, 3, seed=4)]
        np.testing.assert_array_equal(net.forward(x), np.concatenate([x[0] + x[1], *x], 1))
        g = batch(2, 9)
        gradInput = net.backward(x, g)
        np.testing.assert_array_equal(gradInput[0], g[:, :3] + g[:, 3:6])
        np.testing.assert_array_equal(gradInput[1], g[:, :3] + g[:, 6:])
        assert net.backward(x, g)[0] is gradInput[0]

    def test_children_without_gradInput_do_not_count(self):
        a, b = Linear(4, 2), Linear(4, 2)
        net, x, g = Concat(0).add(a).add(b), batch(4), batch(4, seed=5)
        a.gradInput = None
        net.forward(x)
        np.testing.assert_allclose(net.backward(x, g), g[2:] @ b.weight, rtol=1e-6)
        b.gradInput = None
        assert net.backward(x, g) is None
        b.gradInput = np.empty(0, np.float32)
        assert net.backward(x, g).shape == (4,)

    def test_one_gradient_for_two_children_is_not_summed_into_a_child(self):
        net, x = ConcatTable().add(Identity()).add(Identity()), batch(3)
        g = [batch(3), batch(3, seed=4)]
        kept = copied(g)
        net.forward(x)
        np.testing.assert_array_equal(net.backward(x, g), g[0] + g[1])
        np.testing.assert_array_equal(g, kept)

    def test_errors(self):
        x = batch(2, 4)
        with fails(ShapeError, "nn.Concat: outputs[1]: expected the sizes of outputs[0], 2 x 3, but for dimension 0, got 2 x 2"):
            Concat(0).add(Linear(4, 3)).add(Linear(4, 2)).forward(x)
        with fails(ShapeError, "nn.Concat: outputs[1]: expected the sizes of outputs[0], 2 x 4, but for dimension 0, got 4"):
            Concat(0).add(Identity()).add(First()).forward(x)
        with fails(IndexRangeError, "nn.Concat: dimension: 2 is out of range for a 2-D array"):
            Concat(2).add(Identity()).forward(x)
        with fails(ShapeError, "nn.Concat: outputs: expected a table with at least one entry, got a table of 0"):
            Concat(0).forward(x)
        net = Concat(1).add(Identity())
        net.forward(x)
        with fails(ShapeError, "nn.Concat: gradOutput: expected 2 x 4, got 2 x 5"):
            net.backward(x, batch(2, 5))
        cure = "pass x.astype(np.float32), or convert the module: .double()"
        with fails(DtypeError, f"nn.Concat: gradOutput: expected float32, got float64; {cure}"):
            net.backward(x, np.zeros((2, 4)))
        with fails(DtypeError, "nn.Concat: outputs[0]: expected a float32 array, got a table of 1"):
            Concat(1).add(ConcatTable().add(Identity())).forward(x)


class TestSharedModules:
    """A module that is there twice overwrites its own gradient: what it returned first must count all the same."""

    @pytest.mark.parametrize(
        "second",
        [
            lambda one: one,
            lambda one: one.clone("weight", "gradWeight"),
            lambda one: one.clone().share(one, "weight", "gradWeight"),
        ],
        ids=["the same module", "a clone", "a module that shares"],
    )
    def test_updateParameters_moves_shared_parameters_twice_as_in_Torch7(self, second):
        one = Linear(4, 4)
        net = ParallelTable(one, second(one))
        before, _ = one.weight.copy(), one.gradWeight.fill(1)
        net.updateParameters(0.25)
        np.testing.assert_allclose(one.weight, before - 2 * 0.25, rtol=1e-6)
        parameters, gradients = net.getParameters()  # an optimizer on these vectors moves them once
        before = one.weight.copy()
        parameters -= np.float32(0.25) * gradients
        np.testing.assert_allclose(one.weight, before - 0.25, rtol=1e-6)

    def test_MapTable_moves_its_module_once(self):
        one = Linear(4, 4)
        net = MapTable(one)
        net.forward([batch(3, 4), batch(3, 4)])
        before, _ = one.weight.copy(), one.gradWeight.fill(1)
        net.updateParameters(0.25)
        np.testing.assert_allclose(one.weight, before - 0.25, rtol=1e-6)

    @pytest.mark.parametrize("method", ["updateGradInput", "backward"])
    @pytest.mark.parametrize(
        "fan",
        [
            lambda one, two: ConcatTable().add(one).add(two),
            lambda one, two: ConcatTable().add(Identity()).add(one).add(Tanh()).add(two),
            lambda one, two: Concat(1).add(one).add(two),
            lambda one, two: DepthConcat(1).add(one).add(two),
            lambda one, two: ConcatTable().add(Sequential().add(one).add(Tanh())).add(Sequential().add(two)),
        ],
    )
    def test_gradients_are_those_of_two_modules(self, fan, method):
        one, x = Linear(4, 4), batch(3, 4)
        shared, apart = fan(one, one), fan(one.clone(), one.clone())
        seeds = count()
        gradOutput = mapped(lambda array: batch(*array.shape, seed=next(seeds)), apart.forward(x))
        shared.forward(x)
        assert_same(getattr(shared, method)(x, gradOutput), getattr(apart, method)(x, gradOutput))

    def test_slices(self):
        one, x = Linear(4, 2), batch(2, 4)
        net = Parallel(0, 0).add(one).add(one)
        net.forward(x)
        gradOutput = batch(4)
        for gradInput in (net.updateGradInput(x, gradOutput), net.backward(x, gradOutput)):
            np.testing.assert_allclose(gradInput, gradOutput.reshape(2, 2) @ one.weight, rtol=1e-6)
        one.gradInput = None
        assert net.backward(x, gradOutput) is net.gradInput is None

    def test_one_gradOutput_for_all_and_a_module_that_works_in_place(self):
        """nn.CAddTable(True) hands the same array to all, and the second branch overwrites it."""
        linear, x, gradOutput = Linear(4, 4), batch(3, 4), batch(3, 4, seed=4)
        results = []
        for inplace in (False, True):
            branch = Sequential().add(linear.clone()).add(ReLU(inplace))
            net = Sequential().add(ConcatTable().add(Identity()).add(branch)).add(CAddTable(inplace))
            net.forward(x.copy())
            results.append(net.updateGradInput(x, gradOutput.copy()).copy())
        assert_same(*results)

    def test_nothing_is_copied_where_nothing_is_shared(self, monkeypatch):
        monkeypatch.setattr(sys.modules[Container.__module__], "owned", None)
        x = batch(3, 4)
        for net in (ConcatTable().add(Linear(4, 4)).add(Identity()).add(mlp()), Concat(1).add(Identity()).add(mlp()).add(mlp())):
            net.backward(x, copied(net.forward(x)))
        gradOutput = batch(3, 4)
        net = ConcatTable().add(Linear(4, 4)).add(Identity())
        net.forward(x)
        net.backward(x, [gradOutput, gradOutput])
