"""Products of matrices."""

from pytorch_legacy.arrays import Tensor
from pytorch_legacy.backend import compute
from pytorch_legacy.errors import ShapeError
from pytorch_legacy.files.form import Form
from pytorch_legacy.nn import check
from pytorch_legacy.nn.Module import Module
from pytorch_legacy.nn.utils import clear, sizes


class MM(Module):
    """Multiplies two matrices, or the matrices of two batches one by one.

    .. math:: Y = A B, \\quad dA = dY B^T, \\quad dB = A^T dY

    Parameters
    ----------
    transA, transB : bool
        Whether an input is the transpose of the matrix meant.

    Raises
    ------
    ShapeError
        If the inputs are not both 2-D or both 3-D, or their sizes do not fit together.

    Notes
    -----
    Shapes: [``(N x) n x k``, ``(N x) k x m``] to ``(N x) n x m``; an input to be transposed has its last two dimensions
    the other way round. Source: Torch7 nn.MM.

    Examples
    --------
    >>> a, b = np.float32([[1, 2], [3, 4]]), np.float32([[0, 1], [1, 0]])
    >>> nn.MM().forward([a, b])
    array([[2., 1.],
           [4., 3.]], dtype=float32)
    >>> nn.MM(transA=True).forward([a, b])
    array([[3., 1.],
           [4., 2.]], dtype=float32)
    """

    _file = Form(defaults={"transA": False, "transB": False})

    def __init__(self, transA: bool = False, transB: bool = False) -> None:
        super().__init__()
        self.transA = transA
        self.transB = transB
        self.gradInput = []

    def updateOutput(self, input: list[Tensor]) -> Tensor:
        a, b = self._factors(input)
        return compute.matmul(a, b, out=self._resize("output", (*a.shape[:-1], b.shape[-1])))

    def updateGradInput(self, input: list[Tensor], gradOutput: Tensor) -> list[Tensor]:
        a, b = self._factors(input)
        expected = (*a.shape[:-1], b.shape[-1])
        check.shape(self, "gradOutput", check.tensor(self, "gradOutput", gradOutput), expected)
        g = self._dense("_gradOutput", gradOutput)
        da, db = self._resizeTable("gradInput", [array.shape for array in input], mustNotOverlap=[input, gradOutput])
        turned = [array.swapaxes(-1, -2) for array in (a, b, g)]
        compute.matmul(*((b, turned[2]) if self.transA else (g, turned[1])), out=da)
        compute.matmul(*((turned[2], a) if self.transB else (turned[0], g)), out=db)
        return self.gradInput

    def clearState(self) -> "MM":
        clear(self, "_a", "_b", "_gradOutput")
        super().clearState()
        return self

    def _factors(self, input: list[Tensor]) -> tuple[Tensor, Tensor]:
        """A and B as they are multiplied. Their memory is always laid out alike, so that rounding is too."""
        check.tensors(self, "input", input, 2)
        a = check.tensor(self, "input[0]", input[0], 2, 3)
        b = check.tensor(self, "input[1]", input[1], a.ndim)
        a, b = self._dense("_a", a), self._dense("_b", b)
        a = a.swapaxes(-1, -2) if self.transA else a
        b = b.swapaxes(-1, -2) if self.transB else b
        if a.shape[-1] != b.shape[-2] or a.shape[:-2] != b.shape[:-2]:
            fitting = (*a.shape[:-2], *([b.shape[-1], a.shape[-1]] if self.transB else [a.shape[-1], b.shape[-1]]))
            raise ShapeError(f"{self._typename}: input[1]: expected {sizes(fitting)}, got {sizes(input[1].shape)}")
        return a, b
