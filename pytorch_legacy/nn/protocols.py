"""Types of passes: ``forward`` has the result type of the class's ``updateOutput``, ``backward`` that of ``updateGradInput``.

Type checkers bind ``self`` to one of these protocols. So ``nn.Linear(3, 2).forward(x)`` is known to be an array, and
``nn.SplitTable(0).forward(x)`` a list, though ``Module`` alone defines ``forward``.
"""

from typing import Any, Protocol, TypeVar

R_co = TypeVar("R_co", covariant=True)


class _Guarded(Protocol):
    _inPass: bool

    def _asArrays(self, name: str, value: Any) -> Any: ...


class HasOutput(_Guarded, Protocol[R_co]):
    """A module whose output has the type R."""

    def updateOutput(self, input: Any, /) -> R_co: ...


class HasGradient(_Guarded, Protocol[R_co]):
    """A module whose gradient of the input has the type R."""

    gradInput: Any

    def updateGradInput(self, input: Any, gradOutput: Any, /) -> R_co: ...

    def accGradParameters(self, input: Any, gradOutput: Any, scale: float = ..., /) -> None: ...


class HasLoss(_Guarded, Protocol[R_co]):
    """A criterion whose loss has the type R: a float, but for classes of one's own."""

    def updateOutput(self, input: Any, target: Any, /) -> R_co: ...


class HasLossGradient(_Guarded, Protocol[R_co]):
    """A criterion whose gradient of the input has the type R."""

    def updateGradInput(self, input: Any, target: Any, /) -> R_co: ...
