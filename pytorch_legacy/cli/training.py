"""``convert --training``: the criterion of a training step, and the target that it takes."""

from __future__ import annotations

from typing import Any

import numpy as np

from pytorch_legacy import nn
from pytorch_legacy.arrays import tree
from pytorch_legacy.errors import THNNError
from pytorch_legacy.inference import inputs
from pytorch_legacy.inference.examples import forget
from pytorch_legacy.inference.problem import Problem
from pytorch_legacy.program.inputs import Spec

from . import calls

_OF_CLASSES = (
    nn.ClassNLLCriterion, nn.SpatialClassNLLCriterion, nn.CrossEntropyCriterion, nn.MultiMarginCriterion,
    nn.ClassSimplexCriterion,
)  # fmt: skip
"""Criterions whose target has one class for each row of scores."""
_OF_LABELS = (*_OF_CLASSES, nn.MultiLabelMarginCriterion)
"""Criterions whose target has whole numbers."""
_OF_SIGNS = (nn.HingeEmbeddingCriterion, nn.L1HingeEmbeddingCriterion, nn.CosineEmbeddingCriterion, nn.MarginRankingCriterion)
"""Criterions whose target has 1 and -1 and no other number."""


def criterion(text: str, net: Any) -> Any:
    """Returns the criterion of ``--training``, in the network's type."""

    def find(name: str) -> Any:
        known = getattr(nn, name) if name in nn.__all__ else None
        return known if isinstance(known, type) and issubclass(known, nn.Criterion) else None

    wanted = 'a criterion of nn with its arguments, such as ClassNLLCriterion or "MultiMarginCriterion(2)"'
    return calls.made(text, "--training", find, wanted).type(net.type())


def target(text: str | None, net: Any, examples: Any, criterion: Any, isFree: bool) -> Any:
    """Returns the specs of a target, or None if the criterion takes none.

    Parameters
    ----------
    text : str, optional
        That of ``--target``. Without it, the output of the network and the kind of criterion tell.
    net : Module
    examples : pair of tables
        Inputs of one sample, and of more if their number is free.
    criterion : Criterion
    isFree : bool
        Whether the number of samples is free.
    """
    if text is not None:
        return _by_text(text, net, criterion, isFree)
    if isinstance(criterion, nn.L1Cost):
        return None
    net = net.sharedClone().evaluate()
    outputs = [_output(net, example) for example in examples]
    found = [inputs.mapped(lambda output: _target(output, criterion), one) for one in outputs]
    _check(criterion, _output(net, examples[0]), found[0])
    others = iter([*tree.leaves(found[1])])
    return tree.map(lambda array: _spec(array, next(others), criterion), found[0])


def _output(net: Any, example: Any) -> Any:
    forget(net)
    return tree.map(np.copy, net.forward(inputs.mapped(np.copy, example)))


def _target(output: Any, criterion: Any) -> Any:
    """Returns a target for an output."""
    shape = output.shape
    if isinstance(criterion, _OF_CLASSES):
        axis = 1 - output.ndim % 2  # classes are the first axis of a vector or picture, else the second
        shape = (*shape[:axis], *shape[axis + 1 :]) or (1,)
    isLabel = isinstance(criterion, _OF_LABELS)
    return np.zeros(shape, np.int64) if isLabel else np.ones(shape, output.dtype)  # some criterions take 1 and -1 alone


def _check(criterion: Any, output: Any, target: Any) -> None:
    """Raises Problem if the criterion does not take the target that is assumed."""
    try:
        criterion.forward(output, target)
    except THNNError as error:
        if isinstance(error, MemoryError):
            raise
        cure = "if the target is another one, pass it, such as --target Nx10 or --target N:int"
        raise Problem(f"--training: {error}; {cure}") from None


def _spec(one: Any, other: Any, criterion: Any) -> Spec:
    shape = tuple(size if size == another else None for size, another in zip(one.shape, other.shape, strict=True))
    return Spec(shape, one.dtype, one if one.dtype.kind == "i" or isinstance(criterion, _OF_SIGNS) else None)


def _by_text(text: str, net: Any, criterion: Any, isFree: bool) -> Any:
    """Returns the specs of ``--target``. Without letters, the first size is free if that of the input is."""
    try:
        parsed = inputs.parse(text)
    except Problem as error:
        raise Problem(str(error).replace("--input", "--target", 1)) from None
    hasLetters = any(isinstance(size, str) for array in inputs.arrays(parsed) for size in array.sizes)

    def spec(array: inputs.Array) -> Spec:
        kind = inputs.KINDS.get(array.kind, "int64" if isinstance(criterion, _OF_LABELS) else net._dtype)
        sizes = [None if isinstance(size, str) else size for size in array.sizes]
        shape = (None, *sizes[1:]) if isFree and not hasLetters else tuple(sizes)
        dtype, isOfSigns = np.dtype(kind), isinstance(criterion, _OF_SIGNS)
        example = np.full([size or 1 for size in shape], (array.limits or (int(isOfSigns),))[0], dtype)
        return Spec(shape, dtype, example if dtype.kind in "iu" or isOfSigns else None)

    return inputs.mapped(spec, parsed)


def shown(table: Any) -> str:
    """Returns a table of specs as ``--target`` takes it."""
    each = [
        "x".join("N" if size is None else str(size) for size in spec.shape) + ":int" * (spec.dtype.kind == "i")
        for spec in tree.leaves(table)
    ]
    return ",".join(each)
