"""From one order of dimensions to another."""

from typing import Any

import numpy as np

from pytorch_legacy.arrays import Tensor, is_tensor, to_device
from pytorch_legacy.errors import ShapeError, ValueRangeError
from pytorch_legacy.files.form import Form
from pytorch_legacy.nn import check
from pytorch_legacy.nn.Container import Container
from pytorch_legacy.nn.utils import sizes


class Convert(Container):
    """Brings the dimensions of the input, each named by a letter, into another order or number, in the module's dtype.

    ====================================  ==================================================
    ``Convert()``                         only the dtype
    ``Convert("bchw", "bhwc")``           the same letters: a transposition
    ``Convert("bchw", "bf")``             b to the front, all others made one
    ``Convert("bt", "b")``                the first of each row; also from "tb", "bf", "fb"
    ``Convert("b", "bt")``                a column
    ====================================  ==================================================

    Parameters
    ----------
    inputShape, outputShape : str
        A letter for each dimension: b is the batch (in front if it is not named), then t, f, c, h, w, d. "b*" is any
        shape; the output has it if the input has.

    Raises
    ------
    ValueRangeError
        If there is no such conversion.
    ShapeError
        If the input has other dimensions.

    Notes
    -----
    An input with one dimension less is a single sample, and the output is one too. ``gradInput`` has the module's dtype.
    Torch7 made other modules to do the work; here there are none. Source: Torch7 nn.Convert.

    Examples
    --------
    >>> x = np.arange(6).reshape(1, 2, 3)  # integers, as of an image file
    >>> nn.Convert("bhw", "bwh").forward(x)
    array([[[0., 3.],
            [1., 4.],
            [2., 5.]]], dtype=float32)
    >>> nn.Convert("bhw", "bf").forward(x)
    array([[0., 1., 2., 3., 4., 5.]], dtype=float32)
    """

    _file = Form(
        scratch={
            "inputBatchDim": lambda module: module.inputShape.index("b") + 1,
            "outputBatchDim": lambda module: module.outputShape.index("b") + 1,
            "nInputDim": lambda module: -1 if module.inputShape == "b*" else len(module.inputShape),
            "nOutputDim": lambda module: -1 if module.outputShape == "b*" else len(module.outputShape),
            "transposition": lambda module: True if set(module.inputShape) == set(module.outputShape) else None,
        },
    )

    _keepsType = True

    def __init__(self, inputShape: str | None = None, outputShape: str | None = None) -> None:
        super().__init__()
        if inputShape is None and outputShape is not None:
            raise ValueRangeError(f"{self._typename}: inputShape: expected one, since there is an outputShape")
        self._setShapes(inputShape or "b*", outputShape or inputShape or "b*")

    def updateOutput(self, input: Tensor) -> Tensor:
        arranged = self._arranged(self._cast(input))
        output = self._resize("output", arranged.shape)
        output[...] = arranged
        return output

    def updateGradInput(self, input: Tensor, gradOutput: Tensor) -> Tensor:
        check.shape(self, "gradOutput", check.tensor(self, "gradOutput", gradOutput), self._shape(input))
        gradInput = self._resize("gradInput", input.shape, mustNotOverlap=gradOutput)
        gradInput.fill(0)
        place = self._arranged(gradInput, view=True)  # the memory that the output was read from
        place[...] = gradOutput.reshape(place.shape)
        return gradInput

    def _setShapes(self, inputShape: str, outputShape: str) -> None:
        self.inputShape = inputShape if "b" in inputShape else f"b{inputShape}"
        self.outputShape = outputShape if "b" in outputShape else f"b{outputShape}"
        source, target = self.inputShape, self.outputShape
        known = (
            (source == "b*") == (target == "b*")
            and (set(source) == set(target) or target in ("bf", "b", "bt"))
            and (target != "bf" or source != "bt")
            and (target != "b" or set(source) in ({"b"}, {"b", "t"}, {"b", "f"}))
            and (target != "bt" or set(source) in ({"b"}, {"b", "t"}))
            and all(len(set(shape)) == len(shape) for shape in (source, target))
        )
        if not known:
            raise ValueRangeError(f"{self._typename}: cannot convert {source!r} to {target!r}")

    def _cast(self, input: Any) -> Tensor:
        return to_device(input if is_tensor(input) else check.tensor(self, "input", input), self._onDevice, self._dtype)

    def _shape(self, input: Any) -> tuple[int, ...]:
        """The output's sizes for an input."""
        shape = input.shape if is_tensor(input) else check.tensor(self, "input", input).shape
        return self._arranged(np.broadcast_to(self._dtype.type(0), shape)).shape

    def _arranged(self, input: Tensor, view: bool = False) -> Tensor:
        """The input in the other order. With `view`, what is made one dimension stays several, so that no copy is."""
        source, target = self.inputShape, self.outputShape
        if source == "b*":
            return input
        if input.ndim not in (len(source), len(source) - 1):
            raise ShapeError(f"{self._typename}: input: expected {source!r}, got {sizes(input.shape)}")
        batched = input if input.ndim == len(source) else np.expand_dims(input, source.index("b"))
        output, axis = self._converted(batched, view), target.index("b")
        return output if input.ndim == len(source) else output.squeeze(axis)

    def _converted(self, input: Tensor, view: bool) -> Tensor:
        source, target = self.inputShape, self.outputShape
        if set(source) == set(target):
            return input.transpose([source.index(letter) for letter in target])
        if target == "bf" and len(source) > 1:
            front = input.swapaxes(0, source.index("b"))
            return front if view else front.reshape(len(front), int(np.prod(front.shape[1:])))
        if target == "b":
            axis = 1 - source.index("b")
            count = input.shape[axis]
            if not count or ("f" in source and count != 1):
                wanted = "one feature" if "f" in source else "at least one step"
                raise ShapeError(f"{self._typename}: input: expected {wanted}, got {count}")
            return input[(slice(None),) * axis + (0,)]
        return input[:, None]

    def _fromTorch7(self, fields: dict[str, Any], version: int) -> None:
        """The modules that did the work stay behind."""
        keep = ("output", "gradInput", "_type", "train")
        super()._fromTorch7({name: fields[name] for name in keep if name in fields}, version)
        self._setShapes(fields["inputShape"], fields["outputShape"])
