"""Some outputs of an affine map."""

from typing import Any, Self

import numpy as np

from pytorch_legacy import random
from pytorch_legacy.arrays import Tensor, is_tensor
from pytorch_legacy.backend import compute
from pytorch_legacy.errors import DtypeError, FieldError, THNNError
from pytorch_legacy.files import t7
from pytorch_legacy.files.counting import Lua
from pytorch_legacy.files.fields import Fields
from pytorch_legacy.files.form import Form
from pytorch_legacy.nn import check
from pytorch_legacy.nn.linear.batch import summed
from pytorch_legacy.nn.Module import Module
from pytorch_legacy.nn.utils import clear, described
from pytorch_legacy.objects import ArrayField


class PartialLinear(Module):
    """Applies an affine map to each row of a batch, and computes only those outputs that are asked for.

    .. math:: y = x W_P^T + b_P

    P is the partition: the rows of the weight that count, all of them at first.

    Parameters
    ----------
    inputSize, outputSize : int
        Number of elements of a vector before and after, if all outputs are computed.
    bias : bool
        Whether there is a b.

    Attributes
    ----------
    weight, gradWeight : array of outputSize x inputSize
    bias, gradBias : array of 1 x outputSize, or None
    partition : array of integers, or None for all outputs

    Raises
    ------
    ShapeError
        If the input is not ``N x inputSize``.

    Notes
    -----
    Shapes: ``N x inputSize`` to ``N x len(partition)``. The weight starts normal with standard deviation 1, for it is that
    of a LookupTable, the bias with zeros; as in Torch7, ``reset`` draws nothing anew. Unlike Torch7, a layer without bias
    can be trained too. Torch7 puts the layer together from others, in field ``network``; here it is one. Source: Torch7
    nn.PartialLinear.

    Examples
    --------
    >>> layer = nn.PartialLinear(2, 3)
    >>> layer.weight[...] = [[1, 0], [0, 1], [1, 1]]
    >>> layer.setPartition([2, 0]).forward(np.float32([[10, 20]]))  # rows {3, 1} in Lua
    array([[30., 10.]], dtype=float32)
    """

    _file = Form(
        dropped=("network", "addBuffer", "partition"),
        scratch={
            "inputsize": lambda module: module.weight.shape[1],
            "outputsize": lambda module: module.weight.shape[0],
            "allcolumns": None,
        },
        defaults={"bias": True},
        kinds={"network": "a module", "partition": "a tensor of whole numbers", "allcolumns": "a tensor"},
    )
    _lua = Lua(methods={"setPartition": {"indices": "indices"}}, fields={"partition": "indices"})
    _updatesDirectly = True
    weight: Tensor
    gradWeight: Tensor
    _arrayFields = (ArrayField("weight", 2), ArrayField("bias", lambda layer: (1, len(layer.weight)), ("bias", "gradBias")))
    partition: Tensor | None = None

    def __init__(self, inputSize: int, outputSize: int, bias: bool = True) -> None:
        super().__init__()
        shape = check.count(self, "outputSize", outputSize), check.count(self, "inputSize", inputSize)
        self._newParameters(weight=shape)
        if bias:
            self.bias, self.gradBias = (np.zeros((1, shape[0]), self._dtype) for _ in range(2))
        self.weight[...] = random.normal(0, 1, shape, self._dtype)

    def setPartition(self, indices: Any) -> Self:
        """Says which outputs to compute, and in which order: a vector of their indices, whole numbers of any type."""
        partition = np.asarray(indices)
        if partition.ndim != 1 or not check.areWhole(partition):
            raise DtypeError(f"{self._typename}: indices: expected a vector of integers, got {described(indices)}")
        self.partition = check.below(self, "indices", partition, len(self.weight)).astype(np.int64)
        return self

    def resetPartition(self) -> Self:
        """Computes all outputs again."""
        self.partition = None
        return self

    def updateOutput(self, input: Tensor) -> Tensor:
        x, weight = self._rows(input), self._part(self.weight)
        output = compute.matmul(x, weight.T, out=self._resize("output", (len(x), len(weight))))
        if self.bias is not None:
            np.add(output, self._part(self.bias[0]), out=output)
        return output

    def updateGradInput(self, input: Tensor, gradOutput: Tensor) -> Tensor | None:
        x, weight = self._rows(input), self._part(self.weight)
        g = self._gradient(gradOutput, x)
        return None if self.gradInput is None else compute.matmul(g, weight, out=self._resize("gradInput", x.shape))

    def accGradParameters(self, input: Tensor, gradOutput: Tensor, scale: float = 1.0) -> None:
        x = self._rows(input)
        g = self._gradient(gradOutput, x)
        rows = np.arange(len(self.weight)) if self.partition is None else self.partition
        np.add.at(self.gradWeight, rows, (scale * summed(g, x)).astype(self._dtype))
        if self.gradBias is not None:
            np.add.at(self.gradBias[0], rows, (scale * compute.sum(g, 0, dtype=np.float64)).astype(self._dtype))

    def clearState(self) -> Self:
        clear(self, "_input", "_gradOutput")
        super().clearState()
        return self

    def _part(self, parameter: Tensor) -> Tensor:
        return parameter if self.partition is None else parameter[self.partition]

    def _rows(self, input: Tensor) -> Tensor:
        shape = check.tensor(self, "input", input, 2).shape
        check.shape(self, "input", input, (shape[0], self.weight.shape[1]))
        return self._dense("_input", input)

    def _gradient(self, gradOutput: Tensor, x: Tensor) -> Tensor:
        outputs = len(self.weight) if self.partition is None else len(self.partition)
        check.shape(self, "gradOutput", check.tensor(self, "gradOutput", gradOutput), (len(x), outputs))
        return self._dense("_gradOutput", gradOutput)

    def __repr__(self) -> str:
        outputs, inputs = self.weight.shape
        return f"{self._typename}({inputs} -> {outputs})" + (" without bias" if self.bias is None else "")

    # Torch7's network is Sequential(ParallelTable(Identity, LookupTable), MM): the LookupTable has the weight.

    def _fromTorch7(self, fields: dict[str, Any], version: int) -> None:
        file = Fields(self, fields)
        try:
            table = file["network"].modules[0].modules[1]
        except (AttributeError, LookupError):
            raise FieldError(f"network: expected one with a LookupTable, got {described(fields.get('network'))}") from None
        weights = {name: value for name in ("weight", "gradWeight") if (value := getattr(table, name, None)) is not None}
        if "weight" not in weights:
            raise FieldError("network: expected a network whose LookupTable has a weight, got one without")
        super()._fromTorch7(fields | weights, version)
        partition = file.get("partition")
        if partition is not None and partition is not file.get("allcolumns"):
            try:
                self.setPartition(partition.astype(np.int64) - 1)
            except THNNError as error:
                raise FieldError(f"partition: {error}") from None

    def _toTorch7(self) -> dict[str, Any]:
        fields = super()._toTorch7()
        weights = {name: getattr(self, name) for name in ("weight", "gradWeight")}
        network = self._fileRest.get("network") or self._network()
        inside = network.fields if isinstance(network, t7.TorchObject) else vars(network)
        parts = inside["modules"][0]
        table = (parts.fields if isinstance(parts, t7.TorchObject) else vars(parts))["modules"][1]
        (table.fields if isinstance(table, t7.TorchObject) else vars(table)).update(weights)
        columns = self._fileRest.get("allcolumns")
        if not is_tensor(columns) or columns.shape != (len(self.weight),):
            columns = np.arange(1, len(self.weight) + 1, dtype=self._dtype)
        partition = columns if self.partition is None else columns[self.partition]
        fields = {key: value for key, value in fields.items() if key not in weights}
        return fields | {"network": network, "allcolumns": columns, "partition": partition}

    def _network(self) -> t7.TorchObject:
        output, empty, gradInput = (np.empty(0, self._dtype) for _ in range(3))
        table = self._fileLayer("nn.LookupTable", 4, paddingValue=0)
        both = self._fileLayer("nn.ParallelTable", modules=[self._fileLayer("nn.Identity"), table], output=[], gradInput=[])
        product = self._fileLayer("nn.MM", transA=False, transB=True, output=output, gradInput=[empty, gradInput])
        gradients = both.fields["gradInput"]
        return self._fileLayer("nn.Sequential", modules=[both, product], output=output, gradInput=gradients)
