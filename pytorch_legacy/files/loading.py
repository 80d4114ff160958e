"""From .t7 files to modules."""

from __future__ import annotations

import os
import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from pytorch_legacy.errors import FieldError, T7Error, T7Warning
from pytorch_legacy.files.classes import find_class, is_registered, namesakes, script_factory, unknown
from pytorch_legacy.files.stored import Stored

from . import fields, lua, t7
from . import migration as migration


class Factory:
    """Makes modules while a file is read; the protocol is that of ``pytorch_legacy.files.t7``."""

    # These are data, not modules: they keep the plain form that the format gives them.
    PLAIN = ("torch.", "tds.")
    MOST_TOLD = 5

    def __init__(self) -> None:
        self.counted: dict[Any, Any] = {}  # storages of what modules count from 1 in files
        self.containers: list[Stored] = []
        self.incomplete: list[tuple[Stored, str]] = []  # objects without a gradInput, and where they are
        self.replaced: list[str] = []  # remarks on functions that replace methods
        self.untold = 0
        self.typenames: set[str] = set()  # the typenames of all objects in the file
        self.ambiguous: list[tuple[Stored, str, list[type[Stored]]]] = []  # objects, their places, the classes they may be of
        self.assumed: dict[str, str] = {}  # the class that was chosen without evidence, by typename: the warning

    def create(self, typename: str, version: int) -> Any | None:
        if typename.startswith(self.PLAIN) and not is_registered(typename):
            return None
        self.typenames.add(typename)
        cls = self.find(typename)
        if cls is None:
            return unknown(typename)
        instance = cls.__new__(cls)
        if is_registered(typename) and typename != cls._typename:
            instance._typename = typename
        return instance

    def find(self, typename: str, fields: Any = None) -> type[Stored] | None:
        """Returns the class for a typename, as `find_class` does."""
        return find_class(typename, fields)

    def fill(self, instance: Stored, record: t7.TorchObject, path: t7.Path) -> None:
        known = record.fields
        cls = self.find(record.typename, known)
        if cls is None and instance._knowsFields:  # a class of this name is known, but the fields are those of another one
            cls = type(stranger := unknown(record.typename))
            vars(instance).update(vars(stranger))
        if cls is not None and cls is not type(instance):
            instance.__class__ = cls  # it was made before the fields were known
        if found := namesakes(record.typename, known):
            self.ambiguous.append((instance, str(path), found))
        isKnown = instance._knowsFields
        if isKnown and not isinstance(known, dict):
            raise T7Error(f"expected the table of fields of a {record.typename}, got {type(known).__name__}")
        try:
            if isKnown:
                known = fields.present(instance, known)
            instance._fromTorch7(known, record.version)
            instance._countFromZero(self.counted)
            if isKnown:
                fields.check_kinds(instance)  # again: what methods made of them, too
                fields.gradients(instance)
                fields.tell(instance)
            migration.locate(path)
        except T7Error:
            raise
        except FieldError as error:
            raise T7Error(f"field {error} (in a {record.typename})") from error
        except MemoryError as error:
            raise T7Error(f"there is not enough memory for the fields of a {record.typename}") from error
        except (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError) as error:
            raise T7Error(f"these are not the fields of a {record.typename}: {error!r:.200}") from error
        instance._remember(record)
        own = vars(instance)
        if own.get("modules"):
            self.containers.append(instance)
        if own.get("gradInput", instance) is None:
            self.incomplete.append((instance, migration.text(path)))
        if isKnown and t7.Function in map(type, known.values()):
            for name, value in known.items():
                if type(value) is t7.Function and isinstance(name, str) and lua.warns(instance, name):
                    self._tell(instance, name, path)

    def _tell(self, instance: Stored, name: str, path: t7.Path) -> None:
        if len(self.replaced) < self.MOST_TOLD:
            self.replaced.append(f"{path}, a {instance._typename}: {name} is {lua.effect(instance, name)}")
        else:
            self.untold += 1

    def complete(self) -> None:
        """Finishes the objects after the whole file was read."""
        self._choose()
        self._makeGradInputs()

    def _choose(self) -> None:
        """Chooses the class of objects whose fields do not show it, by the other objects in the file.

        If these do not show it either, the first class stays, and the warning names both.
        """
        for instance, place, found in self.ambiguous:
            shown = [cls for cls in found if self.typenames.intersection(cls._companions)]
            if len(shown) == 1:
                instance.__class__ = shown[0]
            elif instance._typename not in self.assumed:
                self.assumed[instance._typename] = _choice(instance._typename, place, type(instance), found)

    def _makeGradInputs(self) -> None:
        """Makes a gradInput for networks without any, as they were saved to be small.

        A module that lacks it alone is left without: so Torch7's users said that it need not be computed, in the first layer.
        """
        places = {id(instance): place for instance, place in self.incomplete}
        waiting: list[Any] = []
        for container in self.containers:
            children = [child for child in getattr(container, "modules", None) or () if isinstance(child, Stored)]
            company = children if len(set(map(id, children))) > 1 else [container, *children]
            if all(id(module) in places for module in company):
                waiting += company
            waiting.append(container)
        while waiting:
            instance = waiting.pop()
            if (place := places.pop(id(instance), None)) is not None:
                instance.__dict__["gradInput"] = np.empty(0, instance._dtype)
                migration.note(instance, "gradInput", "missing: empty", place)
                waiting += [value for value in vars(instance).values() if isinstance(value, Stored)]

    def warning(self) -> str:
        """Returns the warning for the owner of the file, "" if there is none."""
        more = f"\n  and {self.untold} more" if self.untold else ""
        lines = "".join(f"\n  {line}" for line in self.replaced)
        head = "functions of Lua stand in the place of methods (`pytorch-legacy inspect` lists all):"
        return "\n".join([*self.assumed.values(), *([f"{head}{lines}{more}"] if lines else [])])


