"""Methods of every module: parameters, sharing, cloning, conversion, searching."""

import copy
import pickle

import numpy as np
import pytest

from pytorch_legacy import nn, t7
from pytorch_legacy.arrays import base_storage
from pytorch_legacy.backend.prepared import Bindings
from pytorch_legacy.errors import DeviceError, ValueRangeError
from pytorch_legacy.files.form import Form
from pytorch_legacy.nn.container.Sequential import Sequential
from pytorch_legacy.nn.Module import Module
from pytorch_legacy.nn.shape.Identity import Identity
from pytorch_legacy.nn.shape.View import View
from pytorch_legacy.nn.table.ConcatTable import ConcatTable
from tests.nn.toys import Linear, Tanh, batch, fails, mlp, tied, weights


class TestBasics:
    def test_a_bare_module_returns_its_empty_buffers(self):
        module = Module()
        assert module.forward(batch(2)) is module.output and module.output.size == 0
        assert module.backward(batch(2), batch(2)) is module.gradInput
        assert module.parameters() is None
        assert module.type() == "torch.FloatTensor"

    def test_forward_reuses_its_memory(self):
        layer = Linear(4, 3)
        output = layer.forward(batch(2, 4))
        assert layer.forward(batch(2, 4)) is output
        assert layer.forward(batch(5, 4)) is not output

    def test_buffers_are_kept_only_when_they_serve(self):
        module = Module()
        for unfit in (
            None,
            [1],
            np.empty((2, 3)),
            np.empty((3, 2), np.float32).T,
            np.empty((2, 4), np.float32),
            np.broadcast_to(np.float32(0), (2, 3)),
            np.frombuffer(bytes(25), np.uint8)[1:].view(np.float32).reshape(2, 3),
        ):
            module.output = unfit
            buffer = module._resize("output", (2, 3))
            assert buffer is module.output and buffer is not unfit
            assert buffer.shape == (2, 3) and buffer.dtype == np.float32 and buffer.flags.carray
        assert module._resize("indices", (2,), np.int64).dtype == np.int64

    def test_call_runs_forward_and_backward(self):
        layer, x, g = Linear(4, 3), batch(2, 4), batch(2, 3)
        np.testing.assert_array_equal(layer(x), layer.forward(x))
        output, gradInput = layer(x, g)
        assert output is layer.output and gradInput is layer.gradInput

    def test_without_gradInput_backward_still_accumulates(self):
        layer = Linear(4, 3)
        layer.gradInput = None
        assert layer.backward(batch(2, 4), batch(2, 3)) is None
        assert layer.gradWeight.any()

    def test_modes(self):
        module = Module()
        assert module.train
        module.evaluate()
        assert not module.train
        module.training()
        assert module.train


class TestParameters:
    def test_weight_before_bias(self):
        layer = Linear(4, 3)
        parameters, gradients = layer.parameters()
        assert parameters[0] is layer.weight and parameters[1] is layer.bias
        assert gradients[0] is layer.gradWeight and gradients[1] is layer.gradBias
        assert len(Linear(4, 3, bias=False).parameters()[0]) == 1

    def test_zero_accumulate_update(self):
        layer, x, g = Linear(4, 3), batch(2, 4), batch(2, 3)
        layer.backward(x, g)
        once = layer.gradWeight.copy()
        layer.backward(x, g, 0.5)
        np.testing.assert_allclose(layer.gradWeight, 1.5 * once, rtol=1e-6)
        weight, address = layer.weight.copy(), layer.weight.ctypes.data
        layer.updateParameters(np.float64(0.1))
        np.testing.assert_allclose(layer.weight, weight - 0.1 * 1.5 * once, rtol=1e-6)
        assert layer.weight.ctypes.data == address and layer.weight.dtype == np.float32
        layer.zeroGradParameters()
        assert not layer.gradWeight.any() and not layer.gradBias.any()
        Module().zeroGradParameters()
        Module().updateParameters(1.0)

    @pytest.mark.parametrize("shared", [False, True])
    def test_both_ways_of_updating_at_once_agree_with_two_steps(self, shared):
        x, g = batch(2, 4), batch(2, 3)
        expected, layer = Linear(4, 3), Linear(4, 3)
        layer.shared = shared
        gradWeight = layer.gradWeight
        expected.backward(x, g)
        expected.updateParameters(0.25)
        expectedGradInput = expected.gradInput
        # The gradient of the input is that of the old parameters.
        np.testing.assert_array_equal(layer.backwardUpdate(x, g, 0.25), expectedGradInput)
        np.testing.assert_allclose(layer.weight, expected.weight, rtol=1e-6)
        np.testing.assert_allclose(layer.bias, expected.bias, rtol=1e-6)
        assert layer.gradWeight is gradWeight
        assert not gradWeight.any()

    def test_gradients_come_back_when_the_update_fails(self):
        layer = Linear(4, 3)
        gradWeight = layer.gradWeight
        with pytest.raises(ValueError):
            layer.accUpdateGradParameters(batch(2, 9), batch(2, 3), 0.1)
        assert layer.gradWeight is gradWeight

    def test_sharing_the_update_of_a_module_without_parameters(self):
        module = Tanh()
        module.shared = True
        module.accUpdateGradParameters(batch(2), batch(2), 0.1)


