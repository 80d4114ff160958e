"""The OneHot of char-rnn."""

from typing import Any

from pytorch_legacy import nn
from pytorch_legacy.arrays import Tensor
from pytorch_legacy.files.form import Form


class OneHot(nn.OneHot):
    """Turns each index into a vector that is 1 at that index and 0 elsewhere, as nn.OneHot does.

    Notes
    -----
    The indices count from 0 here; char-rnn counted from 1. There is nothing to learn before it, and its ``gradInput``
    stays empty. Source: char-rnn ``util/OneHot.lua``, whose class has no package in front of its name.

    Examples
    --------
    >>> authors.OneHot(3).forward(np.array([2, 0]))  # 3 and 1 in Lua
    array([[0., 0., 1.],
           [1., 0., 0.]], dtype=float32)
    """

    _typename = "OneHot"
    _file = Form(dropped=("_eye",))

    def updateGradInput(self, input: Any, gradOutput: Any = None) -> Tensor:
        gradInput: Tensor = self.gradInput
        return gradInput
