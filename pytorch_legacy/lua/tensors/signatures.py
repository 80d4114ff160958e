"""Functions that are called in several ways: with a result or without one, as a function or as a method.

A signature is a list of words, one a parameter:

==========  =========================================================================================
``T``       a tensor of the class that the call is about
``L B I``   a LongTensor, ByteTensor, IntTensor
``X``       a tensor of any class
``n b s``   a number, boolean, string
``S``       a LongStorage
``f``       a function
``g``       a generator, which may be left out
``*T``      a result, which may be left out
``T=``      the first operand. In ``x:name(...)`` it is x if it is left out, and x is the result
``n?``      a parameter that may be left out: None then. ``n=2`` has the default 2
==========  =========================================================================================

A call is resolved once for each combination of classes of its arguments. The function gets them in the order of the signature.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from types import FunctionType
from typing import Any, NamedTuple

from ..language.arguments import MISSING
from ..language.errors import raise_error, type_name
from .tensor import DTYPES, Storage, Tensor, Types

_KINDS = {"L": "Long", "B": "Byte", "I": "Int"}
_NAMES = {"n": "number", "b": "boolean", "s": "string", "S": "LongStorage", "f": "function", "g": "Generator", "X": "Tensor"}
_PLAIN = {"n": float, "b": bool, "s": str, "f": FunctionType}


class Word(NamedTuple):
    """A parameter of a signature.

    Attributes
    ----------
    kind : str
        The letter.
    isResult, isOperand, isOptional : bool
        The marks ``*``, ``=`` without a value, and one of ``?`` and ``=`` with a value.
    default : object
        Of an optional parameter.
    """

    kind: str
    isResult: bool
    isOperand: bool
    isOptional: bool
    default: Any


def _word(text: str) -> Word:
    kind, mark, default = text.lstrip("*")[0], *text.lstrip("*")[1:].partition("=")[1:]
    isResult, isOptional = text[0] == "*", text.endswith("?") or bool(default)
    value: Any = None
    if default:
        value = default == "true" if kind == "b" else default if kind == "s" else float(default)
    return Word(kind, isResult, bool(mark) and not default, isOptional or isResult or kind == "g", value)


class Form(NamedTuple):
    """A signature and the function that it belongs to."""

    words: tuple[Word, ...]
    function: Callable[..., Any]

    @property
    def isInPlace(self) -> bool:
        """True if ``x:name(...)`` changes x."""
        return any(word.isOperand for word in self.words)

    def described(self, kind: type[Tensor]) -> str:
        """Returns the signature as messages of Torch7 have it."""
        own = kind.name.removeprefix("torch.")
        found = []
        for word in self.words:
            name = own if word.kind == "T" else f"{_KINDS[word.kind]}Tensor" if word.kind in _KINDS else _NAMES[word.kind]
            if word.isResult:
                name = f"*{name}*"
            found.append(f"[{name}]" if word.isOptional or word.isOperand else name)
        return " ".join(found)


def forms(*pairs: Any) -> tuple[Form, ...]:
    """Returns the forms of signatures and functions, which take turns."""
    return tuple(
        Form(tuple(_word(text) for text in signature.split()), function)
        for signature, function in zip(pairs[::2], pairs[1::2], strict=True)
    )


def _fits(word: Word, value: Any, kind: type[Tensor]) -> bool:
    if word.kind == "T":
        return value.__class__ is kind
    if word.kind in _KINDS:
        return isinstance(value, Tensor) and value.dtype == DTYPES[_KINDS[word.kind]]
    if word.kind == "X":
        return isinstance(value, Tensor)
    if word.kind == "S":
        return isinstance(value, Storage) and value.dtype == DTYPES["Long"]
    if word.kind == "g":
        return type(value).__name__ == "Generator"
    return value.__class__ is _PLAIN[word.kind]


_SELF, _DEFAULT = -1, -2


def _matches(form: Form, arguments: tuple[Any, ...], kind: type[Tensor], isMethod: bool) -> list[int] | None:
    """Returns the numbers of the arguments for each word, None if the call does not fit."""
    words = form.words
    isMethod = isMethod and form.isInPlace

    def search(i: int, j: int) -> Iterator[list[int]]:
        if i == len(words):
            if j == len(arguments):
                yield []
            return
        word = words[i]
        if j < len(arguments) and (_fits(word, arguments[j], kind) or (word.isOptional and arguments[j] is None)):
            number = _DEFAULT if arguments[j] is None else j
            yield from ([number, *rest] for rest in search(i + 1, j + 1))
        if word.isOperand and isMethod:
            yield from ([_SELF, *rest] for rest in search(i + 1, j))
        elif word.isOptional and not (word.isResult and isMethod and i == 0):
            yield from ([_DEFAULT, *rest] for rest in search(i + 1, j))

    return next(search(0, 0), None)


def _bound(form: Form, order: list[int], count: int) -> Callable[..., Any]:
    """Returns a function that calls the form's with its arguments in the form's own order."""
    names = [f"a{i}" for i in range(count)]
    space: dict[str, Any] = {"f": form.function}
    passed: list[str] = []
    for word, number in zip(form.words, order, strict=True):
        if number == _DEFAULT:
            space[name := f"d{len(passed)}"] = word.default
            passed.append(name)
        else:
            passed.append(names[0 if number == _SELF else number])
    bound: Callable[..., Any] = eval(f"lambda {', '.join(names)}: f({', '.join(passed)})", space)
    return bound


def _resolve(name: str, own: tuple[Form, ...], arguments: tuple[Any, ...], default: type[Tensor], isMethod: bool) -> Any:
    """Returns the function for a call; it takes two arguments at least."""
    given = arguments
    while given and given[-1] is None:
        given = given[:-1]
    kinds = [value.__class__ for value in given if isinstance(value, Tensor)] or [default]
    for kind in dict.fromkeys(kinds):
        for form in own:
            order = _matches(form, given, kind, isMethod)
            if order is not None:
                return _bound(form, order, max(2, len(arguments)))
    got = " ".join(described(value) for value in given)
    expected = " | ".join(form.described(kinds[0]) for form in own)
    raise_error(f"invalid arguments: {got}\nexpected arguments of {name}: {expected}")


def described(value: Any) -> str:
    """Returns the name of a value's type as messages have it."""
    if isinstance(value, (Tensor, Storage)):
        return value.name.removeprefix("torch.")
    return type_name(value)