class TestSharing:
    def test_share_takes_the_fields_of_another_module(self):
        a, b = Linear(3, 2), Linear(3, 2)
        assert b.share(a, "weight", "gradWeight", "nothing") is b
        assert b.weight is a.weight and b.gradWeight is a.gradWeight and b.bias is not a.bias
        assert a.shared and b.shared
        c = Linear(3, 2, bias=False).share(a, "bias")
        assert c.bias is None and not c.shared

    def test_clone_is_deep_and_keeps_sharing_inside(self):
        net = tied()
        net.forward(batch(2, 3))
        copied = net.clone()
        assert copied.get(0).weight is copied.get(1).weight
        assert copied.output is copied.get(1).output
        assert not np.shares_memory(copied.get(0).weight, net.get(0).weight)
        assert not np.shares_memory(copied.output, net.output)
        np.testing.assert_array_equal(copied.output, net.output)

    def test_a_clone_of_a_flattened_net_is_flattened(self):
        net = mlp()
        net.getParameters()
        copied = net.clone()
        roots = {id(base_storage(p)) for p in copied.parameters()[0]}
        assert len(roots) == 1
        assert base_storage(copied.get(0).weight).size == 23

    def test_clone_can_share_with_the_original(self):
        net = mlp()
        twin = net.clone("weight", "gradWeight")
        assert all(ours is theirs for ours, theirs in zip(weights(net), weights(twin), strict=True))
        assert twin.get(0).gradWeight is net.get(0).gradWeight
        assert not np.shares_memory(twin.get(0).bias, net.get(0).bias)
        assert twin.get(0).shared and net.get(2).shared

    @pytest.mark.parametrize("way", [copy.deepcopy, lambda thing: pickle.loads(pickle.dumps(thing))])
    def test_copies_of_several_modules_share_as_the_originals(self, way):
        net, partner = tied(), Linear(3, 3)
        partner.weight = net.get(0).weight.T
        net2, partner2 = way([net, partner])
        assert np.shares_memory(net2.get(0).weight, net2.get(1).weight)
        net2.get(0).weight[1, 2] = 77
        assert partner2.weight[2, 1] == 77
        assert net.get(0).weight[1, 2] != 77

    @pytest.mark.parametrize(
        "way", [lambda m: m.clone(), lambda m: pickle.loads(pickle.dumps(m)), lambda m: m.double(), copy.deepcopy]
    )
    def test_a_buffer_that_views_a_large_array_does_not_drag_it_along(self, way):
        data = np.ones((1000, 4), np.float32)
        net = Sequential().add(View(2, 2)).add(ConcatTable().add(Identity()))
        net.forward(data[10:12])
        net = way(net)
        assert base_storage(net.get(0).output).size == 8
        np.testing.assert_array_equal(net.get(0).output, np.ones((2, 2, 2)))
        assert base_storage(net.output[0]).size == 8

    def test_pickling_keeps_sharing_and_drops_bindings(self):
        net = tied()
        net.getParameters()
        Bindings.of(net.get(0)).settings = [lambda: None]  # cannot be pickled
        restored = pickle.loads(pickle.dumps(net))
        assert "_bindings" not in restored.get(0).__dict__
        assert len({id(base_storage(p)) for p in restored.parameters()[0]}) == 1
        x = batch(2, 3)
        np.testing.assert_array_equal(restored.forward(x), net.forward(x))

    def test_bindings_stay_behind(self):
        for way in (
            copy.copy,
            copy.deepcopy,
            lambda m: m.double(),
            lambda m: m.clearState(),
            lambda m: m.getParameters() and m,
        ):
            layer = Linear(2, 2)
            Bindings.of(layer)
            assert "_bindings" in layer.__dict__
            assert "_bindings" not in way(layer).__dict__

    def test_long_chains_of_objects(self):
        first = last = Linear(1, 1)
        for _ in range(2000):
            last.next = [Tanh()]
            last = last.next[0]
        last.next = [first]
        copied = first.clone()
        flat, _ = copied.getParameters()
        assert flat.size == 2 and base_storage(copied.weight) is flat
        assert copied.next[0] is not first.next[0]
        for _ in range(2001):
            copied = copied.next[0]
        assert base_storage(copied.weight) is flat

    def test_a_shallow_copy_shares_everything(self):
        net = mlp()
        shallow = copy.copy(net)
        assert shallow.modules is net.modules and shallow.get(0).weight is net.get(0).weight


