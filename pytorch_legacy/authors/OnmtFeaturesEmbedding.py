"""OpenNMT's vectors of the features of words."""

from collections.abc import Sequence
from typing import Any

from pytorch_legacy import nn
from pytorch_legacy.authors.OnmtNetwork import OnmtNetwork
from pytorch_legacy.authors.OnmtWordEmbedding import OnmtWordEmbedding
from pytorch_legacy.errors import ValueRangeError
from pytorch_legacy.files.form import Form
from pytorch_legacy.nn import check
from pytorch_legacy.nngraph import gModule


class OnmtFeaturesEmbedding(OnmtNetwork):
    """Replaces each feature of a word by a vector, and concatenates or adds the vectors.

    Parameters
    ----------
    vocabSizes : sequence of int
        For each feature, its number of values. OpenNMT takes dictionaries of these sizes.
    dimExponent : float
        A concatenated vector has ``floor(vocabSize ** dimExponent)`` elements.
    dim : int
        Number of elements of an added vector.
    merge : {"concat", "sum"}
        How vectors are put together.

    Attributes
    ----------
    outputSize : int
        Number of elements of the output.

    Raises
    ------
    ValueRangeError
        If merge is another word.
    IndexRangeError
        If a feature is not in its range.

    Notes
    -----
    Shapes: a list of arrays of N features, or one array if there is one feature, to ``N x outputSize``.
    Source: OpenNMT ``onmt.FeaturesEmbedding``.

    Examples
    --------
    >>> layer = authors.OnmtFeaturesEmbedding([4, 9], 0.5, 20, "concat")
    >>> layer.forward([np.array([3, 1]), np.array([8, 0])]).shape  # 2 + 3 elements
    (2, 5)
    """

    _typename = "onmt.FeaturesEmbedding"
    _file = Form(dropped=("embs",), kinds={"outputSize": "a whole number"})

    def __init__(self, vocabSizes: Sequence[int], dimExponent: float, dim: int, merge: str = "concat") -> None:
        if merge not in ("concat", "sum"):
            raise ValueRangeError(f'{self._typename}: merge: expected "concat" or "sum", got {merge!r}')
        counts = [check.count(self, f"vocabSizes[{i}]", size) for i, size in enumerate(vocabSizes)]
        check.count(self, "the number of vocabSizes", len(counts))
        lengths = [dim if merge == "sum" else int(count**dimExponent) for count in counts]
        features = [nn.Identity()() for _ in counts]
        layers: list[Any] = [OnmtWordEmbedding(count, length) for count, length in zip(counts, lengths, strict=True)]
        output, *others = (layer(feature) for layer, feature in zip(layers, features, strict=True))
        for other in others:
            output = (nn.CAddTable() if merge == "sum" else nn.JoinTable(1))([output, other])
        super().__init__(gModule(features, [output]))
        self.outputSize = dim if merge == "sum" else sum(lengths)
