"""``torch.class`` for classes with a parent of this package, and what Torch7 says about the classes of objects.

A class whose parent is a class of Python is one itself, derived from it, with the script's methods. Other classes are metatables
(`tensors.registry`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..language.arguments import MISSING, string
from ..language.errors import raise_error
from ..language.table import TABLES, Table, rawset
from ..tensors.registry import is_match, namespace
from .border import Border, Object
from .classes import Class


class Definitions:
    """The classes that the scripts of a session derive from ours.

    Parameters
    ----------
    border : Border
        The session's.
    torch : Table
        The package ``torch``, whose functions are for tables and tensors. It gets those of `library`.
    """

    def __init__(self, border: Border, torch: Table) -> None:
        self.border = border
        self._torch: dict[str, Callable[..., Any]] = {**torch.__dict__}
        self._classes: dict[str, Class] = {}

    def find(self, name: str) -> Any:
        """Returns the class of Python that a script has defined under a name, or None."""
        found = self._classes.get(name)
        return None if found is None else self.border.classes.session_class(found.python)

    def library(self) -> dict[str, Any]:
        """Returns functions for the table ``torch``."""
        plain = self._torch

        def class_(name: Any = MISSING, *rest: Any) -> Any:
            parent = next((found for one in rest if (found := self._named(one)) is not None), None)
            if parent is None:
                if name in self._classes:
                    return self._classes[name].table
                return plain["class"](name, *rest)
            return self._define(string(name, 1, "class"), parent, rest)

        def typename(value: Any = None, *_: Any) -> Any:
            return value.python._typename if isinstance(value, Object) else plain["typename"](value)

        def type_(value: Any = None, *_: Any) -> Any:
            return value.python._typename if isinstance(value, Object) else plain["type"](value)

        def getmetatable(name: Any = MISSING, *_: Any) -> Any:
            found = self._named(string(name, 1, "getmetatable"))
            return plain["getmetatable"](name) if found is None else found.table

        def isTypeOf(value: Any = None, wanted: Any = None, *_: Any) -> bool:
            cls = None if wanted.__class__ is str else self._named(wanted)
            if not isinstance(value, Object):
                return cls is None and plain["isTypeOf"](value, wanted)
            if cls is not None:
                return isinstance(value.python, cls.python)
            names = (vars(base).get("_typename") for base in type(value.python).__mro__)
            return wanted.__class__ is str and any(name is not None and is_match(name, wanted) for name in names)

        def factory(name: Any = MISSING, *_: Any) -> Any:
            found = self._named(string(name, 1, "factory"))
            return plain["factory"](name) if found is None else lambda *_: self._empty(found)

        def pointer(value: Any = MISSING, *_: Any) -> float:
            return float(id(value.python)) if isinstance(value, Object) else plain["pointer"](value)

        found = {"class": class_, "typename": typename, "type": type_, "getmetatable": getmetatable, "isTypeOf": isTypeOf}
        return {**found, "factory": factory, "pointer": pointer}

    def _named(self, value: Any) -> Class | None:
        """Returns the class that a name or a table stands for, if it is one of Python."""
        if value.__class__ is str:
            found = self._classes.get(value)
            return found if found is not None else self.border.packages.named(value)
        return self.border.classes.with_table(value)

    def _define(self, name: str, parent: Class, rest: tuple[Any, ...]) -> Any:
        if name in self._classes:
            raise_error(f"class {name} has been already assigned a parent class")
        modules = [one for one in rest if one.__class__ in TABLES and self._named(one) is None]
        place, short = (modules[0], name.rpartition(".")[2]) if modules else namespace(self.border.state, name)
        found = self._classes[name] = self.border.classes.derive(name, parent)
        rawset(place, short, found.table)
        return found.table, parent.table

    def _empty(self, found: Class) -> Any:
        """Returns an object of a class without calling its constructor."""
        python = self.border.classes.session_class(found.python)
        return self.border.object(python.__new__(python))
