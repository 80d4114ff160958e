"""Classes of the package: the names that ``help`` and ``dir`` list, and what is remembered of a class."""

from abc import ABCMeta
from collections.abc import Callable, Iterable
from functools import wraps
from typing import Any
from weakref import WeakKeyDictionary


def by_class(function: Callable[..., Any]) -> Any:
    """Decorates a function of a class, and perhaps of names, whose results are remembered as long as the class is there.

    Programs of Lua make classes of their own, which end with them. ``cache_clear()`` forgets all results.
    """
    results: WeakKeyDictionary[Any, dict[Any, Any]] = WeakKeyDictionary()

    @wraps(function)
    def remembered(cls: Any, *arguments: Any) -> Any:
        own = results.get(cls)
        if own is None:
            own = results[cls] = {}
        if arguments not in own:
            own[arguments] = function(cls, *arguments)
        return own[arguments]

    remembered.cache_clear = results.clear  # type: ignore[attr-defined]
    return remembered


class Listed(ABCMeta):
    """The class of classes with many inherited methods.

    A base that has ``_everyday``, a tuple of names, lists its other names in its own help alone. So ``help(nn.Linear)`` has what
    nn.Linear adds and what everybody needs, and ``help(nn.Module)`` has all methods of modules. The bases of NumPy are left out.
    Only the lists of classes change: ``dir(nn.Linear(3, 2))`` has all names.

    It derives from ABCMeta so that a class of one's own may have abstract methods.
    """

    def __dir__(cls) -> Iterable[str]:
        names = set(super().__dir__())
        shown: set[str] = set()
        for base in cls.__mro__:
            # For an array `help` would print the documentation of its class; the docstring of the owning class describes the
            # array.
            own = {name for name, value in vars(base).items() if not hasattr(value, "__array_interface__")}
            everyday = vars(base).get("_everyday", () if base.__module__ == "numpy" else None)
            shown |= own & names if everyday is None or base is cls else own & names & {*everyday}
            names -= vars(base).keys()
        return shown - {"__abstractmethods__", "__annotations__"}

    # The checks of ABCMeta look for registered classes, which takes several times as long.
    __instancecheck__ = type.__instancecheck__  # type: ignore[assignment]
    __subclasscheck__ = type.__subclasscheck__  # type: ignore[assignment]