class TestType:
    def test_converts_parameters_buffers_and_children(self):
        net = mlp()
        net.forward(batch(2, 4))
        assert net.double() is net
        assert net.type() == net.get(0).type() == "torch.DoubleTensor"
        assert net.get(0).weight.dtype == net.get(1).output.dtype == net.get(2).gradWeight.dtype == np.float64
        assert net.output is net.get(2).output
        assert net.forward(batch(2, 4).astype(np.float64)).dtype == np.float64
        assert net.float().get(0).weight.dtype == np.float32

    @pytest.mark.parametrize("wanted", ["torch.DoubleTensor", np.float64, "float64", np.dtype("d")])
    def test_takes_names_and_dtypes(self, wanted):
        assert Linear(2, 2).type(wanted).weight.dtype == np.float64

    def test_keeps_sharing(self):
        net = tied()
        net.getParameters()
        net.double()
        assert len({id(base_storage(p)) for p in net.parameters()[0]}) == 1
        assert np.shares_memory(*weights(net))
        one, other = Linear(3, 3), Linear(3, 3)
        other.weight = one.weight[::-1]
        cache = {}
        one.double(cache)
        other.double(cache)
        one.weight[0, 0] = 5
        assert other.weight[2, 0] == 5

    CONSTANTS = [
        (lambda: nn.Constant([0.1, 0.7]), "value"),
        (lambda: nn.AddConstant([0.1, 0.7]), "constant_scalar"),
        (lambda: nn.ClassNLLCriterion([0.1, 0.7]), "weights"),
        (lambda: nn.SpatialClassNLLCriterion([0.1, 0.7]), "weights"),
        (lambda: nn.BCECriterion([0.1, 0.7]), "weights"),
        (lambda: nn.WeightedMSECriterion([0.1, 0.7]), "weight"),
        (lambda: nn.MultiMarginCriterion(1, [0.1, 0.7]), "weights"),
        (lambda: nn.MultiLabelSoftMarginCriterion(np.array([0.1, 0.7])), "weights"),
        (lambda: nn.CrossEntropyCriterion([0.1, 0.7]).nll, "weights"),
    ]

    @pytest.mark.parametrize("make, name", CONSTANTS)
    def test_constants_have_the_digits_that_they_were_given_with(self, make, name):
        for way in (copy.copy, copy.deepcopy, pickle.dumps, lambda thing: thing.double().float()):
            thing = pickle.loads(way(make())) if way is pickle.dumps else way(make())
            assert getattr(thing, name).dtype == np.float32
            assert getattr(thing.double(), name).tolist() == [0.1, 0.7]
            assert getattr(thing.float(), name).tolist() == np.array([0.1, 0.7], "f").tolist()
        assert not any(key.startswith("_exact") for key in thing._toRecord().fields)

    @pytest.mark.parametrize("make, name", CONSTANTS[:2])
    def test_constants_that_were_changed_are_converted(self, make, name):
        changed = np.array([0.1, 0.3], "f")
        thing = make()
        getattr(thing, name)[...] = changed
        assert getattr(thing.double(), name).tolist() == changed.astype(np.float64).tolist()
        for other in (changed, np.array([0.1], "f"), None):
            thing = make()
            setattr(thing, name, other)
            assert np.array_equal(getattr(thing.double(), name), other)

    def test_constants_that_follow_from_others(self):
        simplex = nn.ClassSimplexCriterion(7).double().simplex
        np.testing.assert_allclose((simplex @ simplex.T)[~np.eye(7, dtype=bool)], -1 / 6, rtol=1e-14)
        kernel = np.arange(1.0, 10).reshape(3, 3)
        layer = nn.SpatialContrastiveNormalization(2, kernel).double()
        assert layer.kernel is layer.normalizer.get(0).kernel
        for found in (layer.kernel, layer.normalizer.get(1).kernel):
            np.testing.assert_allclose(found, kernel / 90, rtol=1e-15)
        vector = nn.SpatialDivisiveNormalization(2, [1, 2, 3]).double()
        np.testing.assert_allclose(vector.kernel, np.array([1, 2, 3]) / (6 * np.sqrt(2)), rtol=1e-15)

    def test_integers_stay(self):
        module = Module()
        module.indices, module.mask = np.zeros(3, np.int64), np.zeros(3, np.uint8)
        module.double()
        assert module.indices.dtype == np.int64 and module.mask.dtype == np.uint8

    def test_converting_to_the_same_type_changes_nothing(self):
        layer = Linear(2, 2)
        weight = layer.weight
        assert layer.float().weight is weight

    def test_a_module_that_contains_itself(self):
        module = Module()
        module.inner = [module]
        assert module.double().inner[0] is module

    def test_unused_elements_may_be_anything(self):
        layer = Linear(2, 2).double()
        storage = np.full(8, 1e300)
        storage[:4] = 1
        layer.weight = storage[:4].reshape(2, 2)
        np.testing.assert_array_equal(layer.float().weight, np.ones((2, 2)))

    @pytest.mark.parametrize("convert", [lambda m: m.cuda(), lambda m: m.type("torch.CudaTensor")])
    def test_no_cuda(self, convert, monkeypatch):
        monkeypatch.setenv("PYTORCH_LEGACY_THCUNN", "nowhere.so")
        with pytest.raises(DeviceError, match=r"nn.Linear: torch.CudaTensor: needs a GPU; .* libTHCUNN \(nowhere.so\)"):
            convert(Linear(2, 2))

    @pytest.mark.parametrize("wanted", ["torch.LongTensor", np.int32, "Double", "complex64", 7])
    def test_other_types_are_refused(self, wanted):
        expected = 'expected "torch.FloatTensor", "torch.DoubleTensor" or "torch.CudaTensor"'
        with fails(ValueRangeError, f"nn.Linear: type: {expected}, got {wanted!r}"):
            Linear(2, 2).type(wanted)


