"""Sizes on the screen."""

from typing import Any

from pytorch_legacy.arrays import is_tensor
from pytorch_legacy.files.form import Form
from pytorch_legacy.nn.Module import Module
from pytorch_legacy.nn.utils import described


class PrintSize(Module):
    """Prints the sizes of what passes, forward and backward, and passes it on, not a copy of it.

    Parameters
    ----------
    prefix : str
        Text with which each line begins; "PrintSize" by default.

    Notes
    -----
    Anything passes. Source: Torch7 nn.PrintSize.

    Examples
    --------
    >>> y = nn.PrintSize("here").forward(np.zeros((2, 3), np.float32))
    here: input: 2 x 3
    """

    _file = Form(defaults={"prefix": "PrintSize"})

    def __init__(self, prefix: str = "PrintSize") -> None:
        super().__init__()
        self.prefix = prefix

    def updateOutput(self, input: Any) -> Any:
        print(f"{self.prefix}: input: {_outline(input)}")
        self.output = input
        return input

    def updateGradInput(self, input: Any, gradOutput: Any = None) -> Any:
        print(f"{self.prefix}: gradOutput: {_outline(gradOutput)}")
        self.gradInput = gradOutput
        return gradOutput


def _outline(value: Any) -> str:
    """Sizes, in tables within tables too."""
    if is_tensor(value):
        return " x ".join(map(str, value.shape)) or "a number"
    if isinstance(value, list):
        return "[" + ", ".join(map(_outline, value)) + "]"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key}: {_outline(entry)}" for key, entry in value.items()) + "}"
    return described(value)
