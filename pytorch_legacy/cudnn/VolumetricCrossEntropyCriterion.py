"""Classification loss on unnormalised scores, at every place of a volume."""

from typing import Any

from pytorch_legacy.arrays import Tensor, is_tensor
from pytorch_legacy.cudnn.SpatialCrossEntropyCriterion import SpatialCrossEntropyCriterion
from pytorch_legacy.errors import DtypeError, located
from pytorch_legacy.files.counting import Lua
from pytorch_legacy.files.form import Form
from pytorch_legacy.nn import check
from pytorch_legacy.nn.Criterion import Criterion
from pytorch_legacy.nn.utils import described


class VolumetricCrossEntropyCriterion(Criterion):
    """Minus the logarithm of the probability that the scores of a place give to its class.

    SpatialCrossEntropyCriterion does the work, on a volume's planes one below the other.

    Parameters
    ----------
    weights : array, optional
        One factor for each class.

    Notes
    -----
    Shapes: input ``N x C x T x H x W``, target ``N x T x H x W``: class labels from 0.
    Source: cudnn.torch ``VolumetricCrossEntropyCriterion``.

    Examples
    --------
    >>> loss = cudnn.VolumetricCrossEntropyCriterion()
    >>> scores, target = np.zeros((1, 4, 2, 1, 1), np.float32), np.array([0, 3]).reshape(1, 2, 1, 1)
    >>> round(loss.forward(scores, target), 4)  # log(4); classes from 0
    1.3863
    """

    _file = Form(kinds={"scec": "a criterion"})
    _lua = Lua(targets="labels")

    def __init__(self, weights: Any = None) -> None:
        super().__init__()
        self.scec = SpatialCrossEntropyCriterion(weights)

    @property
    def sizeAverage(self) -> bool:  # type: ignore[override]
        return self.scec.sizeAverage

    @sizeAverage.setter
    def sizeAverage(self, value: bool) -> None:
        self.scec.sizeAverage = value

    def updateOutput(self, input: Tensor, target: Any) -> float:
        with located(f"in {self._typename}"):
            self.output = self.scec.updateOutput(*self._folded(input, target))
        return self.output

    def updateGradInput(self, input: Tensor, target: Any) -> Tensor:
        with located(f"in {self._typename}"):
            self.gradInput = self.scec.updateGradInput(*self._folded(input, target)).reshape(input.shape)
        return self.gradInput

    def _folded(self, input: Tensor, target: Any) -> tuple[Tensor, Tensor]:
        """Both with planes one below the other."""
        batch, channels, time, height, width = check.tensor(self, "input", input, 5).shape
        if not is_tensor(target):
            raise DtypeError(f"{self._typename}: target: expected an array of labels, got {described(target)}")
        check.shape(self, "target", target, (batch, time, height, width))
        return input.reshape(batch, channels, time * height, width), target.reshape(batch, time * height, width)
