"""Threshold at its edge, where central differences cannot look."""

import numpy as np

from pytorch_legacy import nn


def test_what_equals_the_threshold_is_replaced_and_has_no_gradient() -> None:
    module = nn.Threshold(0.5, -2).double()
    x = np.array([0.5, np.nextafter(0.5, 1), np.nextafter(0.5, 0), np.nan])
    np.testing.assert_array_equal(module.forward(x), [-2, x[1], -2, np.nan])
    np.testing.assert_array_equal(module.backward(x, np.full(4, 3.0)), [0, 3, 0, 3])
