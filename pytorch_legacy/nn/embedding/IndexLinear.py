"""An affine map of sparse vectors, with sparse gradients."""

from math import sqrt
from typing import Any, Self

import numpy as np

from pytorch_legacy import random
from pytorch_legacy.arrays import Tensor, is_tensor, to_device
from pytorch_legacy.backend import compute
from pytorch_legacy.errors import DtypeError, FieldError, ShapeError, UnsupportedError
from pytorch_legacy.files.counting import Lua
from pytorch_legacy.files.form import Form
from pytorch_legacy.nn import check
from pytorch_legacy.nn.Native import Native
from pytorch_legacy.nn.utils import clear, described
from pytorch_legacy.objects import ArrayField


class IndexLinear(Native):
    """Applies an affine map to vectors that come as keys and values; the gradient of the weight has rows of its keys only.

    .. math:: y_o = b_o + \\sum_i v_i W_{key_i + keysOffset, o}

    With `normalize`, v is ``value / m + shift``, where m is the largest magnitude of a value that training ever saw with
    the key, and shift is learned; a larger value in evaluation counts as m or -m. Otherwise v is the value.

    Parameters
    ----------
    inputSize, outputSize : int
        Number of elements of a vector before and after.
    doGradInput : bool
        Whether to compute the gradient of the input, which is dense.
    keysOffset : int
        Number that is added to keys to make them rows of the weight; 0 by default.
    weight, bias : array, optional
        Parameters to use, as they are; else they start as 0.
    normalize : bool
        Whether to normalize values.

    Attributes
    ----------
    weight : array of inputSize x outputSize
        With `normalize` inputSize x (4 + outputSize): m, 1/m, the rate of updates (1 after a training pass) and shift
        stand in front of each row.
    bias, gradBias : array of outputSize
    running : dict
        The gradient of the weight: in ``"keys"`` the keys of each backward pass since ``zeroGradParameters``, in
        ``"gradWeight"`` a row for each of them. It stands in for gradWeight in what ``parameters`` returns.
    weightDecay : float
        ``updateParameters`` also takes this part away from the rows of the keys it updates, whatever the learning rate.

    Raises
    ------
    IndexRangeError
        If a key is out of range.
    ShapeError, ValueRangeError
        If keys, values and sizes do not fit together.

    Notes
    -----
    Input: ``[keys, values]``, vectors, for one sample; ``[list of keys, list of values]`` for a batch; or ``[keys, values,
    sizes]``, the same as vectors one after the other, and the length of each. Output: ``outputSize``, or
    ``N x outputSize``, whose gradient may be a vector where sizes tell of one sample. ``gradInput`` has the form of the input,
    with all keys; it is empty without `doGradInput`.

    Keys count from 0 where those of Torch7 count from 1. Torch7 raised an error in the backward pass of one sample without
    `doGradInput`, and could not update normalized layers after several backward passes.
    Source: Torch7 ``nn.IndexLinear``; C: ``THNN/embedding/IndexLinear.c``.

    Examples
    --------
    >>> layer = nn.IndexLinear(1000, 2)
    >>> layer.weight[...], layer.bias[...] = 1, 0
    >>> keys, values = np.array([3, 999]), np.float32([0.5, 2])
    >>> layer.forward([keys, values])  # keys count from 0; from 1 in Lua
    array([2.5, 2.5], dtype=float32)
    """

    _layer = "IndexLinear"
    _names = {"keysOffset": "offset"}
    _file = Form(
        dropped=(
            "cumSumSizes",
            "keys",
            "values",
            "sizes",
            "updateKeys",
            "updateKeysBuffer",
            "zerokeys",
            "isFlat",
            "noBatch",
        ),
        scratch={
            **dict.fromkeys(("gradWeight", "gradWeightBuffer", "valuesBuffer", "normalizedValues")),
            **dict.fromkeys(("sizesCache", "cumSumSizesCache", "lkeys", "lvalues"), lambda module: {}),
        },
        defaults={"doGradInput": False, "weight": None, "bias": None, "normalize": 0},
        kinds={"running": "a table"} | dict.fromkeys(("offset", "normalize"), "a whole number"),
    )
    _lua = Lua(inputs=("indices",), gradInputs=("indices",), fields={"offset": "stored", "running": "stored"})
    weight: Tensor
    bias: Tensor
    gradBias: Tensor
    _arrayFields = (ArrayField("weight", 2, ("gradWeight",)),)
    weightDecay: Any = 0.0
    doGradInput = False
    normalize = 0
    offset = 0

    def __init__(
        self,
        inputSize: int,
        outputSize: int,
        doGradInput: bool = False,
        keysOffset: int = 0,
        weight: Tensor | None = None,
        bias: Tensor | None = None,
        normalize: bool = False,
    ) -> None:
        super().__init__()
        self.normalize = 4 if normalize else 0
        shape = check.count(self, "inputSize", inputSize), check.count(self, "outputSize", outputSize) + self.normalize
        if weight is None:
            weight = self._made("weight", shape, np.zeros, shape, self._dtype)
        self.weight = check.tensor(self, "weight", weight, 2)
        self.inputSize, self.outputSize = len(self.weight), self.weight.shape[1] - self.normalize
        self.bias = np.zeros(self.outputSize, self._dtype) if bias is None else check.tensor(self, "bias", bias, 1)
        self.gradBias = np.zeros(self.outputSize, self._dtype)
        self.weightDecay = 0.0
        self.doGradInput = doGradInput
        self.offset = keysOffset
        self.gradInput = []
        self.running: dict[str, list[Tensor]] = {"keys": [], "gradWeight": []}

    def reset(self, stdv: float | None = None) -> Self:
        """Draws new parameters, the weight uniform with standard deviation `stdv` if it is given."""
        limit = 1 / sqrt(self.weight.shape[1]) if stdv is None else stdv * sqrt(3)
        self.weight[...] = random.uniform(-limit, limit, self.weight.shape, self._dtype, self._onDevice)
        self.bias[...] = random.uniform(-limit, limit, self.bias.shape, self._dtype, self._onDevice) * self._dtype.type(1e-6)
        self.weight[:, : self.normalize] = 0
        return self

    def updateOutput(self, input: list[Any]) -> Tensor:
        keys, values, sizes = self._flat(input)
        shape = len(sizes), self.outputSize
        output = self._resize("output", shape[1:] if self._isSample(input) else shape)
        normalized = self._resize("normalizedValues", values.shape) if self.normalize else None
        self._call(
            "updateOutput", keys, values=values, sizes=sizes, output=output.reshape(shape), normalizedValues=normalized,
            train=bool(self.train and self.normalize),
        )  # fmt: skip
        return output

    def updateGradInput(self, input: list[Any], gradOutput: Tensor) -> list[Any]:
        _, _, sizes = self._flat(input)
        gradient = self._gradient(input, gradOutput, len(sizes))
        self.gradInput = []
        if self.doGradInput:
            if self.normalize:
                raise UnsupportedError(f"{self._typename}: updateGradInput: there is none for normalized values")
            dense = compute.matmul(gradient, self.weight.T)
            keys = np.broadcast_to(np.arange(len(self.weight), like=gradient) - self.offset, dense.shape).copy()
            if self._isSample(input):
                self.gradInput = [keys[0], dense[0]]
            else:
                self.gradInput = [keys, dense] if len(input) == 3 else [list(keys), list(dense)]
        return self.gradInput

    def accGradParameters(self, input: list[Any], gradOutput: Tensor, scale: float = 1.0) -> None:
        keys, values, sizes = self._flat(input)
        gradient = self._gradient(input, gradOutput, len(sizes))
        rows = np.empty((len(keys), self.outputSize * (2 if self.normalize else 1)), self._dtype, like=gradient)
        self._call("accGradParameters", self._values(values), sizes, gradient, rows, scale=scale)
        self.running["keys"].append(keys.copy())
        self.running["gradWeight"].append(rows)

    def accUpdateGradParameters(self, input: list[Any], gradOutput: Tensor, lr: float) -> None:
        keys, values, sizes = self._flat(input)
        gradient, values = self._gradient(input, gradOutput, len(sizes)), self._values(values)
        self._call("accUpdateGradParameters", keys, values=values, sizes=sizes, gradOutput=gradient, scale=lr)

    def updateParameters(self, learningRate: float) -> Self:
        if self.running["keys"]:
            keys, rows = np.concatenate(self.running["keys"]), np.concatenate(self.running["gradWeight"])
            self._call("updateParameters", gradWeight=rows, runningKeys=keys, learningRate=learningRate)
        return self

    def zeroGradParameters(self) -> Self:
        self.gradBias.fill(0)
        self.running = {"keys": [], "gradWeight": []}
        return self

    def parameters(self) -> tuple[list[Tensor], list[Any]]:
        """Weight and bias; the table ``running`` and gradBias."""
        return [self.weight, self.bias], [self.running, self.gradBias]

    def _keptGradients(self) -> Any:
        return self.running, self.gradBias.copy()

    def _restoreGradients(self, kept: Any) -> None:
        self.running, self.gradBias[...] = kept

    def clearState(self) -> Self:
        self.running = {"keys": [], "gradWeight": []}
        clear(self, "normalizedValues", "_gradOutput")
        super().clearState()
        return self

    def _isSample(self, input: list[Any]) -> bool:
        return len(input) == 2 and not isinstance(input[0], list)

    def _flat(self, input: Any) -> tuple[Tensor, Tensor, Tensor]:
        """Keys and values of all samples one after the other, and how many each sample has."""
        if not isinstance(input, list) or len(input) not in (2, 3):
            raise DtypeError(f"{self._typename}: input: expected a table of 2 or 3, got {described(input)}")
        keys, values = (each.reshape(1) if is_tensor(each) and not each.ndim else each for each in input[:2])
        if len(input) == 3:
            sizes = check.labels(self, "input[2]", input[2])
        elif isinstance(keys, list):
            check.table(self, "input[0]", keys, len(keys))
            check.table(self, "input[1]", values, len(keys))
            for i in range(len(keys)):
                self._vectors(keys[i], values[i], f"[{i}]")
            sizes = to_device(np.array([len(vector) for vector in keys], np.int64), self._onDevice)
            keys = np.concatenate([np.empty(0, np.int64, like=self.weight), *keys])
            values = np.concatenate([np.empty(0, self._dtype, like=self.weight), *values])
        else:
            sizes = to_device(np.array([np.size(keys)], np.int64), self._onDevice)
        self._vectors(keys, values)
        return keys.astype(np.int64, copy=False), values, sizes

    def _vectors(self, keys: Any, values: Any, place: str = "") -> None:
        """Checks that these are vectors of keys and of values, of one length."""
        if not is_tensor(keys) or keys.dtype.kind not in "iu" or keys.ndim != 1:
            raise DtypeError(f"{self._typename}: input[0]{place}: expected a vector of integers, got {described(keys)}")
        if check.tensor(self, f"input[1]{place}", values, 1).shape != keys.shape:
            raise ShapeError(f"{self._typename}: input[1]{place}: expected {len(keys)} values, got {len(values)}")

    def _values(self, values: Tensor) -> Tensor:
        return self._resize("normalizedValues", values.shape) if self.normalize else values

    def _gradient(self, input: list[Any], gradOutput: Tensor, samples: int) -> Tensor:
        shape = samples, self.outputSize
        check.tensor(self, "gradOutput", gradOutput)
        isVector = self._isSample(input) or (len(input) == 3 and samples == 1 and gradOutput.ndim == 1)
        check.shape(self, "gradOutput", gradOutput, shape[1:] if isVector else shape)
        return self._dense("_gradOutput", gradOutput).reshape(shape)

    def _fromTorch7(self, fields: dict[str, Any], version: int) -> None:
        """In files `running` has keys that count from 1, and the number of the next pass, whether arrays are there or not."""
        super()._fromTorch7(fields, version)
        self.offset += 1
        try:
            running = {"keys": [], "gradWeight": [], "counter": 1} | (fields.get("running") or {})
            passes = list(zip(running["keys"], running["gradWeight"], strict=False))[: int(running["counter"]) - 1]
            for keys, rows in passes:
                check.shape(self, "running", rows, (*keys.shape, rows.shape[-1]))
        except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError):
            raise FieldError("running: expected the keys and gradients of passes") from None
        self.running = {"keys": [keys - 1 for keys, _ in passes], "gradWeight": [rows for _, rows in passes]}

    def _toTorch7(self) -> dict[str, Any]:
        keys, rows = self.running["keys"], self.running["gradWeight"]
        running = {
            "keys": [each + 1 for each in keys],
            "gradWeight": rows,
            "cumSumSizes": [np.array([len(each)], np.int64) for each in keys],  # Torch7 only passes this field on
            "counter": len(keys) + 1,
        }
        return super()._toTorch7() | {"offset": self.offset - 1, "running": running}
