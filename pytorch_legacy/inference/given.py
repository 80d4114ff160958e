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
    """Returns the two examples of ``--input``."""
    spec = expected.given(text, net)
    for array in inputs.arrays(spec):
        if array.kind in ("float", "double") and inputs.KINDS[array.kind] != net._inputDtype.name:
            raise Problem(f"--input {text}: expected {net._inputDtype}, the type of the network, got {array.kind}")
    net.evaluate()
    examples = inputs.examples(spec, net)
    for example in examples:
        forget(net)
        try:
            with suppress(UnsupportedError):  # an unknown class: the error of the conversion has more details
                net.forward(inputs.mapped(np.copy, example))
        except THNNError as error:
            if isinstance(error, MemoryError):
                raise  # a lack of memory is no fault of this input
            raise Problem(f"--input {text}: {error}{expected.words(net)}") from None
    forget(net)
    return examples


def by_layers(net: Module) -> tuple[Any, str]:
    """Returns two examples that the layers determine, and a text about the assumption.

    Raises
    ------
    Problem
        If the layers do not determine the input, or if the network changes the number of samples.
    """
    takes = expected.expected(net)
    spec = None if takes is None else takes.spec()
    if takes is None or spec is None or not (takes.batched or takes.single):
        known = "is not known" if takes is None else f"is known in part ({takes})"
        form = "1x6,1x10:int" if isinstance(takes and takes.taken, (expected.Table, expected.Each)) else "1x3x224x224"
        raise Problem(f"the input of the network {known}; pass it, such as --input {form}")
    text = inputs.format_spec(spec)
    if takes.changes:
        raise Problem(
            f"the network changes the number of samples of an input of {text}, because of a View or Reshape; "
            "pass the size that it was written for with --input"
        )
    clone = net.sharedClone().evaluate()
    return inputs.examples(spec, clone), f"; assumed an input of {text}; --input changes it"
