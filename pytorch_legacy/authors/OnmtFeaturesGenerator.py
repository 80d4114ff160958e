"""OpenNMT's output layer for words with features."""

from pytorch_legacy.authors.OnmtGenerator import OnmtGenerator


class OnmtFeaturesGenerator(OnmtGenerator):
    """An OnmtGenerator under the name that earlier files use for words with features.

    Parameters, errors and shapes are those of OnmtGenerator.

    Notes
    -----
    The network of earlier files has an onmt.Generator in it for the words. Source: OpenNMT ``onmt.FeaturesGenerator``.

    Examples
    --------
    >>> [array.shape for array in authors.OnmtFeaturesGenerator(3, [5, 2]).forward(np.ones((4, 3), np.float32))]
    [(4, 5), (4, 2)]
    """

    _typename = "onmt.FeaturesGenerator"
