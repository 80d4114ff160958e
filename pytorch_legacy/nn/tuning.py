"""Additions of Element-Research's dpnn to every module: gradients with momentum, decay and limits, and other helpers."""

from collections import Counter
from collections.abc import Iterator
from itertools import product
from math import hypot, inf, isnan, sqrt
from typing import Any, ClassVar, Self

import numpy as np

from pytorch_legacy import random
from pytorch_legacy.arguments import checked
from pytorch_legacy.arrays import Tensor, is_tensor, to_host, type_name
from pytorch_legacy.backend import compute
from pytorch_legacy.errors import DtypeError, ShapeError, UnsupportedError, ValueRangeError
from pytorch_legacy.files.classes import own
from pytorch_legacy.files.counting import Lua
from pytorch_legacy.messages import mismatch
from pytorch_legacy.nn import walks
from pytorch_legacy.objects import Object


class Tuning(Object):
    """Methods that are called between ``backward`` and ``updateParameters``, in the order of a training step::

        net.zeroGradParameters()
        net.forward(x), net.backward(x, gradOutput)
        net.updateGradParameters(0.9)  # momentum
        net.weightDecay(1e-4)
        net.gradParamClip(5)
        net.updateParameters(0.1)
        net.maxParamNorm(2)

    What they take may also be set in a module, as an attribute of the name of the argument (``momFactor``, ``wdFactor``,
    ``cutoffNorm``, ``maxOutNorm`` ...): it then holds for this module and those inside it.

    Notes
    -----
    Source: Element-Research dpnn, ``Module.lua``.
    """

    _lua = Lua(methods={name: {"batchDim": "positions"} for name in ("toBatch", "fromBatch")})

    _everyday: ClassVar[tuple[str, ...]] = ()
    dpnn_online = False

    @checked
    def updateGradParameters(self, momFactor: float, momDamp: float | None = None, momNesterov: bool = False) -> Self:
        """Puts a moving sum ``m = momFactor * m + (1 - momDamp) * gradient`` in the place of each gradient; returns self.

        The sums, in the field ``momGradParams`` of each module, begin with the first gradients. With `momNesterov` a gradient
        grows by ``momFactor * m`` instead. Nothing is done where `momFactor` is not positive.

        Parameters
        ----------
        momFactor : float
        momDamp : float, optional
            `momFactor` if not given.
        momNesterov : bool
        """
        for leaf, given in self._tuned(momFactor=momFactor, momDamp=momDamp, momNesterov=momNesterov):
            factor = given["momFactor"]
            damping = factor if given["momDamp"] is None else given["momDamp"]
            if factor <= 0:
                continue
            _, gradients = leaf._tunable("updateGradParameters")
            for gradient, sums in zip(gradients, leaf.momentumGradParameters() or [], strict=True):
                sums *= factor
                sums += (1 - damping) * gradient
                if given["momNesterov"]:
                    gradient += factor * sums
                else:
                    gradient[...] = sums
        return self

    def momentumGradParameters(self) -> list[Tensor] | None:
        """The moving sums of the gradients, which begin as copies of them; None without parameters."""
        _, gradients = self._tunable("momentumGradParameters")
        sums = self.__dict__.get("momGradParams")
        if not sums and gradients:
            sums = self.momGradParams = [gradient.copy() for gradient in gradients]
        return sums or None

    @checked
    def weightDecay(self, wdFactor: float, wdMinDim: int = 2) -> Self:
        """Adds `wdFactor` times each parameter of `wdMinDim` or more dimensions to its gradient, and returns self."""
        for leaf, given in self._tuned(wdFactor=wdFactor, wdMinDim=wdMinDim):
            if given["wdFactor"] > 0:
                parameters, gradients = leaf._tunable("weightDecay")
                for parameter, gradient in zip(parameters, gradients, strict=False):
                    if parameter.ndim >= given["wdMinDim"]:
                        gradient += given["wdFactor"] * parameter
        return self

    def gradParamNorm(self) -> float:
        """The Euclidean norm of all gradients of the parameters together."""
        gradients = self._tunable("gradParamNorm")[1]
        norm = sqrt(sum(map(_square, gradients)))
        if isnan(norm) or 1e-140 < norm < inf:
            return norm
        return hypot(*(compute.vector_norms(to_host(g).ravel(), 0, dtype=np.float64).item() for g in gradients))

    @checked
    def gradParamClip(self, cutoffNorm: float, moduleLocal: bool = False) -> float:
        """Scales the gradients so that their norm is at most `cutoffNorm`, and returns what it was.

        With `moduleLocal` the gradients of each module that holds no others are scaled by themselves. (Torch7 lost `cutoffNorm`
        on the way to them.) Nothing is done where `cutoffNorm` is not positive, and 0 is returned.
        """
        cutoffNorm = self.__dict__.get("cutoffNorm", cutoffNorm)
        moduleLocal = self.__dict__.get("moduleLocal", moduleLocal)
        if cutoffNorm <= 0:
            return 0.0
        if moduleLocal and "modules" in self.__dict__:
            return hypot(*(leaf.gradParamClip(given["cutoffNorm"]) for leaf, given in self._tuned(cutoffNorm=cutoffNorm)))
        norm = self.gradParamNorm()
        if norm > cutoffNorm:
            for gradient in self._tunable("gradParamClip")[1]:
                gradient *= cutoffNorm / norm
        return norm

    @checked
    def maxParamNorm(self, maxOutNorm: float | None = None, maxInNorm: float | None = None) -> Self:
        """Scales rows (of an output, along the first dimension) and columns (of an input, along the last one) of parameters
        that are no vectors, so that their norms are at most these; returns self. None and what is not positive is no limit."""
        for leaf, given in self._tuned(maxOutNorm=maxOutNorm, maxInNorm=maxInNorm):
            axes = [(axis, given[name]) for axis, name in ((0, "maxOutNorm"), (-1, "maxInNorm"))]
            limits = [(axis, limit) for axis, limit in axes if limit and limit > 0]
            matrices = [parameter for parameter in leaf._tunable("maxParamNorm")[0] if parameter.ndim > 1]
            for parameter, (axis, limit) in product(matrices, limits):
                _renorm(parameter, axis, limit)
        return self

    def checkParameters(self) -> Self:
        """Raises ValueRangeError if a parameter has a NaN; returns self."""
        for i, parameter in enumerate(self._tunable("checkParameters")[0]):
            if np.isnan(parameter).any():
                raise ValueRangeError(f"{self._typename}: checkParameters: parameter {i} has a NaN")
        return self

    def sparseParameters(self) -> Any:
        """As ``parameters``."""
        return self.parameters()  # type: ignore[attr-defined]

    @checked
    def toBatch(self, tensor: Tensor, nDim: int, batchDim: int = 0) -> Tensor:
        """`tensor` as a batch of one, seen with a new dimension `batchDim`, if it has `nDim` dimensions; else as it is."""
        if not is_tensor(tensor):
            raise DtypeError(f"{self._typename}: toBatch: tensor: expected an array, got {tensor!r:.40}")
        self.dpnn_online = tensor.ndim == nDim
        return np.expand_dims(tensor, batchDim) if self.dpnn_online else tensor

    @checked
    def fromBatch(self, tensor: Tensor, batchDim: int = 0) -> Tensor:
        """`tensor` without the dimension that the last ``toBatch`` added, if it added one."""
        if not self.dpnn_online:
            return tensor
        if tensor.shape[batchDim] != 1:
            raise ShapeError(f"{self._typename}: fromBatch: expected size 1 along dimension {batchDim}, got {tensor.shape}")
        return tensor.squeeze(batchDim)

    def contiguousInput(self, input: Tensor, backward: bool = False) -> Tensor:
        """`input`, or a copy whose elements lie one after the other; `backward`: what the last call gave."""
        if backward:
            last = self.__dict__.get("dpnn_cinput")
            return input if last is None else last
        if not input.flags.c_contiguous:
            self.dpnn_cinput = input = np.ascontiguousarray(input)
        return input

    def extrapolateType(self) -> str | None:
        """The tensor type that most parameters have; None without parameters."""
        types = Counter(type_name(parameter.dtype) for parameter in (self.sparseParameters() or ([], []))[0])
        return types.most_common(1)[0][0] if types else None

    def outside(self, *insize: Any) -> tuple[int, ...]:
        """The shape of the output for an input of normal numbers, given by its sizes or as one shape."""
        shape = tuple(insize[0]) if len(insize) == 1 and isinstance(insize[0], (list, tuple)) else insize
        output = self.updateOutput(random.normal(0, 1, shape, self._dtype, self._onDevice))  # type: ignore[attr-defined]
        return tuple(output.shape)

    def accept(self, visitor: Any) -> None:
        """Calls ``visitor.visit`` with this module."""
        visitor.visit(self)

    def dontBackward(self) -> Self:
        """From now on there is no way back through the module: no gradient of its input, none of its parameters; returns self.

        Copies and pickles keep that, .t7 files do not.
        """
        self.__dict__.update(dict.fromkeys(("updateGradInput", "accGradParameters", "accUpdateGradParameters"), _nothing))
        self.gradInput = None
        return self

    def Serial(self, tensortype: str | None = None) -> Any:
        """This module in an nn.Serial."""
        return own("nn.Serial")(self, tensortype)

    def _tuned(self, **given: Any) -> Iterator[tuple[Any, dict[str, Any]]]:
        """The modules without modules inside, each with these numbers, or with those that it or one around it has set."""
        seen: set[int] | None = set() if walks.places(self) > walks.MOST_PLACES else None
        waiting: list[tuple[Any, dict[str, Any]]] = [(self, given)]
        while waiting:
            module, settings = waiting.pop()
            if seen is not None:
                if id(module) in seen:
                    continue
                seen.add(id(module))
            settings = {name: module.__dict__.get(name, value) for name, value in settings.items()}
            if "modules" in module.__dict__:
                waiting += [(child, settings) for child in reversed(module._children())]
            else:
                yield module, settings

    def _tunable(self, method: str) -> tuple[list[Tensor], list[Tensor]]:
        """The parameters and their gradients, which are arrays of floating-point numbers."""
        parameters, gradients = self.sparseParameters() or ([], [])
        arrays: list[Any]
        for name, arrays in (("parameter", parameters), ("gradient", gradients)):
            for i, array in enumerate(arrays):
                if is_tensor(array) and array.dtype.kind == "f":
                    continue
                if isinstance(array, dict):
                    raise UnsupportedError(f"{self._typename}: {method}: not for sparse gradients, as of nn.IndexLinear")
                raise DtypeError(mismatch(f"{self._typename}: {method}: {name} {i}", array, self._dtype, self._onDevice))
        return parameters, gradients


def _nothing(*arguments: Any) -> None:
    """A method that does nothing."""


def _square(array: Tensor) -> float:
    numbers = to_host(array).astype(np.float64, copy=False).ravel()
    with np.errstate(over="ignore"):
        return float(numbers @ numbers)


def _renorm(parameter: Tensor, axis: int, limit: float) -> None:
    """Tensor:renorm(2, axis, limit), in place."""
    others = tuple(d for d in range(parameter.ndim) if d != axis % parameter.ndim)
    norms = compute.vector_norms(parameter, others, dtype=np.float64)
    parameter *= np.where(norms > limit, limit / (norms + 1e-7), 1).astype(parameter.dtype)
