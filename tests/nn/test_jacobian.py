"""nn.Jacobian, nn.SparseJacobian, nn.hessian and nn.tables: tools that must find what is wrong, and nothing else."""

import numpy as np
import pytest

import pytorch_legacy as pl
from pytorch_legacy import nn
from pytorch_legacy.errors import FieldError, UnsupportedError, ValueRangeError
from tests.trees import assert_close, assert_same


class WrongGradInput(nn.Linear):
    def updateGradInput(self, input, gradOutput):
        gradInput = super().updateGradInput(input, gradOutput)
        gradInput[..., 0] *= 1.5
        return gradInput


class WrongGradParameters(nn.Linear):
    def accGradParameters(self, input, gradOutput, scale=1.0):
        super().accGradParameters(input, gradOutput, scale)
        self.gradWeight[0, 0] += 1


class Overwrites(nn.Linear):
    """Its gradients replace those that were there, although they may be in the place of the parameters."""

    _updatesDirectly = True

    def accGradParameters(self, input, gradOutput, scale=1.0):
        self.gradWeight.fill(0)
        super().accGradParameters(input, gradOutput, scale)


class Forgets(nn.Tanh):
    """A field that matters does not survive being saved."""

    factor = 1.0

    def updateOutput(self, input):
        return super().updateOutput(input) * self.factor

    def __getstate__(self):
        return {key: value for key, value in super().__getstate__().items() if key != "factor"}


class Sparse(nn.Module):
    """output = sum of value * weight[index] over the rows (index, value)."""

    def __init__(self, inputs, outputs, wrong=1.0):
        super().__init__()
        self.weight = pl.random.uniform(-1, 1, (inputs, outputs))
        self.gradWeight = np.zeros_like(self.weight)
        self.wrong = wrong

    def updateOutput(self, input):
        self.output = input[:, 1] @ self.weight[input[:, 0].astype(int)]
        return self.output

    def updateGradInput(self, input, gradOutput):
        self.gradInput = np.stack([input[:, 0] * 0, self.wrong * self.weight[input[:, 0].astype(int)] @ gradOutput], 1)
        return self.gradInput

    def accGradParameters(self, input, gradOutput, scale=1.0):
        np.add.at(self.gradWeight, input[:, 0].astype(int), scale * np.outer(input[:, 1], gradOutput))


class TestJacobian:
    def test_matrices(self):
        """A row for each element of the input or parameter, a column for each of the output."""
        module, input = nn.Linear(3, 2).double(), np.array([1.0, 2, 3])
        assert_close(nn.Jacobian.backward(module, input), module.weight.T, 1e-12)
        assert_close(nn.Jacobian.forward(module, input), module.weight.T, 1e-8)
        byWeight = np.kron(np.eye(2), input).T
        assert_close(nn.Jacobian.backward(module, input, module.weight, module.gradWeight), byWeight, 1e-12)
        assert_close(nn.Jacobian.forward(module, input, module.weight), byWeight, 1e-8)
        before = module.weight.copy()
        expected = before.reshape(-1, 1) - byWeight
        assert_close(nn.Jacobian.backwardUpdate(module, input, module.weight), expected, 1e-12)
        assert_close(nn.Jacobian.forwardUpdate(module, input, module.weight), expected, 1e-8)
        assert_same(module.weight, before)

    @pytest.mark.parametrize("make", [lambda: nn.Linear(4, 3), lambda: nn.Tanh(), lambda: nn.Sequential().add(nn.Linear(4, 2))])
    def test_right_layers(self, make):
        module, input = make().double(), np.empty((2, 4))
        assert nn.Jacobian.testJacobian(module, input) < 1e-7
        assert (np.abs(input) <= 2).all() and input.any()
        assert nn.Jacobian.testIO(module, input) == (0, 0)
        for value, gradient in zip(*(module.parameters() or ([], [])), strict=True):
            assert nn.Jacobian.testJacobianParameters(module, input, value, gradient) < 1e-7
            assert nn.Jacobian.testJacobianUpdateParameters(module, input, value) < 1e-7

    def test_all_updates(self):
        errors = nn.Jacobian.testAllUpdate(nn.Linear(4, 3).double(), np.ones((2, 4)), "weight", "gradWeight")
        assert len(errors) == 4 and max(errors.values()) < 1e-12

    def test_wrong_layers(self):
        input = np.empty((2, 4))
        assert nn.Jacobian.testJacobian(WrongGradInput(4, 3).double(), input) > 0.01
        module = WrongGradParameters(4, 3).double()
        assert nn.Jacobian.testJacobianParameters(module, input, module.weight, module.gradWeight) > 0.1
        assert nn.Jacobian.testJacobianUpdateParameters(module, input, module.weight) > 0.1
        errors = nn.Jacobian.testAllUpdate(Overwrites(4, 3).double(), np.ones((2, 4)), "weight", "gradWeight")
        assert errors["accUpdateGradParameters"] > 0.1
        forgetful = Forgets().double()
        forgetful.factor = 2.0
        assert nn.Jacobian.testIO(forgetful, np.ones((2, 4)))[0] > 0.1


