"""A module around another one."""

from collections.abc import Callable
from typing import Any

from pytorch_legacy.errors import FieldError
from pytorch_legacy.nn.Container import Container
from pytorch_legacy.nn.Module import Module


class Decorator(Container):
    """A container of one module, which its passes call. Classes that add something to any module derive from this class::

        output    = module(input)
        gradInput = module.gradInput

    Parameters
    ----------
    module : Module

    Notes
    -----
    ``output`` and ``gradInput`` are the module's own, not copies. Source: Torch7 nn.Decorator.

    Examples
    --------
    >>> layer = nn.Decorator(nn.Square())
    >>> layer.forward(np.float32([1, 2, 3]))
    array([1., 4., 9.], dtype=float32)
    >>> layer
    nn.Decorator @ nn.Square
    """

    def __init__(self, module: Module) -> None:
        super().__init__()
        self.modules.append(module)
        self.output, self.gradInput = module.output, module.gradInput

    @staticmethod
    def decorate(cls: type[Container]) -> None:
        """Adds to another class of containers the methods that pass everything to ``modules[0]``."""
        for name in ("updateOutput", "updateGradInput", "accGradParameters", "accUpdateGradParameters", "route", "_inner"):
            setattr(cls, name, Decorator.__dict__[name])

    def updateOutput(self, input: Any) -> Any:
        self.output = self._inner("updateOutput", input)
        return self.output

    def route(self, run: Callable[[Module, Any], Any], input: Any) -> Any:
        return run(self.modules[0], input)

    def updateGradInput(self, input: Any, gradOutput: Any = None) -> Any:
        self.gradInput = self._inner("updateGradInput", input, gradOutput)
        return self.gradInput

    def accGradParameters(self, input: Any, gradOutput: Any = None, scale: float = 1.0) -> None:
        self._inner("accGradParameters", input, gradOutput, scale)

    def accUpdateGradParameters(self, input: Any, gradOutput: Any, lr: float) -> None:
        self._inner("accUpdateGradParameters", input, gradOutput, lr)

    def _inner(self, method: str, *arguments: Any) -> Any:
        """Calls a method of the module; an error says that it came from within."""
        if not self.modules:
            raise FieldError(f"{self._typename}: there is no module in it")
        return self._forEachChild(lambda _, module: getattr(module, method)(*arguments), guarded=True)[0]

    def __repr__(self) -> str:
        return f"{self._typename} @ {self.modules[0]!r}"
