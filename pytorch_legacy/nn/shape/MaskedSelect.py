"""Elements picked by a mask."""

import numpy as np

from pytorch_legacy.arrays import Tensor, is_tensor
from pytorch_legacy.errors import DtypeError
from pytorch_legacy.files.form import Form
from pytorch_legacy.nn import check
from pytorch_legacy.nn.Module import Module
from pytorch_legacy.nn.utils import described


class MaskedSelect(Module):
    """Picks the elements of an array where a mask, which is an input too, is not zero::

        output       = input[0][input[1] != 0], a vector
        gradInput[0] = gradOutput at these places, 0 elsewhere
        gradInput[1] = 0

    Notes
    -----
    The mask is an array of integers or booleans of the same shape. Source: Torch7 nn.MaskedSelect.

    Examples
    --------
    >>> x, mask = np.float32([[1, 2], [3, 4]]), np.uint8([[1, 0], [0, 1]])
    >>> layer = nn.MaskedSelect()
    >>> layer.forward([x, mask])
    array([1., 4.], dtype=float32)
    >>> layer.backward([x, mask], np.float32([5, 6]))[0]
    array([[5., 0.],
           [0., 6.]], dtype=float32)
    """

    _file = Form(
        scratch={
            "_maskIndices": lambda module: np.empty(0, np.int64),
            "_maskIndexBuffer": lambda module: np.empty(0, np.int64),
            "_maskIndexBufferCPU": lambda module: np.empty(0, module._dtype),
            "_gradBuffer": None,
            "_gradMask": lambda module: np.empty(0, np.uint8),
        },
    )

    def __init__(self) -> None:
        super().__init__()
        self.gradInput = []

    def updateOutput(self, input: list[Tensor]) -> Tensor:
        mask = self._mask(input)
        output = self._resize("output", (int(np.count_nonzero(mask)),))
        output[...] = input[0][mask]
        return output

    def updateGradInput(self, input: list[Tensor], gradOutput: Tensor) -> list[Tensor]:
        mask = self._mask(input)
        check.shape(self, "gradOutput", check.tensor(self, "gradOutput", gradOutput), (int(np.count_nonzero(mask)),))
        gradInput: list[Tensor] = self._zeros("gradInput", input[:2], mustNotOverlap=gradOutput)
        gradInput[0][mask] = gradOutput
        return gradInput

    def _mask(self, input: list[Tensor]) -> Tensor:
        array, mask = check.leading(self, "input", input, 2)
        check.tensor(self, "input[0]", array)
        if not is_tensor(mask) or mask.dtype.kind not in "biu":
            raise DtypeError(f"{self._typename}: input[1]: expected a mask of integers or booleans, got {described(mask)}")
        return check.shape(self, "input[1]", mask, array.shape) != 0
