"""A rule writes a class: rules are registered by class, and found through the classes that it derives from.

The rules stand in ``rules/``, which registers them when it is imported: `find_rule` is imported from there.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from pytorch_legacy.errors import THNNError, UnsupportedError, ValueRangeError
from pytorch_legacy.nn.Container import Container

if TYPE_CHECKING:
    from .writer import Writer

Rule = Callable[[Any, Any, "Writer"], Any]
RULES: dict[type, Rule] = {}
ADVICE = "convert the parts around it one by one, and write this one yourself"


class NoRule(UnsupportedError):
    """A class, or what it does with this input, that the bridge cannot write."""


class Differs(ValueRangeError):
    """The written module computes other numbers than the network."""


def rule(*classes: type) -> Callable[[Rule], Rule]:
    """Decorator: the function writes these classes, and those derived from them that have no rule of their own."""

    def register(function: Rule) -> Rule:
        for cls in classes:
            if not isinstance(cls, type) or cls in RULES:
                raise THNNError(f"{cls}: no class, or one that has a rule")
            RULES[cls] = function
        return function

    return register


def find_rule(cls: type) -> Rule | None:
    """Returns the rule of a class: its own, or that of the nearest base that has one."""
    found = next((base for base in cls.__mro__ if base in RULES), None)
    if found is None or (found is Container and not cls.definesRoute()):  # type: ignore[attr-defined]
        return None
    return RULES[found]
