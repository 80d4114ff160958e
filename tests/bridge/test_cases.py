"""Each rule on the case table: our layer's numbers, for batches of two sizes where the layer takes batches."""

from __future__ import annotations

import numpy as np
import pytest

from pytorch_legacy.bridge import NoRule
from pytorch_legacy.bridge.rules import find_rule
from tests.bridge.trial import converted, refused, two
from tests.case import Case
from tests.rows import rows
from tests.table import CASES
from tests.test_coverage import CLASSES
from tests.trees import cast

# Keys of tables, which have no place in an example; planes of which nothing is left.
LEFT_OUT = {"SelectTable-key"} | {f"SpatialZeroPadding-nothing_but_zeros_{side}" for side in ("left", "right")}


TRIED = [(name, case.name, (name, case)) for name, case in CASES if case.target is None and f"{name}-{case.name}" not in LEFT_OUT]


def is_new(name: str, case: Case) -> bool:
    """A layer of ours may have no rule yet; the bridge then refuses it by name."""
    return name not in CLASSES and find_rule(type(case.make())) is None


def outcome(case: Case) -> str:
    """Returns the error of a case, or nothing."""
    net = case.make().double()
    input = cast(case.input(np.random.default_rng(0)), np.float64)
    try:
        isSingle = any(array.dtype == np.float32 for array in (net.parameters() or ([],))[0])  # inside nn.DontCast
        return converted(net, two(net, input), 1e-6 if isSingle or "UpSampling" in type(net).__name__ else 1e-9)
    except NoRule as error:
        return refused(error)
    except Exception as error:
        return f"{type(error).__name__}: {error}"


@rows("name, case", TRIED)
def test_case(name: str, case: Case) -> None:
    if is_new(name, case):
        pytest.skip("a layer of ours that has no rule")
    what = outcome(case)
    assert not what, what
