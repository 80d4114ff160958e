"""The fields that classes have in .t7 files, from what the classes declare: a page of the site.

python docs/fields.py                        prints the page
python docs/fields.py nn.SpatialConvolution  prints the fields of one class
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Iterator
from types import FunctionType
from typing import Any

from pytorch_legacy.files import fields
from pytorch_legacy.files.classes import classes as all_classes
from pytorch_legacy.files.form import BUFFERS
from pytorch_legacy.nn.Criterion import Criterion
from pytorch_legacy.nn.Module import Module
from pytorch_legacy.objects import Object

INTRODUCTION = """\
# Fields in .t7 files

Made by `python docs/fields.py` from what classes declare (`_file = pl.Form(...)`, [form.py](../pytorch_legacy/files/form.py), and
`_lua = pl.Lua(...)`, [counting.py](../pytorch_legacy/files/counting.py)).
`python docs/fields.py nn.SpatialConvolution` prints the fields of one class, all of them. Here each class has what it adds to, or
says otherwise than, the class that it extends.

The columns are the name of the field in the file, its kind, what it is here if a file lacks it, and what happens to it. A field
of another kind is an error that names it. A field that stands in no table is an attribute of the same name, and is written again.

- *from one*: it counts from 1 in the file and from 0 here.
- *not needed*: it is kept as it came, for saving. Objects that are made here are saved without it.
- *scratch*: not needed either. Torch7's constructor makes it: objects that are made here are saved with an empty one, or with
  what Torch7 has there.
- *known*: the class knows it by itself; what the file says is not looked at. It is written.
- *old name*: a field of old files. It is written under its new name.
- *old*: a field of old files that is in other fields now. It is not written again.
- *lazy*: written once it has elements.
- *ours*: Torch7's class lacks it. It is written where it is not what Torch7 takes for granted.
- *private*: Torch7's class lacks it. It is never written.
- *a method*: a Lua function that Torch7's constructor puts there.

