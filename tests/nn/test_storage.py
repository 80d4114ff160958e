"""Memory that arrays share, before and after they are copied, converted, flattened and pickled; getParameters."""

import copy
import mmap
import pickle

import numpy as np
import pytest

from pytorch_legacy import t7
from pytorch_legacy.arrays import base_storage, flatten, map_storage, pickled, placement, storage_offset
from pytorch_legacy.errors import DtypeError, ShapeError
from pytorch_legacy.nn.container.Sequential import Sequential
from pytorch_legacy.nn.Module import Module
from tests.nn.toys import Factory, Linear, Tanh, batch, fails, mlp, tied, weights
from tests.trees import assert_close


def vector(size=12, dtype=np.float32):
    return np.arange(size, dtype=dtype)


def file_map():
    memory = mmap.mmap(-1, 64)
    memory.write(vector(16).tobytes())
    return memory


@pytest.mark.parametrize(
    "view, offset",
    [
        (lambda a: a, 0),
        (lambda a: a[5:], 5),
        (lambda a: a[2:11].reshape(3, 3).T[1:], 3),
        (lambda a: a[::-1], 11),
        (lambda a: np.lib.stride_tricks.as_strided(a[4:], (3, 2), (4, 0)), 4),
        (lambda a: np.asarray(memoryview(a)[3:]), 3),
        (lambda a: a[7:8].reshape(()), 7),
    ],
)
def test_a_view_knows_its_storage_and_its_place(view, offset):
    root = vector()
    array = view(root)
    assert base_storage(array) is root
    assert storage_offset(array) == offset
    place = placement(array)
    again = place.over(place.storage)
    np.testing.assert_array_equal(again, array)
    assert np.shares_memory(again, root)


def test_the_storage_of_foreign_memory_is_the_array_next_to_it():
    memory = file_map()
    array = np.ndarray((16,), np.float32, memory)
    assert base_storage(array[3:].reshape(13, 1)) is array
    data = bytes(64)
    root = np.frombuffer(data, np.float32)
    assert base_storage(root[1:]) is root


