"""A weighted sum of experts."""

from typing import Any

import numpy as np

from pytorch_legacy.arrays import Tensor
from pytorch_legacy.backend import compute
from pytorch_legacy.errors import ShapeError
from pytorch_legacy.files import t7
from pytorch_legacy.files.form import Form
from pytorch_legacy.messages import sizes
from pytorch_legacy.nn import check
from pytorch_legacy.nn.Module import Module
from pytorch_legacy.nn.utils import clear


class MixtureTable(Module):
    """Adds up experts weighted by gates; the dimension counts from 0: Lua's ``nn.MixtureTable(2)`` is ``(1)``::

        input  = [gater, experts]
        output = sum(gater[..., i] * experts[i])

    For the gradients, the gate of an expert gets the sum of gradOutput * expert, the expert gets gate * gradOutput.

    Parameters
    ----------
    dim : int, optional
        The dimension along which one array of experts is stacked: 1 for a batch and 0 for a single sample if it is
        not given. Negative ones count from the end. It says nothing about a list of experts.

    Raises
    ------
    ShapeError
        If there is not one gate for each expert, or the sizes of batches and experts differ.

    Notes
    -----
    Shapes: gater ``(N x) n``; experts either a list of n arrays ``(N x) ...``, or one array with n of them along `dim`.
    Unlike Torch7's, the layer does not remember the first input's kind. Source: Torch7 nn.MixtureTable.

    Examples
    --------
    >>> gates = np.float32([[0.25, 0.75]])
    >>> experts = [np.float32([[4, 8]]), np.float32([[0, 4]])]
    >>> nn.MixtureTable().forward([gates, experts])
    array([[1., 5.]], dtype=float32)
    """

    _file = Form(
        oneBased=("dim",),
        scratch={
            "size": lambda module: t7.longs([]),
            "size2": lambda module: t7.longs([]),
            "batchSize": lambda module: 0,
            "backwardSetup": lambda module: False,
        },
        defaults={"dim": None},
        kinds={"dim": "a whole number"},
    )

    dim: int | None = None

    def __init__(self, dim: int | None = None) -> None:
        super().__init__()
        self.dim = dim
        self.gradInput = []

    def updateOutput(self, input: list[Any]) -> Tensor:
        gates, experts = self._parts(input)
        output = self._resize("output", experts[0].shape, mustNotOverlap=input)
        product = self._resize("_product", experts[0].shape)
        np.multiply(gates[0], experts[0], out=output)
        for gate, expert in zip(gates[1:], experts[1:], strict=True):
            np.multiply(gate, expert, out=product)
            np.add(output, product, out=output)
        return output

    def updateGradInput(self, input: list[Any], gradOutput: Tensor) -> list[Any]:
        gates, experts = self._parts(input)
        check.like(self, "gradOutput", gradOutput, experts[0])
        gradGates, gradExperts = self._parts(self._zeros("gradInput", input[:2], mustNotOverlap=[input, gradOutput]))
        product = self._resize("_product", experts[0].shape)
        sample = tuple(range(max(input[0].ndim - 1, 0), product.ndim))
        for i, expert in enumerate(experts):
            np.multiply(gates[i], gradOutput, out=gradExperts[i])
            np.multiply(expert, gradOutput, out=product)
            gradGates[i][...] = compute.sum(product, sample, keepdims=True)
        return self.gradInput

    def clearState(self) -> "MixtureTable":
        clear(self, "_product")
        super().clearState()
        return self

    def _parts(self, input: list[Any]) -> tuple[list[Tensor], list[Tensor]]:
        """Views of the n experts, and of their gates with as many dimensions."""
        gater, experts = check.leading(self, "input", input, 2)
        gater = check.tensor(self, "input[0]", gater, 1, 2)
        batch, n = gater.ndim - 1, gater.shape[-1]
        if not isinstance(experts, list):
            rank = check.tensor(self, "input[1]", experts).ndim
            if rank <= batch:
                raise ShapeError(
                    f"{self._typename}: input[1]: expected an array of {batch + 1} dimensions or more, the experts along one of"
                    f" them, got {rank}-D ({sizes(experts.shape)})"
                )
            axis = check.axis(self, batch if self.dim is None else self.dim, rank, "dim")
            moved = np.moveaxis(experts, axis, 0)
            experts = [moved[i, ...] for i in range(len(moved))]  # an expert of one number is an array too
        check.alike(self, "input[1]", experts)
        if len(experts) != n:
            raise ShapeError(f"{self._typename}: input[1]: expected {n} experts, one for each gate, got {len(experts)}")
        if experts[0].shape[:batch] != gater.shape[:batch]:
            raise ShapeError(
                f"{self._typename}: input[1]: expected experts with a batch of {len(gater)} like the gater,"
                f" got {sizes(experts[0].shape)}"
            )
        ones = (1,) * (experts[0].ndim - batch)
        return [gater[..., i].reshape(gater.shape[:batch] + ones) for i in range(n)], experts