All modules have `output`, `gradInput` (the results of the last pass), `_type` (the tensor type) and `train` (true or false), and
those with parameters `weight`, `bias` and their gradients. Criterions have `output` and `gradInput`.
"""


class Field:
    """One line of a table."""

    def __init__(self, name: str, kind: str, default: str, what: str) -> None:
        self.cells = (f"`{name}`", kind, default, what)

    def line(self) -> str:
        return f"| {' | '.join(self.cells)} |".replace("  ", " ")


def classes() -> dict[str, type[Object]]:
    """All classes by their typenames; where there are several, the first has the name and the others follow it."""
    found: dict[str, type[Object]] = {}
    for cls in all_classes():
        name, count = cls._typename, 1
        while name in found and found[name] is not cls:
            count += 1
            name = f"{cls._typename} ({count})"
        found[name] = cls
    return found


def table(cls: type[Object]) -> dict[str, Field]:
    """The fields of a class by their names in files."""
    form, kinds = cls._form, fields.of(cls)
    attributes = [*annotated(cls), *arguments(cls), *form.defaults, *form.kinds, *form.names()]
    found: dict[str, Field] = {}
    for attribute in dict.fromkeys(attributes):
        name = form.renamed.get(attribute, attribute)
        isField = attribute in kinds or attribute in form.names()
        if isField and name not in found and name not in BUFFERS and (attribute in form.names() or attribute[0] != "_"):
            found[name] = Field(name, kind(cls, attribute), default(cls, attribute), "; ".join(uses(cls, attribute)))
    return dict(sorted(found.items(), key=lambda item: (item[0].lower(), item[0])))


def annotated(cls: type) -> Iterator[str]:
    for base in set(cls.__mro__) - set(Module.__mro__) - set(Criterion.__mro__):
        yield from vars(base).get("__annotations__", {})


def arguments(cls: type) -> Iterator[str]:
    """Arguments of constructors, which Torch7 keeps in fields of these names."""
    yield from inspect.signature(cls).parameters


def kind(cls: type[Object], attribute: str) -> str:
    found = fields.of(cls).get(attribute, "")
    rank = cls._form.dimensions.get(attribute)
    return f"{found}, {rank}-D" if rank else found


def default(cls: type[Object], attribute: str) -> str:
    """Returns the value of a missing field."""
    if attribute in cls._form.implied:
        return shown(cls._form.implied[attribute])
    if attribute not in cls._form.defaults:
        return ""
    value = cls._form.defaults[attribute]
    if not isinstance(value, FunctionType):
        return shown(value)
    try:
        return shown(value(None))
    except (AttributeError, TypeError):
        return "from other fields"


def shown(value: Any) -> str:
    return "nothing" if value is None else str(value).lower() if isinstance(value, bool) else f"`{value}`"


def uses(cls: type[Object], attribute: str) -> Iterator[str]:
    """Yields the uses of a field, in the words of the introduction."""
    form = cls._form
    if attribute in (*form.oneBased, *form.oneBasedTensors, *cls._counts.fields):
        yield "from one"
    if form.renamed.get(attribute, attribute) != attribute:
        yield f"`{attribute}` here"
    if attribute in form.formerly:
        yield f"old name of `{form.formerly[attribute]}`"
    if attribute in form.outdated:
        yield "old"
    elif attribute in form.dropped:
        yield "not needed"
    words = {"scratch": "scratch", "properties": "known", "lazy": "lazy", "implied": "ours", "private": "private"}
    for entry, word in {**words, "luaMethods": "a method"}.items():
        if attribute in getattr(form, entry):
            yield word


def base(cls: type[Object]) -> type[Object] | None:
    """The class whose fields it has too."""
    for parent in cls.__mro__[1:]:
        if parent not in (Object, Module, Criterion) and issubclass(parent, Object) and table(parent):
            return parent
    return None


def heading(cls: type[Object]) -> str:
    version = cls._form.version
    return f"Version {version}." if version else ""


def lines(own: dict[str, Field]) -> list[str]:
    head = ["| field | kind | if missing | what happens |", "|---|---|---|---|"]
    return [*head, *(field.line() for field in own.values())] if own else []


def section(name: str, cls: type[Object], names: dict[type[Object], str]) -> str:
    """The heading of a class, what it extends, and its own fields."""
    own, parent = table(cls), base(cls)
    text = [heading(cls)]
    if parent is not None:
        theirs = table(parent)
        gone = [field for field in theirs if field not in own]
        own = {field: entry for field, entry in own.items() if field not in theirs or theirs[field].cells != entry.cells}
        called = f"`{names.get(parent, parent.__name__)}`"
        text.append(f"As {called}{', without ' + ', '.join(f'`{field}`' for field in gone) if gone else ''}.")
    if not own and parent is None:
        text.append("No fields of its own.")
    told = " ".join(filter(None, text))
    return "\n".join([f"### {name}", "", *([told, ""] if told else []), *lines(own), *([""] if own else [])])


def page() -> str:
    """The whole text."""
    found = classes()
    names = {cls: name for name, cls in reversed(found.items())}
    named = set(found.values())
    bases = {parent for cls in named if (parent := base(cls)) is not None and parent not in named}
    while more := {parent for cls in bases if (parent := base(cls)) is not None} - bases - named:
        bases |= more
    parts = [INTRODUCTION]
    spaces: dict[str, list[str]] = {}
    for name, cls in found.items():
        spaces.setdefault(name.split(".")[0], []).append(section(name, cls, names))
    parts += [f"## {space}\n\n" + "\n".join(sections) for space, sections in spaces.items()]
    shared = sorted(bases, key=lambda cls: cls.__name__)
    parts.append("## What classes share\n\n" + "\n".join(section(cls.__name__, cls, names) for cls in shared))
    return "\n".join(parts)


def main(wanted: list[str]) -> int:
    if not wanted:
        print(page(), end="")
        return 0
    found = classes()
    if unknown := [name for name in wanted if name not in found]:
        print(f"docs/fields.py: no class is called {', '.join(unknown)}", file=sys.stderr)
        return 2
    for name in wanted:
        print("\n".join([" ".join(filter(None, (name, heading(found[name]).lower()))), "", *lines(table(found[name])), ""]))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