@pytest.mark.parametrize(
    "make_root",
    [
        lambda: np.asfortranarray(vector(24).reshape(4, 6)),
        lambda: vector(24).reshape(2, 3, 4).transpose(1, 0, 2).copy(order="K"),
        lambda: np.zeros(100, np.uint8)[1:97].view(np.float32),
        lambda: np.ndarray((3, 4), np.float32, bytearray(vector(24).tobytes()), 0, (32, 8)),
        lambda: np.ndarray((3, 4), np.float32, bytearray(vector(24).tobytes()), 64, (-32, 8)),
        lambda: np.array(3.0, np.float32),
    ],
    ids=["fortran", "permuted", "bytes", "gaps", "backwards", "number"],
)
def test_moving_views_keeps_them_on_one_storage(make_root):
    root = make_root()
    views = [root, root.T, root[-1:] if root.ndim else root]
    cache = {}
    new = [map_storage(view, lambda v: v.astype(np.float64), cache) for view in views]
    for view, array in zip(views, new, strict=True):
        np.testing.assert_array_equal(array, view)
        assert array.dtype == np.float64
        assert np.shares_memory(array, new[0])
        # Strides and offsets are those of the original, in elements.
        assert [s // 8 for s in array.strides] == [s // 4 for s in view.strides]
    new[0][...] = 5
    assert all((array == 5).all() for array in new)
    assert map_storage(root, None, cache) is new[0]


def test_moved_alone_leaves_the_storage_behind():
    big = vector(1000)
    assert base_storage(map_storage(big[10:12], np.copy, {}, alone=True)).size == 2
    assert base_storage(map_storage(big[10:12], np.copy, {})).size == 1000


def test_arrays_without_elements_and_fields_of_records_have_a_storage_of_their_own():
    empty = np.empty((0, 3), np.float32)
    assert map_storage(empty, np.copy, {}).shape == (0, 3)
    records = np.zeros(4, [("tag", "u1"), ("x", "f4")])
    records["x"] = [1, 2, 3, 4]
    np.testing.assert_array_equal(map_storage(records["x"], lambda v: v.astype(np.float64), {}), [1, 2, 3, 4])


class TestFlattened:
    def test_lays_storages_end_to_end_in_order_of_appearance(self):
        first, second = vector(4), vector(3) + 10
        flat, views = flatten([second, first])
        np.testing.assert_array_equal(flat, [10, 11, 12, 0, 1, 2, 3])
        assert [storage_offset(view) for view in views] == [0, 3]
        assert all(base_storage(view) is flat for view in views)
        flat += 1
        np.testing.assert_array_equal(views[0], [11, 12, 13])
        np.testing.assert_array_equal(second, [10, 11, 12])

    def test_what_shares_memory_appears_once(self):
        matrix = vector(6).reshape(2, 3)
        flat, views = flatten([matrix, matrix.T, matrix, matrix[1], np.broadcast_to(matrix[0, :1], 4)])
        np.testing.assert_array_equal(flat, vector(6))
        assert [view.strides for view in views] == [(12, 4), (4, 12), (12, 4), (4,), (0,)]
        flat[0] = 9
        assert views[1][0, 0] == views[4][3] == 9

    def test_unused_elements_are_left_out(self):
        storage = vector(20)
        flat, views = flatten([storage[2:8].reshape(2, 3), storage[11:17].reshape(3, 2)])
        np.testing.assert_array_equal(flat, [2, 3, 4, 5, 6, 7, 11, 12, 13, 14, 15, 16])
        assert [(view.shape, view.strides, storage_offset(view)) for view in views] == [
            ((2, 3), (12, 4), 0),
            ((3, 2), (8, 4), 6),
        ]

    def test_columns_of_a_matrix_become_narrower_rows(self):
        matrix = vector(12).reshape(3, 4)
        flat, (view,) = flatten([matrix[:, 1:3]])
        np.testing.assert_array_equal(flat, [1, 2, 5, 6, 9, 10])
        np.testing.assert_array_equal(view, matrix[:, 1:3])

    def test_refuses_to_tear_an_array_apart(self):
        storage = vector(10)
        with fails(ShapeError, "a parameter of 3 has gaps that other parameters fill in part"):
            flatten([storage[0:9:4], storage[1:2], storage[9:]])

    def test_single_rows_and_empty_arrays(self):
        storage = vector(10)
        arrays = [np.empty(0, np.float32), storage[3:4].reshape(1, 1), storage[5:5], storage[7:].reshape(1, 3)]
        flat, views = flatten(arrays)
        np.testing.assert_array_equal(flat, [3, 7, 8, 9])
        assert [view.shape for view in views] == [(0,), (1, 1), (0,), (1, 3)]
        np.testing.assert_array_equal(views[3], [[7, 8, 9]])

    def test_backwards(self):
        storage = vector(6)
        flat, (view,) = flatten([storage[4:0:-1]])
        np.testing.assert_array_equal(flat, [1, 2, 3, 4])
        np.testing.assert_array_equal(view, [4, 3, 2, 1])

    def test_dtypes_must_agree(self):
        with fails(DtypeError, "parameters of different dtypes cannot share one vector: float32, float64"):
            flatten([vector(2), vector(2, np.float64)])

    def test_nothing(self):
        flat, views = flatten([])
        assert flat.shape == (0,) and views == []


@pytest.mark.parametrize("protocol", [2, 4, 5])
def test_pickled_views_share_again(protocol):
    root = vector(6).reshape(2, 3)
    arrays = [root[1:], root.T, root]
    first, second, third = pickle.loads(pickle.dumps([pickled(array) for array in arrays], protocol))
    np.testing.assert_array_equal(first, root[1:])
    np.testing.assert_array_equal(second, root.T)
    third[1, 0] = 99
    assert first[0, 0] == second[0, 1] == 99


def test_pickled_views_of_foreign_and_odd_roots_keep_their_values():
    mapped = np.ndarray((16,), np.float32, file_map())
    permuted = vector(24).reshape(2, 3, 4).transpose(1, 0, 2).copy(order="K")
    for view in (mapped[3:7], permuted[1:], np.zeros(9, np.uint8)[1:].view(np.float32)):
        np.testing.assert_array_equal(pickle.loads(pickle.dumps(pickled(view))), view)


def test_deepcopy_of_an_array_alone_is_not_ours_to_change():
    root = vector(4)
    assert copy.deepcopy(root[1:]).base is not root


class TestGetParameters:
    def test_vector_and_layers_share_memory(self):
        net, x = mlp(), batch(2, 4)
        before = net.forward(x).copy()
        flat, flatGrad = net.getParameters()
        assert flat.shape == flatGrad.shape == (4 * 3 + 3 + 3 * 2 + 2,)
        np.testing.assert_array_equal(net.forward(x), before)
        flat.fill(0)
        assert not net.forward(x).any()
        net.backward(x, batch(2, 2))
        assert flatGrad.any()
        assert all(base_storage(p) is flat for p in net.parameters()[0])
        net.zeroGradParameters()
        assert not flatGrad.any()

    def test_twice(self):
        net = mlp()
        first, _ = net.getParameters()
        second, _ = net.getParameters()
        np.testing.assert_array_equal(first, second)
        assert not np.shares_memory(first, second)
        assert base_storage(net.get(0).weight) is second

    def test_shared_parameters_appear_once(self):
        net = tied()
        flat, _ = net.getParameters()
        assert flat.size == 9 + 3 + 3
        assert np.shares_memory(*weights(net))

    def test_the_same_module_twice(self):
        layer = Linear(3, 3)
        net = Sequential().add(layer).add(layer)
        flat, _ = net.getParameters()
        assert flat.size == 12 and base_storage(layer.weight) is flat

    def test_every_reference_inside_follows(self):
        net = mlp()
        net.alias = {"deep": [(net.get(0).weight,)]}
        net.getParameters()
        assert net.alias["deep"][0][0] is net.get(0).weight

    def test_a_module_that_contains_itself(self):
        net = mlp()
        net.get(0).parent = net
        net.tables = [net]
        net.tables.append(net.tables)
        flat, _ = net.getParameters()
        assert base_storage(net.get(0).weight) is flat
        assert net.tables[1] is net.tables

    def test_no_parameters(self):
        flat, flatGrad = Tanh().double().getParameters()
        assert flat.shape == flatGrad.shape == (0,) and flat.dtype == np.float64

    def test_a_shared_weight_with_gradients_of_its_own_is_an_error(self):
        net = Sequential().add(Linear(3, 3)).add(Linear(3, 3))
        net.get(1).share(net.get(0), "weight")
        cure = "share a gradient wherever a parameter is shared"
        with fails(ShapeError, f"nn.Sequential: getParameters: 15 parameters but 24 gradients; {cure}"):
            net.getParameters()

    def test_gradients_at_other_places_are_an_error(self):
        layer = Linear(3, 4)
        layer.weight, layer.bias = np.zeros(16, np.float32)[:12].reshape(4, 3), np.zeros(4, np.float32)
        storage = np.zeros(16, np.float32)
        layer.gradWeight, layer.gradBias = storage[4:].reshape(4, 3), storage[:4]
        where = "parameter 0 and its gradient are at different places"
        with fails(ShapeError, f"nn.Linear: getParameters: {where}; share a gradient wherever a parameter is shared"):
            layer.getParameters()

    def test_mixed_dtypes(self):
        net = mlp()
        net.get(2).double()
        problem = "parameters of different dtypes cannot share one vector: float32, float64"
        with fails(DtypeError, f"nn.Sequential: getParameters, {problem}"):
            net.getParameters()

    def test_flatten_is_there_for_lists_of_arrays(self):
        flat, views = Module.flatten([np.ones(2), np.zeros(1)])
        np.testing.assert_array_equal(flat, [1, 1, 0])
        assert [view.shape for view in views] == [(2,), (1,)]

    @pytest.mark.parametrize("name", ["mlp", "shared", "transposed", "view", "none", "conv", "conv.ascii"])
    def test_layout_is_that_of_torch7(self, name):
        class Weights(Module):
            """Stands for the layers of which only the parameters matter here."""

        kinds = []
        for typename in ("nn.SpatialConvolution", "nn.SpatialBatchNormalization", "nn.PReLU"):
            kinds.append(type(typename, (Weights,), {"_typename": typename}))
        case = t7.read(f"tests/golden/container/getParameters_{name}.t7", objectFactory=Factory(Sequential, *kinds))
        net = case["module"]
        flat, flatGrad = net.getParameters()
        np.testing.assert_array_equal(flat, case["flatParameters"])
        np.testing.assert_array_equal(flatGrad, case["flatGradParameters"])
        for p, expected in zip(net.parameters()[0], case["layout"] or [], strict=True):
            assert storage_offset(p) == expected["offset"] - 1
            assert list(p.shape) == list(expected["size"])
            assert [stride // p.itemsize for stride in p.strides] == list(expected["stride"])
        if not name.startswith("conv"):
            assert_close(net.forward(case["input"]), case["output"], 1e-12)
            flat += 0.125
            assert_close(net.forward(case["input"]), case["outputShifted"], 1e-12)
            saved = case["flattened"]["module"]
            assert_close(saved.forward(case["input"]), case["output"], 1e-12)
