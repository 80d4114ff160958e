"""A layer of a user, for the tests of programs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pytorch_legacy import nn


class Function(nn.Module):
    """A layer of a user whose pass is a function."""

    def __init__(self, function: Callable[[Any], Any]) -> None:
        super().__init__()
        self.function = function

    def updateOutput(self, input: Any) -> Any:
        self.output = self.function(input)
        return self.output
