"""The base class of losses that compute rewards."""

from typing import Any

from pytorch_legacy.arrays import Tensor
from pytorch_legacy.backend import compute
from pytorch_legacy.errors import ShapeError
from pytorch_legacy.files.form import Form
from pytorch_legacy.nn import check
from pytorch_legacy.nn.Criterion import Criterion
from pytorch_legacy.nn.criterion.MSECriterion import MSECriterion
from pytorch_legacy.nn.Module import Module
from pytorch_legacy.nn.utils import sizes


class ClassReward(Criterion):
    """Rewards right predictions; a subclass tells which are right."""

    _file = Form(
        dropped=("_maxVal", "_maxIdx", "_target", "_reward", "_binary"),
        defaults={"scale": 1, "criterion": None},
        kinds={"criterion": "a criterion"},
    )
    reward: Tensor
    vrReward: Tensor

    def __init__(self, module: Module, scale: float = 1, criterion: Criterion | None = None) -> None:
        super().__init__()
        self.module = module
        self.scale = scale
        self.criterion = criterion or MSECriterion()
        self.sizeAverage = True
        self.gradInput = [self.gradInput]

    def updateOutput(self, input: list[Tensor], target: Any) -> float:
        right = self._right(self._checked(input)[0], target)
        self.reward = right.astype(self._dtype)
        self.reward *= self.scale
        self.output = self._mean(-compute.number(compute.sum(self.reward, dtype="float64")), len(self.reward))
        return self.output

    def updateGradInput(self, input: list[Tensor], target: Any) -> list[Tensor]:
        prediction, baseline = self._checked(input)
        check.shape(self, "reward of the last forward", self.reward, (baseline.size,))
        self.vrReward = self._mean(self.reward - baseline.reshape(-1), len(self.reward))
        self.module.reinforce(self.vrReward)
        goal = self.reward.reshape(baseline.shape)
        self.criterion.forward(baseline, goal)
        gradient = self._resizeTable("gradInput", [prediction.shape])
        gradient[0].fill(0)
        self.gradInput = [*gradient, self.criterion.backward(baseline, goal)]
        return self.gradInput

    def type(self, type: Any = None, tensorCache: dict[Any, Any] | None = None) -> Any:
        """Converts as every object does, but leaves the network alone."""
        module = self.__dict__.pop("module")
        try:
            return super().type(type, tensorCache)
        finally:
            self.module = module

    def _right(self, prediction: Tensor, target: Any) -> Tensor:
        """For each sample, whether the prediction is right."""
        raise NotImplementedError

    def _samples(self, prediction: Tensor) -> int:
        """The number of samples."""
        raise NotImplementedError

    def _checked(self, input: list[Tensor]) -> list[Tensor]:
        prediction, baseline = check.tensors(self, "input", input, 2)
        if baseline.size != self._samples(prediction):
            raise ShapeError(
                f"{self._typename}: input[1]: expected a number for each of {self._samples(prediction)} samples, "
                f"got {sizes(baseline.shape)}"
            )
        return [prediction, baseline]
