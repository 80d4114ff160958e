"""The base of chains that treat the steps of sequences as rows of a batch."""

from typing import Any

from pytorch_legacy import nn
from pytorch_legacy.errors import ShapeError
from pytorch_legacy.files.form import Form
from pytorch_legacy.nn import check
from pytorch_legacy.nn.utils import sizes


class FoldedSequential(nn.Sequential):
    """A chain with two views, whose sizes it sets in each pass: `view_in` folds ``T x N x H`` into ``(T * N) x H``, and
    `view_out` unfolds it again.

    Attributes
    ----------
    view_in, view_out : View
        Modules of the chain.
    """

    _file = Form(kinds=dict.fromkeys(("view_in", "view_out"), "a module"))
    _title: str  # the name in its picture

    def __init__(self) -> None:
        super().__init__()
        self.view_in: Any = nn.View(1, 1, -1).setNumInputDims(3)
        self.view_out: Any = nn.View(1, -1).setNumInputDims(2)

    def updateOutput(self, input: Any) -> Any:
        steps, samples, _ = check.tensor(self, "input", input, 3).shape
        if not steps * samples:
            raise ShapeError(f"{self._typename}: input: expected one step and one sample or more, got {sizes(input.shape)}")
        self.view_in.resetSize(steps * samples, -1)
        self.view_out.resetSize(steps, samples, -1)
        return super().updateOutput(input)

    def __repr__(self) -> str:
        return super().__repr__().replace("nn.Sequential", self._title, 1)
