"""Layers of which one input is random and the others are given: indices, masks."""

from __future__ import annotations

from typing import Any

from pytorch_legacy import nn


class Given(nn.Container):
    """Runs a layer that takes a table on its first entry and on arrays that are always the same."""

    def __init__(self, module: nn.Module, *others: Any) -> None:
        super().__init__()
        self.add(module)
        self.others = list(others)
        self._typename = module._typename

    def updateOutput(self, input: Any) -> Any:
        self.output = self.modules[0].updateOutput([input, *self.others])
        return self.output

    def updateGradInput(self, input: Any, gradOutput: Any) -> Any:
        gradients = self.modules[0].updateGradInput([input, *self.others], gradOutput)
        assert not any(gradient.any() for gradient in gradients[1:])
        self.gradInput = gradients[0]
        return self.gradInput
