"""A criterion as a module."""

from typing import Any

from pytorch_legacy.errors import located
from pytorch_legacy.files.form import Form
from pytorch_legacy.nn import check
from pytorch_legacy.nn.Criterion import Criterion
from pytorch_legacy.nn.Module import Module
from pytorch_legacy.objects import Wrapping


class CriterionTable(Wrapping, Module):
    """A criterion as a module, whose input is the table of the criterion's input and target::

        output    = criterion(input[0], input[1])
        gradInput = [gradient of input[0]]

    Parameters
    ----------
    criterion : Criterion

    Notes
    -----
    ``output`` is a number, and gradOutput does not count. Source: Torch7 nn.CriterionTable.

    Examples
    --------
    >>> layer, x = nn.CriterionTable(nn.MSECriterion()), [np.float32([1, 2]), np.float32([1, 4])]
    >>> layer.forward(x)
    2.0
    >>> layer.backward(x)
    [array([ 0., -2.], dtype=float32)]
    """

    _file = Form(kinds={"criterion": "a criterion"})

    def __init__(self, criterion: Criterion) -> None:
        super().__init__()
        self.criterion = criterion
        self.gradInput = [criterion.gradInput]

    def updateOutput(self, input: list[Any]) -> Any:
        pair = check.leading(self, "input", input, 2)
        with located(f"in {self._typename}"):
            self.output = self.criterion.updateOutput(*pair)
        return self.output

    def updateGradInput(self, input: list[Any], gradOutput: Any = None) -> list[Any]:
        pair = check.leading(self, "input", input, 2)
        with located(f"in {self._typename}"):
            self.gradInput = [self.criterion.updateGradInput(*pair)]
        return self.gradInput
