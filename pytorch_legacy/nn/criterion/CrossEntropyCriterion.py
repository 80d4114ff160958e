"""Classification loss on unnormalised scores."""

from typing import Any

from pytorch_legacy.arrays import Tensor, is_tensor
from pytorch_legacy.errors import located
from pytorch_legacy.files import migration
from pytorch_legacy.files.counting import Lua
from pytorch_legacy.files.fields import checked
from pytorch_legacy.files.form import Form
from pytorch_legacy.nn import check
from pytorch_legacy.nn.activation.LogSoftMax import LogSoftMax
from pytorch_legacy.nn.Criterion import Criterion
from pytorch_legacy.nn.criterion.ClassNLLCriterion import ClassNLLCriterion


class CrossEntropyCriterion(Criterion):
    """Minus the logarithm of the probability that the scores give to the target class::

        output = ClassNLLCriterion(LogSoftMax(input), target)

    Parameters
    ----------
    weights : array, optional
        One factor for each class.
    sizeAverage : bool
        Average over a batch, or sum.

    Attributes
    ----------
    lsm : LogSoftMax
    nll : ClassNLLCriterion
        Its settings (weights, ignoreIndex, sizeAverage) are those of the loss.
    sizeAverage : bool
        The same as ``nll.sizeAverage``.

    Notes
    -----
    Input: scores of C classes (C) or of a batch (N x C). Target: class labels from 0, a number or N integers. Sizes of
    1 beyond these, as convolutions leave them (N x C x 1 x 1), are dropped; ``gradInput`` has the shape of the input.
    Torch7 had ``sizeAverage`` in both objects and copied it to ``nll`` in the next pass after a change.
    Source: Torch7 nn.CrossEntropyCriterion.

    Examples
    --------
    >>> loss, x = nn.CrossEntropyCriterion(), np.log(np.float32([1, 3, 4]))  # probabilities 1/8, 3/8 and 4/8
    >>> round(loss.forward(x, 2), 4)  # -log(4/8); classes count from 0, so 3 in Lua
    0.6931
    >>> loss.backward(x, 2)  # the probabilities, less 1 for the right class
    array([ 0.125,  0.375, -0.5  ], dtype=float32)
    """

    _file = Form(
        scratch={"oldSizeAverage": lambda criterion: criterion.sizeAverage},
        properties=("sizeAverage",),
        kinds={"nll": "a criterion"},
    )
    _lua = Lua(targets="labels")

    def __init__(self, weights: Tensor | None = None, sizeAverage: bool = True) -> None:
        super().__init__()
        self.lsm = LogSoftMax()
        self.nll = ClassNLLCriterion(weights, sizeAverage)

    @property
    def sizeAverage(self) -> bool:  # type: ignore[override]
        return getattr(self.__dict__.get("nll"), "sizeAverage", True)

    @sizeAverage.setter
    def sizeAverage(self, value: bool) -> None:
        self.nll.sizeAverage = value

    def updateOutput(self, input: Tensor, target: Any) -> float:
        scores, target = self._squeezed(input, target)
        with located(f"in {self._typename}"):  # complaints of the parts say that they are parts
            self.output = self.nll.updateOutput(self.lsm.updateOutput(scores), target)
        return self.output

    def updateGradInput(self, input: Tensor, target: Any) -> Tensor:
        scores, target = self._squeezed(input, target)
        with located(f"in {self._typename}"):
            gradient = self.nll.updateGradInput(self.lsm.output, target)
            self.gradInput = self.lsm.updateGradInput(scores, gradient).reshape(input.shape)
        return self.gradInput

    def _squeezed(self, input: Tensor, target: Any) -> tuple[Tensor, Any]:
        """Scores as a vector or a matrix, and one label or a vector of labels to go with them."""
        scores = check.tensor(self, "input", input)
        if scores.ndim > 2:
            scores = scores.squeeze()
        if not is_tensor(target):
            return scores, target
        if scores.ndim == 1 and target.size == 1:
            return scores, target.reshape(1)
        return scores, target.reshape(-1) if target.ndim == 0 or target.size == max(target.shape) else target

    def _fromTorch7(self, fields: dict[str, Any], version: int) -> None:
        super()._fromTorch7(fields, version)
        if "sizeAverage" not in fields:
            migration.note(self, "sizeAverage", f"missing: {self.sizeAverage}")
        else:
            outer = checked(self, "sizeAverage", fields["sizeAverage"], "true or false")
            if fields.get("oldSizeAverage") is not outer:  # it was changed after the last pass, or Torch7 copied it in each pass
                self.sizeAverage = outer

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        if "sizeAverage" in self.__dict__:  # in pickles of earlier versions
            self.sizeAverage = self.__dict__.pop("sizeAverage")
