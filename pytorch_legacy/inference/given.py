"""The two inputs by which a network is converted: of what ``--input`` says, or of what its layers suggest."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import numpy as np

from pytorch_legacy.errors import THNNError, UnsupportedError
from pytorch_legacy.nn.Module import Module

from . import expected, inputs
from .examples import forget
from .problem import Problem


def by_text(text: str, net: Module) -> Any:
    """The two inputs that ``--input`` stands for."""
    spec = expected.given(text, net)
    for array in inputs.arrays(spec):
        if array.kind in ("float", "double") and inputs.KINDS[array.kind] != net._inputDtype.name:
            raise Problem(f"--input {text}: the network computes in {net._inputDtype}, not in {array.kind}")
    net.evaluate()
    examples = inputs.examples(spec, net)
    for example in examples:
        forget(net)
        try:
            with suppress(UnsupportedError):  # an unknown class: the conversion raises an error with a better text
                net.forward(inputs.mapped(np.copy, example))
        except THNNError as error:
            if isinstance(error, MemoryError):
                raise  # it says nothing against this input
            raise Problem(f"--input {text}: {error}{expected.words(net)}") from None
    forget(net)
    return examples


def by_layers(net: Module) -> tuple[Any, str]:
    """The two inputs that the layers suggest, and the assumption in words.

    Raises
    ------
    Problem
        If they do not tell, or if the network takes the input for another number of samples than it has.
    """
    takes = expected.expected(net)
    spec = None if takes is None else takes.spec()
    if takes is None or spec is None or not (takes.batched or takes.single):
        known = "is not known" if takes is None else f"is known in part ({takes})"
        form = "1x6,1x10:int" if isinstance(takes and takes.taken, (expected.Table, expected.Each)) else "1x3x224x224"
        raise Problem(f"what the network takes {known}: say it, such as --input {form}")
    text = inputs.format_spec(spec)
    if takes.changes:
        raise Problem(
            f"of {text} the network makes another number of samples, because of a View or Reshape: "
            "give the size that it was made for, with --input"
        )
    clone = net.sharedClone().evaluate()
    return inputs.examples(spec, clone), f"; assumed an input of {text}; --input says otherwise"
