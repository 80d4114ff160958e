"""Lua functions that a file has in the place of methods.

An object of Torch7 is a table, and a function in it goes before the method of its class: ``layer.accGradParameters =
function() end`` was the way to freeze a layer. Such a function cannot run here, but one whose bytecode does nothing
(`t7.bytecode`) need not: a `LuaMethod` stands for it, as an attribute of the module. All others are kept for saving, and the
method of the class runs.
"""

from __future__ import annotations

from typing import Any

from pytorch_legacy.files import t7
from pytorch_legacy.files.t7.bytecode import OTHER, returned

# Methods whose result no caller uses: functions in their place may return anything.
_SILENT = frozenset((
    "accGradParameters", "accUpdateGradParameters", "defaultAccUpdateGradParameters", "sharedAccUpdateGradParameters",
    "zeroGradParameters", "updateParameters", "reset", "training", "evaluate", "clearState",
))  # fmt: skip
_FORWARD = frozenset(("updateOutput", "forward"))
_BACKWARD = frozenset(("updateGradInput", "backward"))
_PASSES = _FORWARD | _BACKWARD
_KNOWN = _SILENT | _PASSES | {"parameters", "type"}


class LuaMethod:
    """A Lua function that does nothing, in the place of a method: calls return what it returned.

    ``del module.accGradParameters`` takes it away: the method of the class is there again.
    """

    __slots__ = ("function", "owner")

    def __init__(self, owner: Any, function: t7.Function) -> None:
        self.owner, self.function = owner, function

    def __call__(self, *arguments: Any, **keywords: Any) -> Any:
        given = [self.owner, *arguments, *keywords.values()]
        values = [self._value(value, given) for value in returned(self.function.bytecode) or ()]
        return tuple(values) if len(values) > 1 else values[0] if values else None

    @staticmethod
    def _value(value: Any, given: list[Any]) -> Any:
        if isinstance(value, int):
            return given[value] if value < len(given) else None
        return [] if value == [] else None

    def __repr__(self) -> str:
        return "<a Lua function that does nothing>"


class ScriptMethod:
    """The base of functions of a script that stand in objects in the place of methods: no file takes them."""

    __slots__ = ()


def stand_in(owner: Any, name: str, function: t7.Function) -> LuaMethod | None:
    """Returns the stand-in for a function that replaces method `name` of `owner`; None if the method of the class has to run."""
    values = returned(function.bytecode)
    if values is None:
        return None
    if name == "parameters":
        stands = values in ((), (None,), (None, None), ([], []))
    elif name == "type":
        stands = values == (0,)
    elif name in _PASSES:
        stands = OTHER not in values and (any(isinstance(value, int) and value for value in values) or name in _BACKWARD)
    else:
        stands = name in _SILENT
    return LuaMethod(owner, function) if stands else None


def effect(owner: Any, name: str) -> str:
    """Returns the effect of a function that replaces a method, in words that follow its name."""
    if not isinstance(vars(owner).get(name), LuaMethod):
        return f"a Lua function, which cannot run here: that of {owner._typename} runs instead"
    if name in _PASSES:
        return "a Lua function that computes nothing, and neither does the method here"
    if _isPassedBy(owner, name):
        return "a Lua function that does nothing, but backward asks the modules inside, as in Torch7: they are not frozen"
    frozen = ": the layer is frozen" if name == "accGradParameters" else ""
    return f"a Lua function that does nothing, and neither does the method here{frozen}"


def warns(owner: Any, name: str) -> bool:
    """Returns True if the user of the module has to know about a function that replaces the method `name`."""
    if isinstance(vars(owner).get(name), LuaMethod):
        return name in _PASSES or _isPassedBy(owner, name)
    return name in _KNOWN and name not in owner._form.luaMethods


def _isPassedBy(owner: Any, name: str) -> bool:
    """Containers go backward with the ``backward`` of the modules inside: their own accGradParameters is not asked."""
    isContainer = isinstance(vars(owner).get("modules"), list)
    return name == "accGradParameters" and isContainer and type(owner).backward.__qualname__ != "Module.backward"
