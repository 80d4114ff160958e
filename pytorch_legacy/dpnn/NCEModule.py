"""A Linear for very many classes, trained against noise."""

from math import log, sqrt
from typing import Any, Self

import numpy as np

from pytorch_legacy import random
from pytorch_legacy.arguments import as_doubles
from pytorch_legacy.arrays import Tensor, is_writable, to_device
from pytorch_legacy.backend import compute
from pytorch_legacy.dpnn import alias
from pytorch_legacy.errors import ShapeError, UnsupportedError, ValueRangeError
from pytorch_legacy.files.counting import Lua
from pytorch_legacy.files.form import Form
from pytorch_legacy.nn import check
from pytorch_legacy.nn.linear.Linear import Linear
from pytorch_legacy.nn.utils import described, sizes
from pytorch_legacy.objects import ArrayField


class NCEModule(Linear):
    """Computes the probabilities of the target and of k random classes only, for `NCECriterion`.

    .. math:: P(c \\mid x) = \\frac{\\exp(W_c x + b_c)}{Z}

    The output is a table: P of the targets (N), P of the samples (N x k), and the probabilities of both as noise (N and N x k).
    In evaluation, with the field ``normalized`` set, it is the softmax of all classes instead (N x outputSize), or its logarithm
    with the field ``logsoftmax``.

    Parameters
    ----------
    inputSize, outputSize : int
        Number of elements of an input row, and of classes.
    k : int
        Number of samples to draw.
    unigrams : array of outputSize
        How frequent each class is as noise: numbers that are not negative; they need not sum to 1. As in Torch7, an array of
        floating-point numbers becomes the field of that name, and is divided by its sum.
    Z : float
        The divisor. If it is not above 0, the first batch tells it: the mean of ``exp(W x + b)`` over its samples, times
        outputSize.

    Attributes
    ----------
    weight, gradWeight : array of outputSize x inputSize
    bias, gradBias : array of outputSize
    Z : array of 1
    batchnoise : bool
        Whether all rows share k samples (True, until set), or each has k of its own.
    normalized, logsoftmax : bool
        See above. False, until set.
    sampleidx : array of int64
        The classes of the last forward, which count from 0: k samples and N targets; or without `batchnoise`, in N rows, the
        target and its k samples.

    Raises
    ------
    IndexRangeError, ShapeError, ValueRangeError
        If a label, a size or a number is out of its range.
    UnsupportedError
        If a pass backward follows a normalized one forward.

    Notes
    -----
    Input: a table of ``N x inputSize`` and N labels, which count from 0. gradInput is a table too, with zeros for the labels.
    The weight starts uniform in [-s, s) with s = 1 / sqrt(inputSize), the bias at -log(outputSize). Samples are drawn in
    evaluation too; override ``noiseSample`` to choose them. Files of older releases lack Z, which is then 1.
    Source: Element-Research dpnn ``NCEModule``; Mnih and Teh, "A fast and simple algorithm for training neural probabilistic
    language models" (2012).

    Examples
    --------
    >>> _ = pl.manualSeed(1)
    >>> layer = dpnn.NCEModule(3, 1000, 5, np.ones(1000))  # a thousand classes, of which five are drawn
    >>> x, target = np.ones((2, 3), np.float32), np.array([7, 8])  # labels count from 0
    >>> [array.shape for array in layer.forward([x, target])]
    [(2,), (2, 5), (2,), (2, 5)]
    >>> layer.sampleidx  # five samples, then the targets
    array([429, 795, 156, 958, 888,   7,   8])
    """

    _file = Form(
        oneBasedTensors={"sampleidx": (np.int64, np.int64)},
        dropped=(
            "sampleprob",
            "_sampleidx",
            "_noiseidx",
            "_noiseprob",
            "_noisesamples",
            "_metaidx",
            "_weight",
            "_bias",
            "_gradWeight",
            "_gradOutput",
            "_tgradOutput",
            "_pm",
            "_score",
            "linout",
            "testedtargets",
        ),
        defaults={"Z": lambda fields: np.ones(1, fields.dtype)},
        kinds={
            **dict.fromkeys(("Z", "unigrams"), "a tensor of floating-point numbers"),
            "k": "a whole number",
            "normalized": "true or false",
        },
    )
    _lua = Lua(inputs=(None, "indices"), results={"noiseSample": "indices"}, returns={"noiseSample": "first"})
    dpnn_mediumEmpty = ("output", "gradInput", "momGradParams", "dpnn_input", "sampleidx")
    _updatesDirectly = True
    bias: Tensor
    gradBias: Tensor
    sampleidx: Tensor
    _arrayFields = (ArrayField("weight", 2), ArrayField("bias", lambda layer: layer.weight.shape[:1]), ArrayField("Z", 1))
    batchnoise = False
    normalized = False
    logsoftmax = False

    def __init__(self, inputSize: int, outputSize: int, k: int, unigrams: Any, Z: float = -1) -> None:
        super().__init__(inputSize, outputSize)
        self.k = check.count(self, "k", k)
        isOwn = type(unigrams) is np.ndarray and unigrams.dtype in (np.float32, np.float64) and is_writable(unigrams)
        frequencies = unigrams if isOwn else as_doubles(self, "unigrams", unigrams)
        check.shape(self, "unigrams", frequencies, (outputSize,))
        if not (frequencies >= 0).all() or not frequencies.sum() > 0:
            raise ValueRangeError(f"{self._typename}: unigrams: expected numbers of which none is negative and one above 0")
        self.unigrams = frequencies
        self.Z = np.array([Z], self._dtype)
        self.batchnoise = True
        self.fastNoise()
        self.output = [np.empty(0, self._dtype) for _ in range(4)]
        self.gradInput = [np.empty(0, self._dtype) for _ in range(2)]

    def reset(self, stdv: float | None = None) -> Self:
        """Draws a new weight and returns self. The bias becomes -log(outputSize); with `stdv` both are uniform."""
        limit = 1 / sqrt(self.weight.shape[1]) if stdv is None else stdv
        self.weight[...] = random.uniform(-limit, limit, self.weight.shape, self._dtype, self._onDevice)
        if stdv is None:
            self.bias.fill(-log(len(self.bias)))
        else:
            self.bias[...] = random.uniform(-limit, limit, self.bias.shape, self._dtype, self._onDevice)
        return self

    def fastNoise(self) -> Self:
        """Divides `unigrams` by its sum, and prepares the draws anew: to be called when it has changed."""
        if not is_writable(self.unigrams):
            self.unigrams = self.unigrams.copy()
        self.unigrams /= self.unigrams.dtype.type(self.unigrams.sum(dtype=np.float64))
        self.aliasmultinomial = alias.table(to_device(self.unigrams, False))
        return self

    def noiseSample(self, sampleidx: Tensor | None, batchsize: int, k: int) -> Tensor:
        """Returns random classes, which count from 0, as batchsize x k: in the array `sampleidx`, if it has this shape."""
        shape = batchsize, k
        drawn = to_device(self._made("sampleidx", shape, alias.draw, self.aliasmultinomial, shape), self._onDevice)
        if sampleidx is None or sampleidx.shape != shape:
            return drawn
        sampleidx[...] = drawn
        return sampleidx

    def updateOutput(self, input: Any) -> Any:
        rows, labels = self._checked(input)
        if not self.train and self.normalized:
            return self._full(rows)
        count, k = len(rows), check.count(self, "k", self.k)
        if self.batchnoise:
            self.sampleidx = np.concatenate([self._noise(1, k)[0], labels])
        else:
            self.sampleidx = np.concatenate([labels[:, None], self._noise(count, k)], 1)
        targets, samples = self._chosen(labels)
        ofTarget, ofSamples, *noise = output = self._resizeTable("output", [(count,), (count, k)] * 2)
        ofTarget[...] = compute.matmul(rows[:, None], self.weight[targets][:, :, None])[:, 0, 0]
        ofTarget += self.bias[targets]
        ofSamples[...] = self._products(rows, samples) + self.bias[samples]
        for scores in (ofTarget, ofSamples):
            compute.exp(scores, out=scores)
        if self.Z[0] <= 0:
            # Without batchnoise Torch7 took the mean over the targets too.
            terms = ofSamples if self.batchnoise else np.column_stack([ofTarget, ofSamples])
            self.Z[0] = compute.mean(terms) * len(self.weight)
        for scores, classes, frequencies in zip((ofTarget, ofSamples), (targets, samples), noise, strict=True):
            scores /= self.Z[0]
            frequencies[...] = self.unigrams[classes]
        return output

    def updateGradInput(self, input: Any, gradOutput: Any) -> Any:
        rows, labels = self._checked(input)
        ofTarget, ofSamples = self._gradients(rows, gradOutput)
        targets, samples = self._chosen(labels)
        gradRows, gradLabels = gradInput = self._resizeTable("gradInput", [rows.shape, labels.shape])
        np.multiply(ofTarget[:, None], self.weight[targets], out=gradRows)
        if self.batchnoise:
            gradRows += compute.matmul(ofSamples, self.weight[samples])
        else:
            gradRows += compute.matmul(ofSamples[:, None], self.weight[samples])[:, 0]
        gradLabels.fill(0)
        return gradInput

    def accGradParameters(self, input: Any, gradOutput: Any, scale: float = 1.0) -> None:
        rows, labels = self._checked(input)
        ofTarget, ofSamples = (self._dtype.type(scale) * gradient for gradient in self._gradients(rows, gradOutput))
        targets, samples = self._chosen(labels)
        if self.batchnoise:
            np.add.at(self.gradWeight, samples, compute.matmul(ofSamples.T, rows))
            np.add.at(self.gradBias, samples, compute.sum(ofSamples, 0))
        else:
            np.add.at(self.gradWeight, samples, ofSamples[:, :, None] * rows[:, None])
            np.add.at(self.gradBias, samples, ofSamples)
        np.add.at(self.gradWeight, targets, ofTarget[:, None] * rows)
        np.add.at(self.gradBias, targets, ofTarget)

    def type(self, type: Any = None, tensorCache: dict[Any, Any] | None = None) -> Any:
        """Converts as every module does, but keeps the precision of `unigrams`, and what draws are made from on the host."""
        kept = {name: self.__dict__.pop(name) for name in ("unigrams", "aliasmultinomial")}
        try:
            return super().type(type, tensorCache)
        finally:
            self.__dict__ |= kept | {"unigrams": to_device(kept["unigrams"], self._onDevice)}

    def clearState(self) -> Self:
        self.__dict__.pop("sampleidx", None)
        super().clearState()
        self.output = [np.empty(0, self._dtype) for _ in range(4)]
        self.gradInput = [np.empty(0, self._dtype) for _ in range(2)]
        return self

    def _noise(self, count: int, k: int) -> Tensor:
        """The samples of a pass, of a ``noiseSample`` that may be an author's: it fills an array, which it need not return."""
        buffer = np.empty((count, k), np.int64, like=self.weight)
        drawn = self.noiseSample(buffer, count, k)
        classes = check.labels(self, "noiseSample", buffer if drawn is None else drawn)
        check.shape(self, "noiseSample", classes, (count, k))
        return check.below(self, "noiseSample", classes, len(self.weight), "classes from ")

    def _full(self, rows: Tensor) -> Tensor:
        """The probabilities of all classes, or their logarithms."""
        scores = self._resize("linout", (len(rows), len(self.weight)))
        self._call("updateOutput", rows, scores)
        self.output = None if isinstance(self.output, list) else self.output
        output = self._resize("output", scores.shape)
        self._call(f"{'LogSoftMax' if self.logsoftmax else 'SoftMax'}_updateOutput", scores, output)
        return output

    def _products(self, rows: Tensor, samples: Tensor) -> Tensor:
        """Row by row the products with the weights of its samples, N x k."""
        if samples.ndim == 1:
            return compute.matmul(rows, self.weight[samples].T)
        products: Tensor = compute.matmul(self.weight[samples], rows[:, :, None])[:, :, 0]
        return products

    def _gradients(self, rows: Tensor, gradOutput: list[Tensor]) -> list[Tensor]:
        """The gradients of the scores of targets and samples: those of P times P."""
        if not isinstance(self.output, list):
            raise UnsupportedError(f"{self._typename}: the output of all classes has no gradient; call training() before forward")
        check.tensors(self, "gradOutput", gradOutput, len(gradOutput) if isinstance(gradOutput, list) else None)
        if len(gradOutput) < 2:
            raise ShapeError(f"{self._typename}: gradOutput: expected a table of 2 or 4, got {described(gradOutput)}")
        shapes = ((len(rows),), (len(rows), self.k))
        for i, shape in enumerate(shapes):
            check.shape(self, f"output[{i}] of the last forward", self.output[i], shape)
            check.shape(self, f"gradOutput[{i}]", gradOutput[i], shape)
        return [gradOutput[i] * self.output[i] for i in range(2)]

    def _chosen(self, labels: Tensor) -> tuple[Tensor, Tensor]:
        """The targets and samples of the last forward."""
        if self.batchnoise:
            return labels, self.sampleidx[: self.k]
        return labels, self.sampleidx[:, 1:]

    def _checked(self, input: list[Any]) -> tuple[Tensor, Tensor]:
        check.shape(self, "unigrams", self.unigrams, self.bias.shape)
        rows = check.tensor(self, "input[0]", check.table(self, "input", input, 2)[0], 2)
        if rows.shape[1] != self.weight.shape[1]:
            raise ShapeError(f"{self._typename}: input[0]: expected {self.weight.shape[1]} columns, got {sizes(rows.shape)}")
        labels = check.shape(self, "input[1]", check.labels(self, "input[1]", input[1]), rows.shape[:1])
        return rows, check.below(self, "input[1]", labels, len(self.weight), "labels from ")

    def _fromTorch7(self, fields: dict[str, Any], version: int) -> None:
        super()._fromTorch7(fields, version)
        if not alias.is_table(fields.get("aliasmultinomial"), self.unigrams.size):
            self.fastNoise()
