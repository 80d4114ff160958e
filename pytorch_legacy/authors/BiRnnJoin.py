"""The sum of two sequences, each with weights of its own."""

from typing import Any

from pytorch_legacy import nn
from pytorch_legacy.arrays import Tensor
from pytorch_legacy.authors.SharedUnit import SharedUnit
from pytorch_legacy.errors import ShapeError
from pytorch_legacy.files.form import Form
from pytorch_legacy.nn import check
from pytorch_legacy.nngraph import gModule


class BiRnnJoin(SharedUnit):
    """Joins the outputs of two recurrent layers, step by step.

    .. math:: y_t = W x_t + b + W' x'_t + b'

    Parameters
    ----------
    nIn, nOut : int
        Number of elements of an input, and of the output.
    maxT : int
        Torch7's limit of the number of steps, which does not hold here.

    Attributes
    ----------
    joinUnit : gModule
        Computes one step.

    Raises
    ------
    ShapeError, DtypeError
        If the input is no list of two lists of as many arrays ``N x nIn``.

    Notes
    -----
    Shapes: a list of two lists of T arrays ``N x nIn`` to a list of T arrays ``N x nOut``.
    Source: crnn ``BiRnnJoin``.

    Examples
    --------
    >>> layer, one = authors.BiRnnJoin(3, 2, maxT=10), np.ones((1, 3), np.float32)
    >>> [y.shape for y in layer.forward([[one, one], [one, one]])]  # two steps
    [(1, 2), (1, 2)]
    """

    _file = Form(
        properties=("joinUnit",),
        defaults={"modules": lambda fields: [fields["joinUnit"]]},
        kinds={"joinUnit": "a module"},
    )

    def __init__(self, nIn: int, nOut: int, maxT: int) -> None:
        x, other = nn.Identity()(), nn.Identity()()
        total = nn.CAddTable()([nn.Linear(nIn, nOut)(x), nn.Linear(nIn, nOut)(other)])
        super().__init__(gModule([x, other], [total]), maxT)

    @property
    def joinUnit(self) -> Any:
        return self.modules[0]

    def updateOutput(self, input: list[list[Tensor]]) -> list[Tensor]:
        one, other = check.table(self, "input", input, 2)
        count = len(check.table(self, "input[0]", one))
        if len(check.table(self, "input[1]", other)) != count:
            raise ShapeError(f"{self._typename}: input[1]: expected {count} steps as in input[0], got {len(other)}")
        self._begin()
        self.output = [self._forward(t, list(pair)) for t, pair in enumerate(zip(one, other, strict=True))]
        return self.output

    def updateGradInput(self, input: list[list[Tensor]], gradOutput: list[Tensor]) -> list[list[Tensor]]:
        gradients = check.like(self, "gradOutput", gradOutput, self.output)
        pairs = [self._backward(t, gradient) for t, gradient in enumerate(gradients)]
        self.gradInput = [[pair[side] for pair in pairs] for side in range(2)]
        return self.gradInput
