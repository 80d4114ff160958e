"""One conversion after the other, and what went wrong: the driver of the tests here."""

from __future__ import annotations

import copy

import numpy as np
import pytest

from pytorch_legacy.bridge import NoRule
from pytorch_legacy.nn.Module import Module
from tests.trees import Tree, copied, leaves, mapped, shapes

torch = pytest.importorskip("torch", reason='the bridge needs torch: pip install "pytorch-legacy[torch]"')


NO_RULE = {
    "nn.Module": "a base: it has no pass of its own",
    "nn.Container": "a base: it has no pass of its own",
}


def refused(error: NoRule) -> str:
    """Returns the error of a refusal: "" if the class is one of those without a rule, or a test's own."""
    module = getattr(error, "module", None)
    isKnown = getattr(module, "_typename", "") in NO_RULE or type(module).__module__.startswith("tests.")
    return "" if isKnown and "no rule for this class" in str(error) else f"{module!r}: {error}"


def converted(net: Module, examples: list[Tree], tolerance: float) -> str:
    """Converts and proves; what is wrong, or nothing."""
    from pytorch_legacy.bridge.conversion import Conversion

    conversion = Conversion(net, examples)
    made = conversion.module()
    learned = [name for name, parameter in made.named_parameters() if parameter.requires_grad]
    if learned and isinstance(net, Module) and not (net.parameters() or ([],))[0]:
        return f"learns in PyTorch, and not here: {', '.join(learned)}"
    worst = conversion.proof.worst
    gap = max(conversion.proof.whole or 0.0, (worst and worst.difference) or 0.0)
    return "" if gap <= tolerance else f"differs by {gap:.1e}"


def two(net: Module, input: Tree) -> list[Tree]:
    """The input, and one with a sample more if the network takes batches of any size; else the input twice."""
    longer = mapped(lambda array: np.concatenate([array, array[:1]]) if array.ndim else array, input)
    try:
        twin = copy.deepcopy(net)
        twin.evaluate()
        one, more = (mapped(np.array, twin.forget().forward(copied(value))) for value in (input, longer))
        grown = all(
            len(b) == len(a) + 1 and np.array_equal(a, b[: len(a)], True) for a, b in zip(leaves(one), leaves(more), strict=True)
        )
    except Exception:
        grown = False
    return [input, longer if grown and shapes(one) else input]
