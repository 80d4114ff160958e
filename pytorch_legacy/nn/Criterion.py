"""The base of all losses."""

from typing import Any

import numpy as np

from pytorch_legacy.nn.TorchObject import TorchObject


class Criterion(TorchObject):
    """A loss: a number for an input and a target, and the gradient of the input.

    A criterion overrides ``updateOutput`` and ``updateGradInput``. The gradient is written into the same memory by
    every call: copy what must survive the next one.

    Attributes
    ----------
    output : float
        The loss of the last ``forward``.
    gradInput
        The gradient of the last ``backward``.

    Notes
    -----
    Source: Torch7 nn.Criterion.
    """

    def __init__(self) -> None:
        self.output: Any = 0.0
        self.gradInput: Any = np.empty(0, np.float32)

    def forward(self, input: Any, target: Any) -> Any:
        """The loss: another name of ``updateOutput``."""
        return self.updateOutput(input, target)

    def backward(self, input: Any, target: Any) -> Any:
        """The gradient of the input: another name of ``updateGradInput``."""
        return self.updateGradInput(input, target)

    def updateOutput(self, input: Any, target: Any) -> Any:
        """Computes and returns ``output``."""
        return self.output

    def updateGradInput(self, input: Any, target: Any) -> Any:
        """Computes and returns ``gradInput``."""
        return self.gradInput

    def __call__(self, input: Any, target: Any) -> tuple[Any, Any]:
        """The loss and the gradient of the input."""
        return self.forward(input, target), self.backward(input, target)

    def _fromTorch7(self, fields: dict[str, Any], version: int) -> None:
        super()._fromTorch7({"output": 0.0, **fields}, version)
