"""``xlua.OptionParser``: options of the command line, as Python's module optparse reads them."""

from __future__ import annotations

import re
import sys
from typing import TYPE_CHECKING, Any

from ..language.arguments import MISSING
from ..language.arguments import table as checked_table
from ..language.errors import raise_error
from ..language.libraries.files import encoded
from ..language.table import Table, fields, first, rawget, rawset
from .values import is_table, items, listed, table_of, truth

if TYPE_CHECKING:
    from ..language.state import State

_STORES = (None, "store")
_VALUE = re.compile(r"(--\w+)=(.*)", re.DOTALL)


class Parser:
    """The parser that a table of Lua stands for.

    Attributes
    ----------
    table : Table
        What scripts have: its methods, ``usage``, ``option_descriptions`` and ``option_of``.
    """

    def __init__(self, state: State, usage: Any) -> None:
        self.state = state
        self.described, self.flags = Table(), Table()
        self.table = fields(option_descriptions=self.described, option_of=self.flags)
        if usage is not None:
            self.table.__dict__["usage"] = usage
        methods = (self.option, self.parse, self.help, self.fail, self.tostring, self.summarize)
        self.table.__dict__.update({method.__name__: _method(method) for method in methods})
        self.option(table_of_flags("-h", "--help", action="store_true", dest="help", help="show this help message and exit"))

    def option(self, option: Any = MISSING, *_: Any) -> tuple[()]:
        """Adds an option: its flags from 1 on, ``dest``, ``action``, ``default``, ``help``, ``metavar`` and ``req``."""
        option = checked_table(option, 1, "option")
        if rawget(option, "dest").__class__ is not str:
            raise_error("bad argument #1 to 'option' (expected a field dest, the name of the option)")
        rawset(self.described, float(len(listed(self.described)) + 1), option)
        for flag in listed(option):
            rawset(self.flags, flag, option)
        return ()

    def parse(self, options: Any = None, *_: Any) -> tuple[Table, Table]:
        """Returns the options and the other arguments of the global ``arg``."""
        options = Table() if options is None else options
        for option in listed(self.described):
            if (default := rawget(option, "default")) is not None and rawget(options, rawget(option, "dest")) is None:
                rawset(options, rawget(option, "dest"), default)
        given: Any = self.state.globals.__dict__.get("arg")
        rawset(options, "__main__", is_table(given))
        rest = self._read(options, [*_split(listed(given))]) if is_table(given) else []
        self.table.__dict__["options"] = options
        return options, table_of(rest)

    def _read(self, options: Table, words: list[Any]) -> list[Any]:
        """Reads arguments into the options. Returns those that belong to no option."""
        rest = []
        while words:
            word = words.pop(0)
            option = rawget(self.flags, word)
            if option is not None:
                rawset(options, rawget(option, "dest"), self._value(option, word, words))
            elif word.startswith("-"):
                self.fail(f"invalid option {word}")
            else:
                rest.append(word)
        for flag, option in items(self.flags):
            if truth(rawget(option, "req")) and not truth(rawget(options, rawget(option, "dest"))):
                self.fail(f"option {flag} requires an argument ")
        if truth(rawget(options, "help")):
            self.help()
            self.state.exit(0)
        return rest

    def _value(self, option: Table, word: str, words: list[Any]) -> Any:
        action = rawget(option, "action")
        if action not in _STORES:
            return {"store_true": True, "store_false": False}.get(action, rawget(option, "default"))
        value = words.pop(0) if words else rawget(option, "default")
        if not truth(value):
            self.fail(f"option requires an argument {word}")
        return value

    def fail(self, message: Any = "", *_: Any) -> None:
        """Says what is wrong, shows the help and ends the program."""
        self.state.flush()
        print(encoded(str(message)).decode(errors="replace"), file=sys.stderr)
        self.help()
        self.state.exit(1)

    def help(self, *_: Any) -> tuple[()]:
        """Writes usage and options."""
        given: Any = self.state.globals.__dict__.get("arg")
        program = str((rawget(given, 0.0) if is_table(given) else None) or "THISPROG")
        usage = str(self.table.__dict__.get("usage", "")).replace("%prog", program)
        shown = [(self._flags(option), option) for option in listed(self.described)]
        width = max(len(flags) for flags, _ in shown)
        lines = [f"Usage: {usage}", "", "Options:"]
        lines += [f"  {flags:{width}}  {rawget(option, 'help') or ''}{self._default(option)}" for flags, option in shown]
        self.state.write("\n".join(lines) + "\n")
        return ()

    def _flags(self, option: Table) -> str:
        if rawget(option, "action") not in _STORES:
            return ", ".join(listed(option))
        name = rawget(option, "metavar") or rawget(option, "dest").upper()
        return ", ".join(f"{flag} {name}" if len(flag) == 2 else f"{flag}={name}" for flag in listed(option))

    def _default(self, option: Table) -> str:
        default = rawget(option, "default")
        if truth(rawget(option, "req")):
            return " [REQUIRED]"
        return f" [default = {first(self.state.tostring(default))}]" if truth(default) else ""

    def tostring(self, isForFile: Any = None, wanted: Any = None, *_: Any) -> str:
        """Returns the options as lines, or as a part of a file's name: those with the flags ``wanted``, or all."""
        options = self.table.__dict__.get("options") or Table()
        if not truth(isForFile):
            given: Any = self.state.globals.__dict__.get("arg")
            program = str((rawget(given, 0.0) if is_table(given) else None) or "interpreted.lua").replace(".lua", "")
            lines = [f" + {self._text(key)} = {self._text(value)}\n" for key, value in items(options)]
            return f"<{program}> configuration:\n" + "".join(lines)
        flags = listed(wanted) if is_table(wanted) else []
        found = []
        for option in listed(self.described):
            flag, value = rawget(option, 1.0), rawget(options, rawget(option, "dest"))
            if truth(value) and (not flags or flag in flags):
                found.append(f"{flag}={self._text(value)}")
        return ",".join(found).replace("/", "|").replace(" ", "_")

    def summarize(self, isForFile: Any = None, *_: Any) -> tuple[()]:
        """Writes the options."""
        self.state.write(self.tostring(isForFile))
        return ()

    def _text(self, value: Any) -> str:
        return str(first(self.state.tostring(value)))


def _method(method: Any) -> Any:
    return lambda _=None, *arguments: method(*arguments)


def table_of_flags(*flags: str, **values: Any) -> Table:
    """Returns the table of an option."""
    table = table_of(flags)
    table.__dict__.update(values)
    return table


def _split(words: list[Any]) -> Any:
    """Yields arguments, ``--flag=value`` as two."""
    for word in words:
        text = word if word.__class__ is str else f"{word:.14g}" if word.__class__ is float else str(word)
        match = _VALUE.match(text)
        yield from match.groups() if match else (text,)


def functions(state: State) -> dict[str, Any]:
    """Returns ``OptionParser``."""

    def OptionParser(usage: Any = None, *_: Any) -> Table:
        return Parser(state, usage).table

    return {"OptionParser": OptionParser}
