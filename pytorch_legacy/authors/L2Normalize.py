"""Rows of length 1."""

from pytorch_legacy import nn
from pytorch_legacy.files.form import Form


class L2Normalize(nn.Normalize):
    """Divides each row by its Euclidean norm: what ``nn.Normalize(2)`` was called before.

    Notes
    -----
    Shapes: ``(N x) C`` to the same. A row of zeros stays one.
    Source: Torch7 ``nn.L2Normalize`` of 2014, also in networks of several authors.

    Examples
    --------
    >>> authors.L2Normalize().forward(np.float32([[3, 4], [0, 0]])).round(3)
    array([[0.6, 0.8],
           [0. , 0. ]], dtype=float32)
    """

    p = 2.0
    eps = 1e-10

    _file = Form(private=("p", "eps"))

    def __init__(self) -> None:
        super().__init__(2)

    def __repr__(self) -> str:
        return self._typename
