"""Products of matrices and vectors."""

import numpy as np

from pytorch_legacy.arrays import Tensor
from pytorch_legacy.backend import compute
from pytorch_legacy.files.form import Form
from pytorch_legacy.nn import check
from pytorch_legacy.nn.Module import Module
from pytorch_legacy.nn.utils import clear


class MV(Module):
    """Multiplies a matrix by a vector, or those of two batches one by one.

    .. math:: y = M v, \\quad dM = dy\\, v^T, \\quad dv = M^T dy

    Parameters
    ----------
    trans : bool
        Whether the input is the transpose of M.

    Raises
    ------
    ShapeError
        If the sizes of matrix and vector do not fit together.

    Notes
    -----
    Shapes: [``(N x) n x m``, ``(N x) m``] to ``(N x) n``; with `trans` the matrix is ``(N x) m x n``.
    Unlike Torch7's, the layer also runs backward after ``clearState``. Source: Torch7 nn.MV.

    Examples
    --------
    >>> matrix, vector = np.float32([[1, 2], [3, 4]]), np.float32([1, 10])
    >>> nn.MV().forward([matrix, vector])
    array([21., 43.], dtype=float32)
    >>> nn.MV(trans=True).forward([matrix, vector])
    array([31., 42.], dtype=float32)
    """

    _file = Form(defaults={"trans": False})

    def __init__(self, trans: bool = False) -> None:
        super().__init__()
        self.trans = trans
        self.gradInput = []

    def updateOutput(self, input: list[Tensor]) -> Tensor:
        m, v = self._factors(input)
        output = self._resize("output", m.shape[:-1])
        compute.matmul(m, v[..., None], out=output[..., None])
        return output

    def updateGradInput(self, input: list[Tensor], gradOutput: Tensor) -> list[Tensor]:
        m, v = self._factors(input)
        check.shape(self, "gradOutput", check.tensor(self, "gradOutput", gradOutput), m.shape[:-1])
        g = self._dense("_gradOutput", gradOutput)
        dm, dv = self._resizeTable("gradInput", [array.shape for array in input], mustNotOverlap=[input, gradOutput])
        left, right = (v, g) if self.trans else (g, v)
        np.multiply(left[..., :, None], right[..., None, :], out=dm)
        compute.matmul(m.swapaxes(-1, -2), g[..., None], out=dv[..., None])
        return self.gradInput

    def clearState(self) -> "MV":
        clear(self, "_matrix", "_vector", "_gradOutput")
        super().clearState()
        return self

    def _factors(self, input: list[Tensor]) -> tuple[Tensor, Tensor]:
        """M and v. Their memory is always laid out alike, so that rounding is too."""
        check.tensors(self, "input", input, 2)
        m = self._dense("_matrix", check.tensor(self, "input[0]", input[0], 2, 3))
        m = m.swapaxes(-1, -2) if self.trans else m
        v = check.shape(self, "input[1]", input[1], (*m.shape[:-2], m.shape[-1]))
        return m, self._dense("_vector", v)
