"""The loss of noise contrastive estimation."""

from typing import Any

import numpy as np

from pytorch_legacy.arrays import Tensor
from pytorch_legacy.backend import compute
from pytorch_legacy.files.form import Form
from pytorch_legacy.nn import check
from pytorch_legacy.nn.Criterion import Criterion

EPSILON = 1e-7


class NCECriterion(Criterion):
    """Tells targets from noise, given how probable each is for the model and as noise.

    .. math:: loss = -\\frac{1}{N} \\sum_n \\Big( \\log \\frac{m_n}{m_n + k p_n} +
              \\sum_{j=1}^k \\log \\frac{k q_{n,j}}{s_{n,j} + k q_{n,j}} \\Big)

    or N times that without `sizeAverage`, where the model gives the target the probability m and sample j the probability s, and
    the noise gives them p and q. To each denominator 1e-7 is added.

    Attributes
    ----------
    sizeAverage : bool
        Whether to divide by N: True, until set.

    Raises
    ------
    DtypeError, ShapeError
        If the input is not a table of m (N), s (N x k), p (N) and q (N x k).

    Notes
    -----
    The input is what `NCEModule` gives; the target is not looked at. gradInput is such a table too, with zeros for p and q.
    Source: Element-Research dpnn ``NCECriterion``; Chen et al., "Recurrent neural network language model training with noise
    contrastive estimation for speech recognition" (2015).

    Examples
    --------
    >>> loss, half = dpnn.NCECriterion(), np.float32([0.5])
    >>> x = [half, half.reshape(1, 1), half, half.reshape(1, 1)]  # a target and one sample, as probable as noise
    >>> round(loss.forward(x, None), 4)  # nothing tells them apart: 2 log(2)
    1.3863
    >>> [gradient.round(4).tolist() for gradient in loss.backward(x, None)]
    [[-1.0], [[1.0]], [0.0], [[0.0]]]
    """

    _file = Form(dropped=("_Pom", "_Pomdiv", "_Pon", "_Pondiv", "_lnPom", "_lnPon"))

    def __init__(self) -> None:
        super().__init__()
        self.sizeAverage = True
        self.gradInput = [np.empty(0, self._dtype) for _ in range(4)]

    def updateOutput(self, input: list[Tensor], target: Any = None) -> float:
        target_, samples, targetNoise, sampleNoise = self._checked(input)
        k = samples.shape[1]
        fromModel = compute.log(target_ / (target_ + k * targetNoise + EPSILON))
        fromNoise = compute.log(k * sampleNoise / (samples + k * sampleNoise + EPSILON))
        total = compute.sum(fromModel, dtype=np.float64) + compute.sum(fromNoise, dtype=np.float64)
        self.output = self._mean(-compute.number(total), len(target_))
        return self.output

    def updateGradInput(self, input: list[Tensor], target: Any = None) -> list[Tensor]:
        target_, samples, targetNoise, sampleNoise = self._checked(input)
        k = samples.shape[1]
        ofTarget, ofSamples, *others = gradInput = self._resizeTable("gradInput", [part.shape for part in input])
        ofTarget[...] = -k * targetNoise / (target_ + k * targetNoise + EPSILON) / (target_ + EPSILON)
        ofSamples[...] = samples / (samples + k * sampleNoise + EPSILON) / (samples + EPSILON)
        for gradient in (ofTarget, ofSamples):
            gradient /= max(len(target_), 1) if self.sizeAverage else 1
        for gradient in others:
            gradient.fill(0)
        return gradInput

    def _checked(self, input: list[Tensor]) -> list[Tensor]:
        parts = check.tensors(self, "input", input, 4)
        for i, rank in enumerate((1, 2, 1, 2)):
            check.tensor(self, f"input[{i}]", parts[i], rank)
        check.shape(self, "input[1]", parts[1], (len(parts[0]), parts[1].shape[1]))
        for i in (2, 3):
            check.shape(self, f"input[{i}]", parts[i], parts[i - 2].shape)
        return parts
