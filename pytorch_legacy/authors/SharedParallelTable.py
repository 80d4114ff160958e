"""One module for all entries of a table, as crnn has it."""

from typing import Any

from pytorch_legacy.arrays import Tensor
from pytorch_legacy.authors.SharedUnit import SharedUnit
from pytorch_legacy.files.form import Form
from pytorch_legacy.nn import check
from pytorch_legacy.nn.Module import Module


class SharedParallelTable(SharedUnit):
    """Gives each entry of a list to the same module, or to clones that share its parameters.

    .. math:: y_t = f(x_t)

    Parameters
    ----------
    unit : Module
        Its parameters are drawn anew: weights uniform in [-0.08, 0.08), and biases of 0.
    maxT : int
        Torch7's limit of the number of entries, which does not hold here.

    Raises
    ------
    DtypeError, ShapeError
        If the input is no list with at least one entry.

    Notes
    -----
    Source: crnn ``SharedParallelTable``.

    Examples
    --------
    >>> layer = authors.SharedParallelTable(nn.Square(), maxT=10)
    >>> layer.forward([np.float32([1, 2]), np.float32([3])])
    [array([1., 4.], dtype=float32), array([9.], dtype=float32)]
    """

    _file = Form(
        properties=("unit",),
        defaults={"modules": lambda fields: [fields["unit"]]},
        kinds={"unit": "a module"},
    )

    def __init__(self, unit: Module, maxT: int) -> None:
        super().__init__(unit, maxT)

    @property
    def unit(self) -> Any:
        return self.modules[0]

    def updateOutput(self, input: list[Tensor]) -> list[Tensor]:
        self._begin()
        self.output = [self._forward(t, entry) for t, entry in enumerate(check.table(self, "input", input))]
        return self.output

    def updateGradInput(self, input: list[Tensor], gradOutput: list[Tensor]) -> list[Tensor]:
        gradients = check.like(self, "gradOutput", gradOutput, self.output)
        self.gradInput = [self._backward(t, gradient) for t, gradient in enumerate(gradients)]
        return self.gradInput
