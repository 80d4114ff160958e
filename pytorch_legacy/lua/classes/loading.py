"""Objects of .t7 files whose classes are defined in Lua."""

from __future__ import annotations

from typing import Any

from pytorch_legacy.files.loading import Factory
from pytorch_legacy.files.stored import Stored

from .border import Border


class ScriptFactory(Factory):
    """Makes the objects of a file: of the classes that scripts define, then of ours.

    Parameters
    ----------
    border : Border
        That of the session with the scripts.
    isOfLua : bool
        True if a script gets the objects: those of its plain classes are tables then, which the caller makes.
    """

    def __init__(self, border: Border, isOfLua: bool = False) -> None:
        super().__init__()
        self.border, self.isOfLua = border, isOfLua

    def create(self, typename: str, version: int) -> Any | None:
        isPlain = typename in self.border.state.types.registry.__dict__
        if self.isOfLua and isPlain and self.border.definitions.find(typename) is None:
            return None
        return super().create(typename, version)

    def find(self, typename: str, fields: Any = None) -> type[Stored] | None:
        """Returns the class of a script, or ours with the methods that scripts have replaced."""
        found = self.border.definitions.find(typename)
        if found is None and (ours := super().find(typename, fields)) is not None:
            found = self.border.classes.session_class(ours)
        return found