class TestSparseJacobian:
    ROWS = np.array([[1, 0], [3, 0], [4, 0]], np.float64)

    def test_right_layer(self):
        module, input = Sparse(5, 3).double(), self.ROWS.copy()
        assert nn.SparseJacobian.testJacobian(module, input) < 1e-7
        assert input[:, 0].tolist() == [1, 3, 4] and input[:, 1].all()
        assert nn.SparseJacobian.backward(module, input).shape == (3, 3)
        assert_close(nn.SparseJacobian.forward(module, input), module.weight[[1, 3, 4]], 1e-8)
        assert nn.SparseJacobian.testJacobianParameters(module, input, module.weight, module.gradWeight) < 1e-7
        assert nn.SparseJacobian.testJacobianUpdateParameters(module, input, module.weight) < 1e-7
        assert nn.SparseJacobian.testIO(module, input) == (0, 0)
        assert max(nn.SparseJacobian.testAllUpdate(module, input, "weight", "gradWeight").values()) < 1e-12

    @pytest.mark.parametrize("doGradInput", [True, False])
    @pytest.mark.parametrize("form", ["sample", "list", "array"])
    def test_SparseLinear(self, form, doGradInput):
        """All its inputs; one column is there twice. Without its gradient there is nothing to compare, but in a file."""
        samples = [self.ROWS.copy(), np.array([[2, 0], [0, 0], [2, 0]], np.float64)]
        input = {"sample": samples[0], "list": samples, "array": np.array(samples)}[form]
        module, tool = nn.SparseLinear(5, 3, doGradInput).double(), nn.SparseJacobian
        if doGradInput:
            assert tool.testJacobian(module, input) < 1e-7
            assert tool.backward(module, input).shape == (np.size(input) // 2, module.output.size)
        else:
            for test in (tool.testJacobian, tool.backward):
                with pytest.raises(UnsupportedError, match="SparseLinear computes no gradient of the input: set doGradInput"):
                    test(module, input)
        assert tool.testIO(module, input) == (0, 0)
        for parameter, gradient in zip(*module.parameters(), strict=True):
            assert tool.testJacobianParameters(module, input, parameter, gradient) < 1e-7
            assert tool.testJacobianUpdateParameters(module, input, parameter) < 1e-7
        for names in (("weight", "gradWeight"), ("bias", "gradBias")):
            assert max(tool.testAllUpdate(module, input, *names).values()) < 1e-12

    def test_wrong_layer(self):
        assert nn.SparseJacobian.testJacobian(Sparse(5, 3, wrong=2.0).double(), self.ROWS.copy()) > 0.01


class TestHessian:
    @pytest.fixture(autouse=True)
    def enabled(self):
        nn.hessian.enable()
        nn.hessian.enable()

    def test_linear_network_is_exact(self):
        """Against differences of the gradients, which are those of a square function of each parameter."""
        net = nn.Sequential().add(nn.Reshape(4)).add(nn.Linear(4, 3)).double()
        criterion = nn.MSECriterion().double()
        input, target = pl.random.normal(0, 1, (5, 2, 2), np.float64), pl.random.normal(0, 1, (5, 3), np.float64)
        flat, gradients, second = nn.hessian.getParameters(net)

        def gradient():
            net.zeroGradParameters()
            output = net.forward(input)
            criterion.forward(output, target)
            net.backward(input, criterion.backward(output, target))
            return gradients.copy()

        gradient()
        second.fill(0)
        behind = criterion.updateDiagHessianInput(net.output, target)
        net.updateDiagHessianInput(input, behind)
        net.accDiagHessianParameters(input, behind)
        expected = np.empty_like(flat)
        for i in range(flat.size):
            before = gradient()[i]
            flat[i] += 1
            expected[i] = gradient()[i] - before
            flat[i] -= 1
        assert_close(second, expected, 1e-10)
        assert net.diagHessianInput.shape == input.shape
        assert_close(net.diagHessianInput.reshape(5, 4), np.full((5, 3), 2 / 15) @ net.modules[1].weight ** 2, 1e-12)

    def test_through_tanh(self):
        """Each step backward squares weights, inputs and slopes; a second pass adds up."""
        first, last = nn.Linear(4, 3), nn.Linear(3, 2)
        net = nn.Sequential().add(first).add(nn.Tanh()).add(last).double()
        criterion = nn.MSECriterion(False).double()
        input, target = pl.random.normal(0, 1, (5, 4), np.float64), np.zeros((5, 2))
        criterion.forward(net.forward(input), target)
        gradInput = net.backward(input, criterion.backward(net.output, target)).copy()
        gradWeight = first.gradWeight.copy()
        for _ in range(2):
            behind = criterion.updateDiagHessianInput(net.output, target)
            net.updateDiagHessianInput(input, behind)
            net.accDiagHessianParameters(input, behind)
        hidden = net.modules[1].output
        slopes = (np.full((5, 2), 2.0) @ last.weight**2) * (1 - hidden**2) ** 2
        assert_close(last.diagHessianWeight, 2 * np.full((2, 5), 2.0) @ hidden**2, 1e-12)
        assert_close(last.diagHessianBias, np.full(2, 20.0), 1e-12)
        assert_close(first.diagHessianWeight, 2 * slopes.T @ input**2, 1e-12)
        assert_close(net.diagHessianInput, slopes @ first.weight**2, 1e-12)
        assert_same(first.gradWeight, gradWeight)
        assert_same(net.gradInput, gradInput)

    def test_convolution(self):
        """For one output, the second derivative of its square by the weight is twice the squared input."""
        module = nn.SpatialConvolution(2, 1, 3, 2).double()
        input = pl.random.normal(0, 1, (2, 2, 3), np.float64)
        module.forward(input)
        module.updateDiagHessianInput(input, np.full((1, 1, 1), 2.0))
        module.accDiagHessianParameters(input, np.full((1, 1, 1), 2.0))
        assert_close(module.diagHessianWeight[0], 2 * input**2, 1e-12)
        assert_close(module.diagHessianInput, 2 * module.weight[0] ** 2, 1e-12)
        assert module.diagHessianBias.tolist() == [2]

    def test_without_bias(self):
        module = nn.Linear(4, 3, False)
        module.initDiagHessianParameters()
        assert not hasattr(module, "diagHessianBias")
        (second,) = nn.hessian.parameters(module)
        assert second is module.diagHessianWeight and not second.any()

    def test_no_rule(self):
        for thing in (nn.Dropout(), nn.ClassNLLCriterion()):
            with pytest.raises(UnsupportedError, match=f"{thing._typename}: updateDiagHessianInput is undefined"):
                thing.updateDiagHessianInput(np.zeros(2, "f"), np.zeros(2, "f"))
        with pytest.raises(UnsupportedError, match="no second derivatives"):
            nn.hessian.getParameters(nn.Sequential().add(nn.BatchNormalization(3)))

    @pytest.mark.parametrize(
        "make, shape",
        [
            (lambda: nn.Linear(4, 3), (2, 4)),
            (lambda: nn.SpatialConvolution(2, 3, 2, 3), (2, 2, 5, 4)),
            (lambda: nn.SpatialConvolutionLocal(2, 2, 4, 5, 2, 3), (2, 5, 4)),
            (lambda: nn.SpatialConvolutionMap(nn.tables.oneToOne(2), 2, 2), (2, 3, 4)),
            (lambda: nn.SpatialFullConvolution(2, 3, 2, 2, 2, 2), (1, 2, 3, 2)),
            (lambda: nn.SpatialFullConvolutionMap(nn.tables.full(2, 2), 2, 2), (2, 3, 3)),
        ],
    )
    def test_linear_layers(self, make, shape):
        """As Torch7 tests them: twice, since what is there must not count."""
        module, input = make().double(), np.empty(shape)
        for test in (nn.Jacobian.testDiagHessianInput, nn.Jacobian.testDiagHessianWeight, nn.Jacobian.testDiagHessianBias) * 2:
            assert test(module, input) < 1e-10
        assert (np.abs(input) <= 2).all() and input.any()

    def test_second_derivatives_of_half_squares(self):
        module, input = nn.Linear(3, 2).double(), np.array([1.0, 2, 3])
        squares = {"Weight": np.stack([input**2] * 2), "Bias": np.ones(2), "Input": (module.weight**2).sum(0)}
        for name, expected in squares.items():
            assert_close(nn.Jacobian.backwardDiagHessian(module, input, f"diagHessian{name}"), expected, 1e-12)
            assert_close(nn.Jacobian.linearModuleDiagHessian(module, input, f"grad{name}"), expected, 1e-12)

    def test_chains_and_wrong_layers(self):
        chain = nn.Sequential().add(nn.Reshape(4)).add(nn.Linear(4, 3)).double()
        assert nn.Jacobian.testDiagHessianInput(chain, np.empty((2, 2, 2))) < 1e-10
        assert nn.Jacobian.testDiagHessianInput(WrongGradInput(4, 3).double(), np.empty((2, 4))) > 0.01
        with pytest.raises(UnsupportedError, match="updateDiagHessianInput is undefined"):
            nn.Jacobian.testDiagHessianInput(nn.Dropout().double(), np.empty((2, 4)))
        with pytest.raises(FieldError, match=r"nn\.Linear: has no attribute 'diagHessianBias'"):
            nn.Jacobian.testDiagHessianBias(nn.Linear(4, 3, False).double(), np.empty((2, 4)))


class TestTables:
    def test_full_and_oneToOne(self):
        assert nn.tables.full(3, 2).tolist() == [[0, 0], [1, 0], [2, 0], [0, 1], [1, 1], [2, 1]]
        assert nn.tables.oneToOne(3).tolist() == [[0, 0], [1, 1], [2, 2]]

    def test_random(self):
        """Hands of two of five planes: two distinct ones, then the planes are shuffled anew."""
        pl.manualSeed(6)
        table = nn.tables.random(5, 5, 2)
        assert table.shape == (10, 2) and table.dtype == np.int64
        assert table[:, 1].tolist() == [0, 0, 1, 1, 2, 2, 3, 3, 4, 4]
        pl.manualSeed(6)
        orders = [pl.random.randperm(5)[:4] for _ in range(3)]
        assert table[:, 0].tolist() == np.concatenate(orders)[:10].tolist()
        with pytest.raises(ValueRangeError, match="nto: expected 1 to 5, got 6"):
            nn.tables.random(5, 5, 6)
