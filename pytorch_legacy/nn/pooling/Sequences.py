"""The layout of sequences in the pooling layers that this package adds."""

from typing import Any

import numpy as np

from pytorch_legacy.arrays import Tensor
from pytorch_legacy.files import migration
from pytorch_legacy.files.form import Form
from pytorch_legacy.nn import check
from pytorch_legacy.nn.Native import Native


class Sequences(Native):
    """Base of layers that pool ``(N x) nFrame x frameSize`` over the frames, as Torch7's temporal layers do.

    Version 1 of these layers pooled ``(N x) frameSize x nFrame`` over the last dimension, and its indices were frames. A layer
    that comes from a file of that version goes on doing so, and is saved as such.
    """

    _file = Form(version=2, kinds={"indices": "a tensor"})
    indices: Tensor

    def updateOutput(self, input: Tensor) -> Any:
        if self._version == 2:
            return super().updateOutput(input)
        output = super().updateOutput(_turned(check.tensor(self, "input", input, 2, 3)))
        self.output = _turned(output)
        if "indices" in self.__dict__:
            self.indices = _turned(self.indices) // output.shape[-1]
        return self.output

    def updateGradInput(self, input: Tensor, gradOutput: Tensor) -> Any:
        if self._version == 2:
            return super().updateGradInput(input, gradOutput)
        check.tensor(self, "input", input, 2, 3)
        check.tensor(self, "gradOutput", gradOutput, input.ndim)
        frames = self.__dict__.get("indices")
        if frames is not None and frames.ndim == input.ndim:
            self.indices = _turned(frames) * frames.shape[-2] + np.arange(frames.shape[-2], like=frames)
        try:
            self.gradInput = _turned(super().updateGradInput(_turned(input), _turned(gradOutput)))
        finally:
            if frames is not None:
                self.indices = frames
        return self.gradInput

    def _fromTorch7(self, fields: dict[str, Any], version: int) -> None:
        if version < 2:
            self._version = 1
            migration.note(self, "layout", "of version 1: (N x) frameSize x nFrame")
        super()._fromTorch7(fields, version)

    def __repr__(self) -> str:
        text = super().__repr__()
        return text if self._version == 2 else f"{text} (version 1: frameSize x nFrame)"


def _turned(array: Tensor) -> Tensor:
    return np.swapaxes(array, -1, -2)