class TestTree:
    def net(self):
        inner = Sequential().add(Tanh()).add(Linear(2, 2))
        return Sequential().add(Linear(2, 2)).add(inner), inner

    def test_apply_and_listModules_go_depth_first(self):
        net, inner = self.net()
        expected = [net, net.get(0), inner, inner.get(0), inner.get(1)]
        seen = []
        net.apply(seen.append)
        assert seen == expected == net.listModules()

    def test_findModules(self):
        net, inner = self.net()
        found, containers = net.findModules("nn.Linear")
        assert found == [net.get(0), inner.get(1)] and containers == [net, inner]
        assert net.findModules(Sequential) == ([net, inner], [net, net])
        assert net.findModules("nn.Module") == ([], [])
        leaf = Tanh()
        assert leaf.findModules("nn.Tanh") == ([leaf], [leaf])

    def test_replace(self):
        net, inner = self.net()

        def withoutTanh(module):
            return Identity() if isinstance(module, Tanh) else module

        assert net.replace(withoutTanh) is net
        assert isinstance(inner.get(0), Identity)
        assert isinstance(Tanh().replace(withoutTanh), Identity)

    def test_replace_returns_what_the_callback_makes_of_the_root(self):
        net, inner = self.net()
        root = Sequential()
        assert net.replace(lambda module: root if module is net else Identity()) is root
        assert isinstance(net.get(1), Identity) and isinstance(inner.get(0), Identity)