def shown(value: Any) -> str:
    """Returns a string in quotes, and the name of the type of any other value, as messages have them."""
    return f"'{value}'" if value.__class__ is str else described(value)


def _given(*arguments: Any) -> tuple[Any, ...]:
    return tuple(value for value in arguments if value is not MISSING)


def in_place(compute: Any, general: Any) -> Any:
    """Returns the function that ``x:name(y)`` calls, with a short way for two tensors of one class that have one shape.

    Two arrays of as many elements that fit each other have them in one order.

    Parameters
    ----------
    compute : callable
        ``compute(x, y, result)`` of arrays.
    general : callable
        The function for all other calls.
    """

    def called(x: Any = MISSING, y: Any = MISSING, *rest: Any) -> Any:
        if y.__class__ is x.__class__ and isinstance(x, Tensor) and not rest:
            try:
                a, b = x.array, y.array
                if a.size == b.size:
                    compute(a, b, a)
                    return x
            except (AttributeError, ValueError):
                pass
        return general(x, y, *rest)

    return called


def method(name: str, own: tuple[Form, ...]) -> Any:
    """Returns the function that ``x:name(...)`` calls in a session."""
    plans: dict[Any, Any] = {}

    def called(x: Any = MISSING, a: Any = MISSING, *rest: Any) -> Any:
        key = (x.__class__, a.__class__, *map(type, rest)) if rest else (x.__class__, a.__class__)
        plan = plans.get(key)
        if plan is None:
            arguments = _given(x, a, *rest)
            plan = plans[key] = _resolve(name, own, arguments, _first_class(name, arguments), True)
        return plan(x, a, *rest) if rest else plan(x, a)

    return called


def function(name: str, own: tuple[Form, ...], types: Types) -> Any:
    """Returns the function that ``torch.name(...)`` calls in a session."""
    plans: dict[Any, Any] = {}

    def called(x: Any = MISSING, a: Any = MISSING, *rest: Any) -> Any:
        key = (types.default, x.__class__, a.__class__, *map(type, rest))
        plan = plans.get(key)
        if plan is None:
            plan = plans[key] = _resolve(name, own, _given(x, a, *rest), types.default, False)
        return plan(x, a, *rest)

    return called


def _first_class(name: str, arguments: tuple[Any, ...]) -> type[Tensor]:
    if not arguments or not isinstance(arguments[0], Tensor):
        got = described(arguments[0]) if arguments else "no value"
        raise_error(f"bad argument #1 to '{name}' (Tensor expected, got {got})")
    return arguments[0].__class__