def _choice(typename: str, place: str, chosen: type[Stored], found: list[type[Stored]]) -> str:
    """Returns the warning that a class was chosen among several that the file does not tell apart."""
    package = chosen.__module__.split(".")[1]
    names = {cls: f"pl.{package}.{cls.__name__}" for cls in found}
    others = " or ".join(f'pl.register("{typename}")({names[cls]})' for cls in found if cls is not chosen)
    summaries = "".join(f"\n  {names[cls]}: {(cls.__doc__ or '').splitlines()[0]}" for cls in found)
    return (
        f"{place}: {typename} is the name of {len(found)} classes, and the file does not show which one it is; "
        f"{names[chosen]} was taken. If that is wrong, call {others} and load the file again:{summaries}"
    )


def load(
    path: t7.reader.Readable,
    *,
    format: t7.reader.Format = "auto",
    longSize: t7.reader.LongSize = "auto",
    objects: t7.reader.Objects = "one",
    mmap: t7.reader.Mapping = "auto",
    lua: Sequence[str | os.PathLike[str]] = (),
) -> Any:
    """Load what ``torch.save`` of Torch7 wrote.

    Modules and criterions become objects of ``pytorch_legacy.nn``, ready to run. Lua arrays become lists, other tables
    dicts, tensors NumPy arrays (those of a GPU too), strings str, numbers int or float. What counts from 1 inside
    modules counts from 0 afterwards; numbers in tables and tensors are left as they are.

    The file is mapped, not copied: arrays are views of it until you write to them, and the file never changes. Somebody else
    may change it, though: see `mmap`.

    A Lua function that stands in an object in the place of a method goes before it, as in Torch7, if it does nothing: a layer
    with an empty ``accGradParameters`` is frozen, until ``del layer.accGradParameters``. Others cannot run: the method of
    the class does, and the function is kept for saving. What that changes in a pass or in training is a `T7Warning`.

    Parameters
    ----------
    path : path, bytes or binary file
        The .t7 file, binary or ASCII.
    format : {"auto", "binary", "ascii"}
        "auto" looks at the first bytes.
    longSize : {"auto", 4, 8}
        Bytes of a long integer in the file: 8, or 4 from 32-bit machines and Windows. "auto" tries both.
    objects : {"one", "first", "all"}
        For files that several objects were written to: "one" takes whatever follows the first object for an error,
        "first" passes it over, as Torch7's ``torch.load`` did, "all" returns a list of all.
    mmap : {"auto", True, False}
        "auto" maps a large file that only its owner (this user, or root) may write, and reads others. If a mapped file is
        overwritten in place, values that were not yet looked at may change; if it is shortened, this process ends when it
        looks at them (SIGBUS). Replacing a file, as `save` does, harms nothing. False reads the whole file.
    lua : sequence of path-like, default: ()
        Lua files with classes of the model's author. They are run first, in one session with ``nn``, and objects of these classes
        compute what the files say. A class of theirs comes before ours of that name. The session is a sandbox: it reaches no file
        but Lua files of the folders of these, and no process.

    Returns
    -------
    object
        An object of an unknown class is an ``nn.Unknown`` that keeps its fields and says what is missing when it runs.

    Raises
    ------
    T7Error
        The file is broken or is no .t7 file: one message with offset and path of the object.
    """
    factory = script_factory(lua) if lua else Factory()
    value = t7.read(path, format=format, longSize=longSize, objects=objects, mmap=mmap, objectFactory=factory)
    factory.complete()
    if text := factory.warning():
        warnings.warn(text, T7Warning, stacklevel=2)
    return value
