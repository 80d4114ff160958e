"""Multi-function recurrent unit."""

from collections.abc import Sequence
from typing import Any, NoReturn

from pytorch_legacy import nn
from pytorch_legacy.errors import UnsupportedError, ValueRangeError
from pytorch_legacy.files.form import Form
from pytorch_legacy.nn.Module import Module
from pytorch_legacy.rnn.GRU import GRU

OPERATIONS = ("keep", "replace", "mul", "diff", "forget", "sqrt_diff", "max", "min")


class MuFuRu(GRU):
    """A step of a network that blends several operations on the old state h and a new feature v::

        r = sigmoid(W_x x + b_x + W_h h(t-1) + b_h)
        v = sigmoid(W_v [x, r * h(t-1)] + b_v)
        p = softmax over the operations of W_p [x, h(t-1)] + b_p         for each element of the state
        h(t) = sum over the operations of p[op] * op(h(t-1), v)

    Parameters
    ----------
    inputSize, outputSize, rho
        As in `GRU`.
    ops : sequence of str
        Of "keep" (h), "replace" (v), "mul" (h v), "diff" (h - v), "forget" (0), "sqrt_diff" (``sqrt(|h - v|) / 4``), "max" and
        "min"; all by default.

    Notes
    -----
    Shapes: ``N x inputSize`` to ``N x outputSize``.
    Source: Element-Research rnn ``MuFuRu``; Weissenborn & Rocktaeschel, "MuFuRU: The Multi-Function Recurrent Unit" (2016).

    Examples
    --------
    >>> layer = rnn.MuFuRu(1, 1, ["keep", "replace", "max"])
    >>> layer.getParameters()[0].fill(0)  # v is 0.5 then, and each operation counts a third
    >>> layer.userPrevOutput = np.float32([[2]])
    >>> layer.forward(np.float32([[7]]))  # (2 + 0.5 + 2) / 3
    array([[1.5]], dtype=float32)
    """

    _file = Form(defaults={"ops": None}, without=("p",), kinds={"num_ops": "a whole number"})

    def __init__(self, inputSize: int, outputSize: int | None = None, ops: Sequence[str] | None = None, rho: int = 9999) -> None:
        self.ops = list(OPERATIONS if ops is None else ops)
        unknown = [op for op in self.ops if op not in OPERATIONS]
        if unknown or not self.ops:
            raise ValueRangeError(f"{self._typename}: ops: expected some of {', '.join(OPERATIONS)}, got {self.ops}")
        self.num_ops = len(self.ops)
        self.operations = [_operation(op) for op in self.ops]
        super().__init__(inputSize, outputSize, rho)

    def buildModel(self) -> Module:
        m, n, count = self.inputSize, self.outputSize, self.num_ops
        reset = nn.Sequential().add(nn.ParallelTable().add(nn.Linear(m, n)).add(nn.Linear(n, n)))
        reset.add(nn.CAddTable()).add(nn.Sigmoid())
        part = nn.Sequential().add(nn.NarrowTable(1, 2)).add(nn.CMulTable())
        feature = nn.Sequential().add(nn.ConcatTable().add(nn.SelectTable(0)).add(part)).add(nn.JoinTable(1))
        feature.add(nn.Linear(m + n, n)).add(nn.Sigmoid())
        weights = nn.Sequential().add(nn.NarrowTable(0, 2)).add(nn.JoinTable(1)).add(nn.Linear(m + n, count * n))
        weights.add(nn.View(count, n).setNumInputDims(1)).add(nn.Transpose((0, 1))).add(nn.SoftMax())
        operations = nn.ConcatTable()
        for operation in self.operations:
            operations.add(operation)
        results = nn.Sequential().add(nn.NarrowTable(0, 2)).add(operations)
        results.add(nn.MapTable(nn.Unsqueeze(0))).add(nn.JoinTable(0, 3))
        combined = nn.Sequential().add(nn.ConcatTable().add(results).add(nn.SelectTable(2)))
        combined.add(nn.CMulTable()).add(nn.Sum(0, 3))
        model = nn.Sequential().add(nn.ConcatTable().add(nn.SelectTable(0)).add(nn.SelectTable(1)).add(reset))  # [x, h, r]
        model.add(nn.ConcatTable().add(nn.SelectTable(1)).add(feature).add(weights))  # [h, v, p]
        return model.add(combined)

    def migrate(self, params: Any) -> NoReturn:
        """Raises UnsupportedError."""
        raise UnsupportedError(f"{self._typename}: migrate: only for nn.GRU")

    def __repr__(self) -> str:
        return f"{self._typename}({self.inputSize} -> {self.outputSize}) {{ {''.join(f'{op} ' for op in self.ops)}}}"


def _operation(name: str) -> Module:
    """From [h, v] to the new state."""

    def extremum(module: Module) -> Module:
        return nn.Sequential().add(nn.MapTable(nn.Unsqueeze(0))).add(nn.JoinTable(0)).add(module)

    match name:
        case "keep":
            return nn.SelectTable(0)
        case "replace":
            return nn.SelectTable(1)
        case "mul":
            return nn.CMulTable()
        case "diff":
            return nn.CSubTable()
        case "forget":
            return nn.Sequential().add(nn.SelectTable(0)).add(nn.MulConstant(0.0))
        case "sqrt_diff":
            return nn.Sequential().add(nn.CSubTable()).add(nn.Abs()).add(nn.Sqrt()).add(nn.MulConstant(0.25))
        case "max":
            return extremum(nn.Max(0))
        case _:
            return extremum(nn.Min(0))
