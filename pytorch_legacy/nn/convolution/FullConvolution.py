"""The base class of transposed convolutions."""

from typing import Any

from pytorch_legacy.arrays import Tensor
from pytorch_legacy.errors import ShapeError
from pytorch_legacy.nn import check
from pytorch_legacy.nn.convolution.Convolution import Convolution


class FullConvolution(Convolution):
    """Base of transposed convolutions: a convolution's gradient of the input is their output, and the other way round.

    A subclass has a field adj for each of its axes, the cells that the output has more at the far end.
    """

    def updateOutput(self, input: Tensor | list[Tensor]) -> Any:
        if not isinstance(input, list):
            return super().updateOutput(input)
        x, adj = self._pair(input)
        self._resize("output", self._size("outputSize", x, **adj), mustNotOverlap=input)
        self._call("updateOutput", x, **adj)
        return self.output

    def updateGradInput(self, input: Tensor | list[Tensor], gradOutput: Tensor) -> Any:
        if not isinstance(input, list) or self.gradInput is None:
            return super().updateGradInput(input, gradOutput)
        x, adj = self._pair(input)
        gradInput, gradSize = self._resizeTable("gradInput", [x.shape, input[1].shape], mustNotOverlap=[input, gradOutput])
        gradSize.fill(0)
        self._call("updateGradInput", x, gradOutput, gradInput, **adj)
        return self.gradInput

    def accGradParameters(self, input: Tensor | list[Tensor], gradOutput: Tensor, scale: float = 1.0) -> None:
        if not isinstance(input, list):
            return super().accGradParameters(check.tensor(self, "input", input), gradOutput, scale)
        x, adj = self._pair(input)
        self._call("accGradParameters", x, gradOutput, scale=scale, **adj)
        return None

    def _pair(self, input: list[Tensor]) -> tuple[Tensor, dict[str, int]]:
        """The array of an input [x, y], and the adj that make an output as large as y."""
        x, like = check.table(self, "input", input, 2)
        dims = len(self._axes)
        check.array(self, "input[1]", like)
        if like.ndim < dims:  # only its last sizes count
            raise ShapeError(f"{self._typename}: input[1]: expected an array of {dims} or more dimensions, got {like.ndim}-D")
        if check.tensor(self, "input[0]", x).ndim not in (dims + 1, dims + 2):
            return x, {}  # C says what is wrong
        axes = [axis for axis in "THW" if axis in self._axes]
        given, wanted = (dict(zip(axes, array.shape[-dims:], strict=True)) for array in (x, like))
        sizes = zip(self._axes, self._sizes("k"), self._sizes("d"), self._sizes("pad"), strict=True)
        return x, {f"adj{axis}": self._adj(axis, given[axis], wanted[axis], k, d, pad) for axis, k, d, pad in sizes}

    def _adj(self, axis: str, given: int, wanted: int, k: int, d: int, pad: int) -> int:
        """The cells that the output must have more at the far end to be of the wanted size."""
        least = (given - 1) * d - 2 * pad + k
        if d < 1 or least <= wanted < least + d:
            return max(wanted - least, 0)
        name = {"T": "time", "H": "height", "W": "width"}[axis]
        raise ShapeError(
            f"{self._typename}: input[1]: expected a {name} of {least} to {least + d - 1}, which an input of {given} can become, "
            f"got {wanted}"
        )

    _isTransposed = True

    def _weightShape(self) -> tuple[int, ...]:
        return self.nInputPlane, self.nOutputPlane, *self._kernel()

    def _fanIn(self) -> int:
        return int(self.weight[:, 0].size)

    def _shown(self) -> list[tuple[int, ...]]:
        return super()._shown() + [self._sizes("adj")] * any(self._sizes("adj"))