class TestClearState:
    def test_empties_buffers_and_hurts_nobody_who_holds_them(self):
        net = mlp()
        held = net.forward(batch(2, 4))
        values = held.copy()
        net.backward(batch(2, 4), batch(2, 2))
        assert net.clearState() is net
        assert all(module.output.size == 0 and module.gradInput.size == 0 for module in net.listModules())
        np.testing.assert_array_equal(held, values)
        np.testing.assert_array_equal(net.forward(batch(2, 4)), values)

    def test_tables_become_empty_tables_and_a_disabled_gradInput_stays_disabled(self):
        net = ConcatTable().add(Linear(4, 3)).add(Linear(4, 2))
        net.get(0).gradInput = None
        net.forward(batch(4))
        net.clearState()
        assert net.output == [] and net.get(0).gradInput is None


class TestTorch7Fields:
    class Layer(Module):
        _typename = "nn.Layer"
        _file = Form(oneBased=("dimension", "pairs"))

    def read(self, fields, version=1):
        layer = self.Layer.__new__(self.Layer)
        layer._fromTorch7(fields, version)
        return layer

    def test_positions_count_from_zero_and_back(self):
        fields = {"dimension": 2.0, "pairs": [[1, 2], [-1, 3]], "_type": "torch.DoubleTensor", "name": "x"}
        layer = self.read(fields)
        assert layer.dimension == 1 and isinstance(layer.dimension, int)
        assert layer.pairs == [[0, 1], [-1, 2]] and layer.name == "x"
        again = layer._toTorch7()
        assert again.pop("output").size == again.pop("gradInput").size == 0
        assert again == fields
        assert self.read({"dimension": -1}).dimension == -1
        assert self.read({"dimension": None})._toTorch7().get("dimension") is None

    def test_missing_fields(self):
        layer = self.read({"weight": np.ones((2, 3), np.float32)})
        assert layer.type() == "torch.FloatTensor"
        assert layer.output.dtype == np.float32 and layer.output.size == 0
        assert layer.gradInput.size == 0 and layer.bias is None
        assert self.read({"output": layer.output}).gradInput is None  # then Torch7's layer computes none
        assert layer.gradWeight.shape == (2, 3) and not layer.gradWeight.any()

    @pytest.mark.parametrize(
        "fields, expected",
        [
            ({}, "torch.DoubleTensor"),
            ({"output": np.empty(0, np.float32)}, "torch.FloatTensor"),
            ({"indices": np.zeros(2, np.int64), "running_mean": np.zeros(2, np.float32)}, "torch.FloatTensor"),
            ({"modules": [Linear(2, 2)]}, "torch.FloatTensor"),
            ({"_type": "torch.CudaTensor"}, "torch.FloatTensor"),
            ({"_type": "torch.CudaDoubleTensor"}, "torch.DoubleTensor"),
            ({"_type": "torch.ClTensor", "weight": np.zeros(1, np.float32)}, "torch.FloatTensor"),
        ],
    )
    def test_type(self, fields, expected):
        assert self.read(fields).type() == expected

    def test_stored_functions_do_not_hide_methods(self):
        layer = self.read({"updateOutput": t7.Function(b""), "forward": None})
        assert "updateOutput" not in layer.__dict__
        assert layer.forward(1) is layer.output

    def test_the_name_of_a_class(self):
        class Mine(Module):
            pass

        assert repr(Mine()) == "Mine"
        assert repr(Identity()) == str(Identity()) == "nn.Identity"
