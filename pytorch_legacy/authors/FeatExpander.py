"""Each row several times."""

from pytorch_legacy.arrays import Tensor
from pytorch_legacy.backend import compute
from pytorch_legacy.files.form import Form
from pytorch_legacy.nn import check
from pytorch_legacy.nn.Module import Module


class FeatExpander(Module):
    """Repeats each sample n times, one below the other: for several sentences on one image.

    Parameters
    ----------
    n : int

    Notes
    -----
    Shapes: ``N x ...`` to ``(N n) x ...``. Source: neuraltalk2 ``FeatExpander``.

    Examples
    --------
    >>> authors.FeatExpander(2).forward(np.float32([[1, 2], [3, 4]])).tolist()  # each image for two sentences
    [[1.0, 2.0], [1.0, 2.0], [3.0, 4.0], [3.0, 4.0]]
    """

    _file = Form(kinds={"n": "a whole number"})

    def __init__(self, n: int) -> None:
        super().__init__()
        self.n = check.count(self, "n", n)

    def updateOutput(self, input: Tensor) -> Tensor:
        shape = check.tensor(self, "input", input).shape
        output = self._resize("output", (shape[0] * self.n, *shape[1:]))
        output.reshape(shape[0], self.n, *shape[1:])[...] = input[:, None]
        return output

    def updateGradInput(self, input: Tensor, gradOutput: Tensor) -> Tensor:
        shape = (input.shape[0] * self.n, *input.shape[1:])
        check.shape(self, "gradOutput", check.tensor(self, "gradOutput", gradOutput), shape)
        gradInput = self._resize("gradInput", input.shape)
        compute.sum(gradOutput.reshape(input.shape[0], self.n, *input.shape[1:]), 1, out=gradInput)
        return gradInput
