"""A part of a network that is not trained."""

from typing import Any

from pytorch_legacy.files.form import Form
from pytorch_legacy.nn.decorator.Decorator import Decorator


class NoBackprop(Decorator):
    """Runs its module forward; no gradient goes into it, and that of the input is zero.

    Parameters
    ----------
    inner : Module

    Notes
    -----
    Source: multipathnet ``NoBackprop``.

    Examples
    --------
    >>> layer, x = authors.NoBackprop(nn.Square()), np.float32([1, 2])
    >>> layer.forward(x)
    array([1., 4.], dtype=float32)
    >>> layer.backward(x, np.float32([1, 1]))
    array([0., 0.], dtype=float32)
    """

    # The first files have the module in a field of its own.
    _file = Form(
        version=2,
        dropped=("inner",),
        outdated=("inner",),
        defaults={"modules": lambda fields: [fields["inner"]]},
        kinds={"inner": "a module"},
    )

    def updateGradInput(self, input: Any, gradOutput: Any = None) -> Any:
        return self._zeros("gradInput", input)

    def accGradParameters(self, input: Any, gradOutput: Any = None, scale: float = 1.0) -> None:
        pass

    def accUpdateGradParameters(self, input: Any, gradOutput: Any, lr: float) -> None:
        pass

    def __repr__(self) -> str:
        return f"NoBackprop: {self.modules[0]!r}"
