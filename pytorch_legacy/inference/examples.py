"""Examples: what a conversion runs on. Where two differ in size, the written module takes any size."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from pytorch_legacy import nn, rnn
from pytorch_legacy.arrays import is_tensor
from pytorch_legacy.errors import DtypeError, ShapeError, THNNError
from pytorch_legacy.nn.Criterion import Criterion
from pytorch_legacy.nn.Module import Module
from pytorch_legacy.nn.utils import described
from pytorch_legacy.objects.copies import reachable

SCALES = (4, 16, 32, 64, 128, 224)


def list_examples(example: Any, module: Any) -> list[Any]:
    """Returns one or two inputs of the module, in arrays of its type.

    Parameters
    ----------
    example : tuple, or list of two
        A shape such as ``(None, 3, 224, 224)``, None where the size may vary; a tuple of shapes stands for a table.
        Otherwise a list of two inputs, arrays or tables, that differ in the sizes that may vary, or of one.
    module : Module
        Says what a shape stands for: random numbers, or indices where its first layer looks something up.

    Raises
    ------
    DtypeError, ShapeError
        If it is neither, or the two inputs are not of one kind.
    """
    if example is None and isinstance(module, Criterion):
        return _for_criterion(module)
    if isinstance(example, list) and any(is_shape(entry) and None in entry for entry in example):
        wanted = "expected a tuple for the shapes of a table, as ((None, 10), (None, 3, 32, 32))"
        raise DtypeError(f"example: {wanted}, got a list of shapes")
    if is_shape(example) or (isinstance(example, tuple) and example):
        examples = _fitting(example, module)
    elif isinstance(example, list) and len(example) in (1, 2):
        examples = [_typed(one, module._inputDtype) for one in example]
    else:
        wanted = "a shape such as (None, 3, 224, 224), None where it may vary, or a list of two inputs"
        raise DtypeError(f"example: expected {wanted}, got {described(example)}")
    _check_alike(examples[0], examples[-1], "example")
    return examples


def _for_criterion(criterion: Any) -> list[Any]:
    """Two pairs of input and target for a criterion, the first ones that it takes, of what criterions take."""
    if isinstance(criterion, _OF_STEPS):
        return _for_steps(criterion)
    if any(isinstance(inner, _OF_STEPS) for inner in reachable(criterion)):
        raise DtypeError(f"{criterion._typename}: example: {_UNKNOWN}")  # a table would fix the number of steps
    rng = np.random.default_rng(0)
    inner = getattr(getattr(criterion, "scec", criterion), "nll", criterion)
    fields: list[Any] = [getattr(inner, name, None) for name in ("weights", "simplex", "weight")]
    classes = next((len(kept) for kept in fields if isinstance(kept, np.ndarray) and kept.ndim), 5)

    def numbers(*shape: int) -> Any:
        return rng.uniform(0.1, 0.9, shape).astype(criterion._dtype)

    def signs(*shape: int) -> Any:
        return rng.choice([-1, 1], shape).astype(criterion._dtype)

    kinds: list[Callable[[int], list[Any]]] = [
        lambda n: [numbers(n, classes), rng.integers(0, classes, n)],
        lambda n: [numbers(n, classes), numbers(n, classes)],
        lambda n: [numbers(n, classes), signs(n, classes)],
        lambda n: [numbers(n, classes), rng.integers(0, classes, (n, classes))],
        lambda n: [numbers(n), signs(n)],
        lambda n: [[numbers(n, classes), numbers(n, classes)], signs(n)],
        lambda n: [[numbers(n), numbers(n)], signs(n)],
        lambda n: [[numbers(n), numbers(n)], signs(1)],
        lambda n: [numbers(n, classes, 4, 4), rng.integers(0, classes, (n, 4, 4))],
        lambda n: [numbers(n, classes, 2, 4, 4), rng.integers(0, classes, (n, 2, 4, 4))],
        lambda n: [numbers(n, 1, 4, 4), signs(n, 1, 4, 4)],
        lambda n: [numbers(n, 2, 4, 4), numbers(n, 2, 6, 6)],
    ]
    for kind in kinds:
        examples = [kind(free) for free in (2, 3)]
        try:
            for input, target in examples:
                criterion.forward(input, target)
            return examples
        except (THNNError, TypeError, ValueError):
            continue
    raise DtypeError(f"{criterion._typename}: example: {_UNKNOWN}")


_OF_STEPS = rnn.RepeaterCriterion, rnn.SequencerCriterion
_UNKNOWN = "what it takes is not known; expected two lists of input and target"


def _for_steps(criterion: Any) -> list[Any]:
    """Two pairs of input and target in arrays, steps first, so that the number of steps may vary."""
    examples: list[Any] = []
    for steps, (input, target) in zip((4, 5), _for_criterion(criterion.criterion), strict=True):
        if isinstance(input, list):
            raise DtypeError(f"{criterion._typename}: example: {_UNKNOWN}")
        inputs, targets = (np.stack([np.roll(array, step) for step in range(steps)]) for array in (input, target))
        examples.append([inputs, target if isinstance(criterion, rnn.RepeaterCriterion) else targets])
    return examples


def is_shape(value: Any) -> bool:
    """Returns True for a tuple of sizes, with None for a dynamic size."""
    if not isinstance(value, tuple) or not value:
        return False
    return all(size is None or (isinstance(size, (int, np.integer)) and not isinstance(size, bool)) for size in value)


def _fitting(example: Any, module: Any) -> list[Any]:
    """Examples of a shape. Where more than the first size may vary, sizes are tried until the network takes them."""
    free = _most(example)
    rng = np.random.default_rng(0)
    for first, second in pairs_of_sizes():
        examples = [_drawn(example, sizes, module, rng) for sizes in ((first, second) if free else (first,))]
        if free < 2 or all(runs(module, one) for one in examples):
            break
    return examples


def _most(example: Any) -> int:
    """Returns the number of dynamic sizes in a shape, or the most in one of several."""
    return example.count(None) if is_shape(example) else max(map(_most, example), default=0) if isinstance(example, tuple) else 0


def pairs_of_sizes() -> Iterator[tuple[tuple[int, ...], tuple[int, ...]]]:
    """The sizes that stand for what may vary, in turn, in the first example and in the second, for one pair after the other.

    No two sizes are alike in both examples, which tells them apart. Those of the second are odd where the network takes that: so
    what rounds a half up or down does both.
    """
    for scale in SCALES:
        even = (3, scale * 3 // 2, scale * 7 // 4, scale * 9 // 4)
        for second in ((even[0], *(size | 1 for size in even[1:])), even):
            yield (2, scale, scale * 5 // 4, scale * 3 // 2), second


def runs(module: Any, input: Any) -> bool:
    """Returns True if the module takes the input."""
    try:
        module.forward(input)
    except THNNError:
        return False
    finally:
        forget(module)
        module.clearState()
    return True


def _drawn(example: Any, free: tuple[int, ...], module: Any, rng: np.random.Generator) -> Any:
    """Numbers in place of each shape."""
    if not is_shape(example):
        if not isinstance(example, tuple) or not example:
            raise DtypeError(f"example: expected a shape or a tuple of shapes, got {described(example)}")
        return [_drawn(entry, free, module, rng) for entry in example]
    sizes = iter((*free, *[free[-1]] * len(example)))
    shape = tuple(next(sizes) if size is None else int(size) for size in example)
    if (least_and_end := indices(module)) is not None:
        return rng.integers(*least_and_end, shape)
    return rng.standard_normal(shape).astype(module._inputDtype)


def indices(module: Any) -> tuple[int, int] | None:
    """The first index and the one after the last that the network takes, if its first layer takes indices."""
    while children := getattr(module, "modules", None):
        module = children[0]
    if isinstance(module, nn.LookupTable):
        return 0 if module._counts.inputs else 1, len(module.weight)  # with nn.LookupTableMaskZero, 0 is padding
    return (0, int(module.outputSize)) if isinstance(module, nn.OneHot) else None


def _typed(value: Any, dtype: np.dtype) -> Any:
    """A copy with its floating-point arrays in the module's type."""
    if isinstance(value, (list, tuple)):
        return [_typed(entry, dtype) for entry in value]
    array = np.asarray(value) if is_tensor(value) or isinstance(value, (int, float, np.generic)) else None
    if array is None or array.dtype.kind not in "fiub":
        raise DtypeError(f"example: expected arrays or tables of arrays, got {described(value)}")
    return np.array(array, dtype if array.dtype.kind == "f" else array.dtype, order="C")


def _check_alike(first: Any, second: Any, where: str) -> None:
    """Refuses two inputs of which one is a table, or an array of another rank or kind."""
    if isinstance(first, list) and isinstance(second, list) and len(first) == len(second):
        for i, entries in enumerate(zip(first, second, strict=True)):
            _check_alike(*entries, f"{where}[{i}]")
    elif isinstance(first, list) or isinstance(second, list):
        raise ShapeError(f"{where}: expected two inputs that are alike, got {described(first)} and {described(second)}")
    elif first.ndim != second.ndim or first.dtype != second.dtype:
        raise ShapeError(f"{where}: expected two arrays of one rank and type, got {described(first)} and {described(second)}")


def forget(module: Any) -> None:
    """Lets recurrent layers inside begin a new sequence."""
    if not isinstance(module, Module):
        return
    module.forget()
    for inner in module.listModules():
        if hasattr(inner, "resetStates"):
            inner.resetStates()
