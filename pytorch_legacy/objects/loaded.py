"""Errors of objects from files whose fields, each of its kind, do not fit each other: a weight that is missing, a bias too short.

What a file holds is compared with the kinds of the class when it is read. What its fields have to do with each other shows when a
method runs: an error of Python's own that a class of this package raises then becomes a `FieldError` that names the object.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from pytorch_legacy.errors import TOO_DEEP, FieldError, THNNError, UnsupportedError
from pytorch_legacy.files.form import GRADIENTS
from pytorch_legacy.messages import described

RAW = (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError)

# Methods that have no check of their own, and run seldom enough to be wrapped.
METHODS = ("reset", "type", "clearState", "accUpdateGradParameters", "getParameters", "zeroGradParameters", "updateParameters")


def explain(thing: Any, error: BaseException) -> None:
    """Raises a `FieldError` for an error of Python's own that a method of `thing`, which came from a file, raised.

    It returns if `error` says enough, or if a class of somebody else raised it.
    """
    if isinstance(error, THNNError) or not thing._fileFields:
        return
    if isinstance(error, RecursionError):
        raise UnsupportedError(TOO_DEEP.format(thing._typename)) from None
    inner, module = thing, ""
    trace = error.__traceback__
    while trace is not None:
        found = trace.tb_frame.f_locals.get("self")
        inner = found if hasattr(type(found), "_form") else inner
        module = trace.tb_frame.f_globals.get("__name__", "")
        trace = trace.tb_next
    if not (type(inner).__module__.startswith("pytorch_legacy.") and module.startswith(("pytorch_legacy.", "numpy"))):
        return  # a class of somebody's own, whose error it is
    own = vars(inner)
    shown = [f"{name} is {described(own[name])}" for name in (*GRADIENTS, *GRADIENTS.values()) if name in own]
    places = "".join(f"{place}, " for place in reversed(getattr(error, "__notes__", ())) if place.startswith("in "))
    raise FieldError(
        f"{places}{inner._typename}: expected fields that fit each other, and the input; the file has others "
        f"({', '.join(shown) or 'no parameters'}): {error!r:.200}"
    ) from error


def explaining(method: Callable[..., Any]) -> Callable[..., Any]:
    """The method, whose errors are explained."""

    @wraps(method)
    def explained(self: Any, /, *arguments: Any, **keywords: Any) -> Any:
        try:
            return method(self, *arguments, **keywords)
        except RAW as error:
            explain(self, error)
            raise

    return explained
