"""Classification loss on unnormalised scores, at every place of an image."""

from typing import Any

import numpy as np

from pytorch_legacy import nn
from pytorch_legacy.arrays import Tensor, is_tensor
from pytorch_legacy.cudnn.softmax import SpatialLogSoftMax
from pytorch_legacy.errors import located
from pytorch_legacy.files.counting import Lua
from pytorch_legacy.files.fields import checked
from pytorch_legacy.files.form import Form
from pytorch_legacy.nn import check
from pytorch_legacy.nn.Criterion import Criterion


class SpatialCrossEntropyCriterion(Criterion):
    """Minus the logarithm of the probability that the scores of a place give to its class::

        output = nn.SpatialClassNLLCriterion(SpatialLogSoftMax(input), target)

    Parameters
    ----------
    weights : array, optional
        One factor for each class.

    Attributes
    ----------
    nll : Criterion
        Its settings (weights, sizeAverage) are those of the loss.
    sizeAverage : bool
        Average over all places, or sum: the same as ``nll.sizeAverage``. Torch7 copied it to ``nll`` in each pass.

    Notes
    -----
    Shapes: input ``N x C x H x W``, target ``N x H x W``: class labels from 0.
    Files of before 2016 hold an ``nn.ClassNLLCriterion``, which sees every place as a sample: the loss is then the sum over
    the places, and its gradient that of the sum over N with `sizeAverage`.
    Source: cudnn.torch ``SpatialCrossEntropyCriterion``.

    Examples
    --------
    >>> loss = cudnn.SpatialCrossEntropyCriterion()
    >>> scores, target = np.zeros((1, 2, 1, 2), np.float32), np.array([[[0, 1]]])  # classes from 0; from 1 in Lua
    >>> round(loss.forward(scores, target), 4)  # log(2)
    0.6931
    >>> loss.backward(scores, target).tolist()
    [[[[-0.25, 0.25]], [[0.25, -0.25]]]]
    """

    _file = Form(properties=("sizeAverage",), kinds={"slsm": "a module", "nll": "a criterion"})
    _lua = Lua(targets="labels")

    def __init__(self, weights: Any = None) -> None:
        super().__init__()
        self.slsm = SpatialLogSoftMax()
        self.nll: Criterion = nn.SpatialClassNLLCriterion(weights)

    @property
    def sizeAverage(self) -> bool:  # type: ignore[override]
        value: bool = self.__dict__.get("sizeAverage", True) if self._isOld else self.nll.sizeAverage
        return value

    @sizeAverage.setter
    def sizeAverage(self, value: bool) -> None:
        if self._isOld:
            self.__dict__["sizeAverage"] = value
        else:
            self.nll.sizeAverage = value

    def updateOutput(self, input: Tensor, target: Any) -> float:
        check.tensor(self, "input", input, 4)
        with located(f"in {self._typename}"):
            self.output = self.nll.updateOutput(self._rows(self.slsm.updateOutput(input)), self._labels(target))
        return self.output

    def updateGradInput(self, input: Tensor, target: Any) -> Tensor:
        with located(f"in {self._typename}"):
            gradient = self.nll.updateGradInput(self._rows(self.slsm.output), self._labels(target))
            if self._isOld:
                shape = (len(input), *input.shape[2:], input.shape[1])
                gradient = np.ascontiguousarray(np.moveaxis(gradient.reshape(shape), -1, 1), like=gradient)
            self.gradInput = self.slsm.updateGradInput(input, gradient)
        if self._isOld and self.sizeAverage:
            self.gradInput /= len(input)
        return self.gradInput

    @property
    def _isOld(self) -> bool:
        return isinstance(self.nll, nn.ClassNLLCriterion)

    def _rows(self, scores: Tensor) -> Tensor:
        """The scores of all places one below the other, if the criterion inside wants them so."""
        return np.moveaxis(scores, 1, -1).reshape(-1, scores.shape[1]) if self._isOld else scores

    def _labels(self, target: Any) -> Any:
        return target.reshape(-1) if self._isOld and is_tensor(target) else target

    def _fromTorch7(self, fields: dict[str, Any], version: int) -> None:
        super()._fromTorch7(fields, version)
        if "sizeAverage" in fields:
            self.sizeAverage = checked(self, "sizeAverage", fields["sizeAverage"], "true or false")

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        if "sizeAverage" in self.__dict__:  # in pickles of earlier versions
            self.sizeAverage = self.__dict__.pop("sizeAverage")
