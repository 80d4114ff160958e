"""OpenNMT's table of word vectors."""

from typing import Any, Self

import numpy as np

from pytorch_legacy import nn
from pytorch_legacy.arguments import as_doubles
from pytorch_legacy.arrays import Tensor
from pytorch_legacy.authors.OnmtNetwork import OnmtNetwork
from pytorch_legacy.errors import ShapeError
from pytorch_legacy.files.form import Form
from pytorch_legacy.files.loading import load
from pytorch_legacy.nn.utils import sizes

_PADDING_INDEX = 0  # the word that fills up sentences, 1 in Lua


class OnmtWordEmbedding(OnmtNetwork):
    """Replaces each word by its vector, which is learned or fixed. Word 0 fills up sentences: its vector is not learned.

    Parameters
    ----------
    vocabSize, vecSize : int
        Number of words, and of elements of a vector.
    preTrained : array or str, optional
        The vectors at first, ``vocabSize x vecSize``, or the path of a .t7 file that has them. Vectors with fewer elements are
        the first elements of the layer's.
    fix : bool
        Keep these vectors as they are. If they have all elements, they are no parameters then.

    Attributes
    ----------
    net : LookupTable
        The vectors. Without gradWeight they are fixed.

    Raises
    ------
    ShapeError
        If there are not vocabSize vectors of vecSize elements or less.
    IndexRangeError
        If a word is not in 0 .. vocabSize-1.
    DtypeError
        If the input holds anything but whole numbers.

    Notes
    -----
    Shapes: any shape to the same with vecSize appended.
    Source: OpenNMT ``onmt.WordEmbedding``.

    Examples
    --------
    >>> layer = authors.OnmtWordEmbedding(3, 2, preTrained=np.float32([[9, 9], [1, 2], [3, 4]]), fix=True)
    >>> layer.forward(np.array([2, 0]))
    array([[3., 4.],
           [0., 0.]], dtype=float32)
    >>> layer.parameters()
    ([], [])
    """

    _typename = "onmt.WordEmbedding"
    _file = Form(
        defaults={"preTrained": None, "fix": None, "vocabSize": None, "preTrainedVecSize": None},
        kinds={"vocabSize": "a whole number from 1 on", "preTrainedVecSize": "a whole number"},
    )
    vocabSize: int | None = None
    preTrained: Any = None
    preTrainedVecSize: int | None = None
    fix: Any = None

    def __init__(self, vocabSize: int, vecSize: int, preTrained: Any = None, fix: bool = False) -> None:
        super().__init__(nn.LookupTable(vocabSize, vecSize, _PADDING_INDEX))
        self.vocabSize = vocabSize
        self.preTrained = preTrained
        self.fix = fix
        self.postParametersInitialization()

    def postParametersInitialization(self) -> None:
        """Copies the vectors of `preTrained`, if there are any, and sets that of word 0 to zero."""
        weight, vectors = self.net.weight, self.preTrained
        if isinstance(vectors, str):
            vectors = load(vectors) if vectors else None
        if vectors is not None:
            numbers = as_doubles(self, "preTrained", vectors)
            if numbers.ndim != 2 or len(numbers) != len(weight) or numbers.shape[1] > weight.shape[1]:
                wanted = f"{len(weight)} vectors of {weight.shape[1]} elements or less"
                raise ShapeError(f"{self._typename}: preTrained: expected {wanted}, got {sizes(numbers.shape)}")
            self.preTrainedVecSize = numbers.shape[1]
            weight[:, : self.preTrainedVecSize] = np.asarray(numbers, like=weight)
        weight[_PADDING_INDEX] = 0
        self.fixEmbeddings(self.fix)

    def fixEmbeddings(self, fix: Any) -> None:
        """Keeps the vectors as they are from now on, or lets them be learned."""
        table = self.net
        if not fix:
            table.gradWeight = np.zeros_like(table.weight) if table.gradWeight is None else table.gradWeight
        elif self.preTrainedVecSize in (None, table.weight.shape[1]):
            table.accUpdateOnly()
        self.fix = fix

    def parameters(self) -> tuple[list[Tensor], list[Tensor]]:
        return ([], []) if self.net.gradWeight is None else super().parameters()

    def updateParameters(self, learningRate: float) -> Self:
        return self if self.net.gradWeight is None else super().updateParameters(learningRate)

    def accGradParameters(self, input: Any, gradOutput: Any = None, scale: float = 1.0) -> None:
        if self.net.gradWeight is not None:
            super().accGradParameters(input, gradOutput, scale)
            for fixed in self._fixed():
                self.net.gradWeight[fixed] = 0

    def accUpdateGradParameters(self, input: Any, gradOutput: Any, lr: float) -> None:
        if self.net.gradWeight is not None:
            before = self.net.weight.copy()
            super().accUpdateGradParameters(input, gradOutput, lr)
            for fixed in self._fixed():
                self.net.weight[fixed] = before[fixed]

    def _fixed(self) -> list[Any]:
        """Returns the indices of elements that are not learned."""
        elements = [(slice(None), slice(self.preTrainedVecSize))] if self.fix and self.preTrainedVecSize is not None else []
        return [_PADDING_INDEX, *elements]

    def _fromTorch7(self, fields: dict[str, Any], version: int) -> None:
        super()._fromTorch7(fields, version)
        if self.modules and "gradWeight" not in self.net._fileFields:  # it was made when the table was read
            self.net.accUpdateOnly()
