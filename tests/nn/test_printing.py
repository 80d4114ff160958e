"""Networks print as Torch7 printed them."""

from pytorch_legacy.nn.container.Concat import Concat
from pytorch_legacy.nn.container.Sequential import Sequential
from pytorch_legacy.nn.Criterion import Criterion
from pytorch_legacy.nn.Module import Module
from pytorch_legacy.nn.regularization.Dropout import Dropout
from pytorch_legacy.nn.shape.Identity import Identity
from pytorch_legacy.nn.shape.PixelShuffle import PixelShuffle
from pytorch_legacy.nn.shape.Reshape import Reshape
from pytorch_legacy.nn.shape.View import View
from pytorch_legacy.nn.table.CAddTable import CAddTable
from pytorch_legacy.nn.table.ConcatTable import ConcatTable
from pytorch_legacy.nn.table.JoinTable import JoinTable
from pytorch_legacy.nn.table.ParallelTable import ParallelTable
from tests.nn.toys import Linear, Tanh


def test_leaves():
    assert repr(Module()) == "nn.Module"
    assert repr(Criterion()) == "nn.Criterion"
    assert repr(Identity()) == "nn.Identity"
    assert repr(JoinTable(0)) == "nn.JoinTable"
    assert repr(CAddTable()) == "nn.CAddTable"
    assert repr(PixelShuffle(2)) == "nn.PixelShuffle"
    assert repr(View(-1, 6)) == "nn.View(-1, 6)"
    assert repr(Reshape(3, 2, True)) == "nn.Reshape(3x2)"
    assert repr(Dropout(0.3)) == "nn.Dropout(0.300000)"


def test_chain():
    assert repr(Sequential().add(Linear(4, 3)).add(Tanh())) == (
        "nn.Sequential {\n"
        "  [input -> (1) -> (2) -> output]\n"
        "  (1): nn.Linear(4 -> 3)\n"
        "  (2): nn.Tanh\n"
        "}"
    )  # fmt: skip
    assert repr(Sequential()) == "nn.Sequential {\n  [input -> output]\n}"


def test_print_says_once_that_it_counts_from_1():
    inner = Sequential().add(Tanh())
    for net in (inner, Sequential().add(inner).add(Tanh()), ConcatTable().add(inner), Sequential().add(ConcatTable().add(inner))):
        assert str(net) == f"{net!r}\n(The picture is Torch7's: it counts from 1, Python from 0.)"
    assert str(Sequential()) == repr(Sequential())
    assert str(Linear(4, 3)) == repr(Linear(4, 3))


def test_a_subclass_of_Sequential_prints_as_Sequential():
    class Mine(Sequential):
        pass

    assert repr(Mine()).startswith("nn.Sequential {")


def test_branches_nested_in_chains():
    chain = Sequential().add(Linear(4, 3)).add(Tanh())
    net = (
        Sequential()
        .add(ConcatTable().add(chain).add(Identity()))
        .add(ParallelTable().add(Tanh()).add(Concat(0).add(chain)))
        .add(CAddTable())
    )
    expected = """\
nn.Sequential {
  [input -> (1) -> (2) -> (3) -> output]
  (1): nn.ConcatTable {
    input
      |`-> (1): nn.Sequential {
      |      [input -> (1) -> (2) -> output]
      |      (1): nn.Linear(4 -> 3)
      |      (2): nn.Tanh
      |    }
       `-> (2): nn.Identity
       ... -> output
  }
  (2): nn.ParallelTable {
    input
      |`-> (1): nn.Tanh
       `-> (2): nn.Concat {
             input
                `-> (1): nn.Sequential {
                      [input -> (1) -> (2) -> output]
                      (1): nn.Linear(4 -> 3)
                      (2): nn.Tanh
                    }
                ... -> output
           }
       ... -> output
  }
  (3): nn.CAddTable
}"""
    assert repr(net) == repr(net) == expected


def test_branches_in_the_middle():
    inner = ConcatTable().add(Tanh()).add(Tanh())
    expected = """\
nn.ParallelTable {
  input
    |`-> (1): nn.ConcatTable {
    |      input
    |        |`-> (1): nn.Tanh
    |         `-> (2): nn.Tanh
    |         ... -> output
    |    }
     `-> (2): nn.ConcatTable {
           input
             |`-> (1): nn.Tanh
              `-> (2): nn.Tanh
              ... -> output
         }
     ... -> output
}"""
    assert repr(ParallelTable().add(inner).add(inner)) == expected


def test_empty_branches():
    assert repr(Concat(0)) == "nn.Concat {\n  input\n     ... -> output\n}"
