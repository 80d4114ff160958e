"""The Kullback-Leibler divergence between two normal distributions."""

from typing import Any

import numpy as np

from pytorch_legacy.arrays import Tensor, is_tensor
from pytorch_legacy.backend import compute
from pytorch_legacy.errors import DtypeError
from pytorch_legacy.nn import check
from pytorch_legacy.nn.Criterion import Criterion
from pytorch_legacy.nn.utils import described


class KLDCriterion(Criterion):
    """The Kullback-Leibler divergence of normal distributions with independent elements, as variational autoencoders use it.

    For means and logarithms of variances, given as input and target:

    .. math:: loss = \\frac{1}{2} \\sum_i (e^{s_i} + \\mu_i^2 - 1 - s_i)

    is the divergence from the standard normal distribution. For two distributions, each a list of means and logarithms of
    variances, of which the target comes first in the divergence:

    .. math:: loss = \\frac{1}{2} \\sum_i \\Big(s_i - s'_i - 1 + \\frac{e^{s'_i} + (\\mu_i - \\mu'_i)^2}{e^{s_i}}\\Big)

    with the input as mu and s, and the target as mu' and s'.

    Raises
    ------
    DtypeError, ShapeError
        If input and target are neither two arrays nor two lists of two arrays, of one shape.

    Notes
    -----
    Shapes: any. ``gradInput`` is a list of the gradients of all arrays: [mu, s], or [mu, s, mu', s'].
    Several authors have a class of this name. The first form is that of VAE-Torch, the second one that of cvae. Others take
    one list of means and logarithms of variances, or of standard deviations, and some return the negative divergence: such
    an input is an error here. An object that is a module instead of a criterion gives an nn.Unknown.
    Source: VAE-Torch and cvae ``KLDCriterion``; Kingma & Welling 2013.

    Examples
    --------
    >>> loss, mean, logVariance = authors.KLDCriterion(), np.float32([1, 2]), np.zeros(2, np.float32)
    >>> loss.forward(mean, logVariance)  # (1 + 4) / 2
    2.5
    >>> loss.backward(mean, logVariance)
    [array([1., 2.], dtype=float32), array([0., 0.], dtype=float32)]
    >>> loss.forward([mean, logVariance], [mean, logVariance])
    0.0
    """

    def updateOutput(self, input: Any, target: Any) -> float:
        mean, log, otherMean, otherLog = self._distributions(input, target)
        terms = log - otherLog - 1 + compute.exp(otherLog - log) + (mean - otherMean) ** 2 * compute.exp(-log)
        self.output = 0.5 * compute.number(compute.sum(terms.ravel(), dtype=np.float64))
        return self.output

    def updateGradInput(self, input: Any, target: Any) -> list[Tensor]:
        mean, log, otherMean, otherLog = self._distributions(input, target)
        difference, ratio = (mean - otherMean) * compute.exp(-log), compute.exp(otherLog - log)
        ofFirst = difference, (1 - ratio - difference * (mean - otherMean)) / 2
        ofSecond = -difference, (ratio - 1) / 2
        gradients = ofSecond if is_tensor(input) else (*ofFirst, *ofSecond)
        gradInput = self._resizeTable("gradInput", [mean.shape] * len(gradients), mustNotOverlap=[input, target])
        for result, gradient in zip(gradInput, gradients, strict=True):
            result[...] = gradient
        return gradInput

    def _distributions(self, input: Any, target: Any) -> list[Any]:
        """Returns means and logarithms of variances of the second distribution of the divergence, then of the first one."""
        if is_tensor(input):
            mean = check.tensor(self, "input", input)
            log = check.shape(self, "target", check.tensor(self, "target", target), mean.shape)
            zeros = np.zeros_like(mean)
            return [zeros, zeros, mean, log]
        if target is None:
            wanted = "means and logarithms of variances as input and target, or as lists of two"
            raise DtypeError(f"{self._typename}: expected {wanted}, got {described(input)} and no target")
        second, first = check.tensors(self, "input", input, 2), check.tensors(self, "target", target, 2)
        names = ("input[0]", "input[1]", "target[0]", "target[1]")
        return [check.shape(self, name, x, second[0].shape) for name, x in zip(names, [*second, *first], strict=True)]

    @classmethod
    def _claims(cls, fields: Any) -> bool:
        return not is_tensor(fields.get("output")) or np.ndim(fields.get("output")) == 0
