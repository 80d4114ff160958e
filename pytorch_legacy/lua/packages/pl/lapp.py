"""``pl.lapp``: options of a command line, which a text of help declares."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NoReturn

from ...language.arguments import MISSING, string
from ...language.arguments import table as checked_table
from ...language.errors import raise_error
from ...language.libraries.files import Console
from ...language.operators import format_number, tonumber
from ...language.table import Table, rawget, rawset
from ..values import called, is_table, listed, table_of, truth, with_metatable

if TYPE_CHECKING:
    from ...language.state import State

_REST = r"\s*(?P<rest>\S.*)"
_LONG = r"--(?P<long>[A-Za-z][\w-]*)"
_SHORT = r"-(?P<short>[A-Za-z_]\w*)"
_FLAGS = [re.compile(form + _REST, re.ASCII | re.DOTALL) for form in (rf"{_SHORT},\s*{_LONG}", _SHORT, _LONG)]
_NUMBER = r"([+\-0-9][0-9]*\.?[0-9]*[eE]?[+\-]?[0-9]*)"
_RANGE = re.compile(rf"{_NUMBER}\.\.{_NUMBER}")
_STANDARD = {"stdin": "file-in", "stdout": "file-out", "stderr": "file-out"}
_FILES = {"file-in": "r", "file-out": "w"}
_KNOWN = frozenset(("string", "number", "boolean", *_FILES))


@dataclass
class _Parameter:
    """A flag or an argument.

    Attributes
    ----------
    kind : str or None
        "string", "number", "boolean", "file-in", "file-out", or None for a text.
    default, text : object
        The value that it has if it is not given, and its text in the help.
    limits, choices : tuple or str or None
        The smallest and the largest number; the words that are allowed, with bars between them.
    """

    kind: str | None = None
    default: Any = None
    text: str | None = None
    isOptional: bool = False
    isList: bool = False
    limits: tuple[float, float] | None = None
    choices: str | None = None
    converter: Any = None
    constraint: Any = None
    isGiven: bool = False


def _balanced(text: str, brackets: str) -> tuple[str, str] | None:
    """Returns what is within the brackets that a text begins with, and what follows, or None."""
    depth = 0
    for i, c in enumerate(text):
        depth += (c == brackets[0]) - (c == brackets[1])
        if depth == 0:
            return (text[1:i], text[i + 1 :]) if i else None
    return None


class _Lapp:
    """The package in a state.

    Attributes
    ----------
    table : Table
        What scripts have of it.
    """

    def __init__(self, state: State) -> None:
        self.state, self.table = state, Table()
        self.usage, self.types = "", {}  # type: str, dict[str, tuple[Any, Any]]
        self._errors = Console("stderr")

    def script(self) -> str:
        """Returns the name of the script, without folder and end."""
        given = self.state.globals.arg
        if not is_table(given):
            return "inter"
        name = rawget(given, 0.0) or "unknown"
        return re.sub(r"\.[A-Za-z]+$", "", re.sub(r".+[\\/]", "", name))

    # -------------------------------------------------------------------------------------------------- ends

    def quit(self, message: Any = None, noUsage: Any = None) -> NoReturn:
        """Ends the program, with a message and the help."""
        if noUsage == "throw":
            raise_error(message)
        self.state.flush()
        if message is not None:
            self._errors.write(f"{message}\n\n")
        if not truth(noUsage):
            self._errors.write(self.usage)
        self._errors.flush()
        self.state.exit(1)

    def fail(self, message: str, noUsage: Any = None) -> NoReturn:
        """Ends the program because of a wrong option."""
        shown = self.table.show_usage_error
        if not truth(shown):
            noUsage = True
        elif shown == "throw":
            noUsage = "throw"
        self.quit(f"{self.script()}: {message}", noUsage)

    def open(self, name: Any, mode: Any = None) -> Any:
        """Returns an open file."""
        opened = self.state.index(self.state.globals.io, "open")(name, mode)
        if opened.__class__ is tuple:
            self.fail(opened[1], True)
        return opened

    # -------------------------------------------------------------------------------------------------- declarations

    def declared(self, text: str) -> tuple[dict[Any, _Parameter], dict[str, str], list[str]]:
        """Returns the parameters of a help, the long names of short flags, and the names of arguments."""
        parameters: dict[Any, _Parameter] = {}
        aliases: dict[str, str] = {}
        names: list[str] = []
        for line in text.split("\n")[:-1]:
            line = line.lstrip()
            flag = next((match for form in _FLAGS if (match := form.match(line))), None)
            isList = False
            if flag is not None:
                name, rest = self._flag(flag.groupdict(), aliases)
                shorter = re.sub(r"^\.\.\.\s*", "", rest)
                isList, rest = shorter != rest, shorter
            elif (found := _balanced(line, "<>")) is not None and found[1].strip():
                name, dots = re.match(r"([^.]*)(.*)", found[0], re.DOTALL).groups()  # type: ignore[union-attr]
                name = re.sub("[^A-Za-z]", "_", name[:1]) + re.sub("[^A-Za-z0-9]", "_", name[1:])
                isList, rest = dots == "...", found[1].lstrip()
                names.append(name)
            else:
                continue
            parameters[name] = self._parameter(name, rest, isList)
        return parameters, aliases, names

    def _flag(self, groups: dict[str, Any], aliases: dict[str, str]) -> tuple[str, str]:
        """Returns name and help of a flag."""
        name, short, rest = groups.get("long"), groups.get("short"), groups["rest"]
        if name is not None and len(rest) == 1:  # nothing follows the name, whose last letter was taken as help
            name += rest
        if short is not None and len(short) != 1 and not truth(self.table.slack):
            self.fail(f"{short}: short parameters should be one character")
        if name is not None and short is not None:
            aliases[short] = name
        return name or short or "", rest

    def _parameter(self, name: str, rest: str, isList: bool) -> _Parameter:
        found = _Parameter(isList=isList)
        typed = _balanced(rest, "()")
        if typed is None:
            found.kind, found.default = "boolean", False
            return found
        kind, _, rest = typed[0].strip().partition(" ")
        rest = rest.strip()
        if kind == "optional":
            found.isOptional = True
            kind, _, rest = rest.partition(" ")
            rest = rest.strip()
        isDefault = kind == "default"
        if isDefault:
            if not rest:
                self.fail("value must follow default")
        elif (limits := _RANGE.match(kind)) is not None:
            found.kind = "number"
            found.limits = (tonumber(limits[1]) or 0.0, tonumber(limits[2]) or 0.0)
        elif "|" in kind:
            found.kind, found.choices = "string", kind
        else:
            found.kind = kind or None
        if not isDefault and (match := re.match(r"default\s*(\S.*)", rest, re.DOTALL)) is not None:
            isDefault, rest = True, match[1]
        if isDefault:
            found.text = rest
            found.default, found.kind = self._default(rest, found.kind)
        return self._typed(found)

    def _typed(self, found: _Parameter) -> _Parameter:
        """Gives a parameter what ``add_type`` has noted for its type."""
        if found.kind in self.types:
            converter, found.constraint = self.types[found.kind]
            if converter.__class__ is str:
                found.kind = converter
            else:
                found.converter = converter
        elif found.kind is not None and found.kind not in _KNOWN:
            self.fail(f"{found.kind} is unknown type")
        return found

    def _default(self, text: str, kind: str | None) -> tuple[Any, str]:
        """Returns the value of a text in the help, and its type."""
        value = tonumber(text) if kind in (None, "number") else None
        if value is not None:
            return value, "number"
        if text in _STANDARD:
            return self.state.index(self.state.globals.io, text), _STANDARD[text]
        if text == "true" and kind is None:
            return True, "boolean"
        if text[:1] in ("'", '"'):
            text = text[1:-1]
        converter = self.types.get(kind or "", (None, None))[0]
        if callable(converter):
            try:
                return called(converter, text), kind or "string"
            except Exception:
                pass
        return text, kind or "string"

    # -------------------------------------------------------------------------------------------------- values

    def converted(self, parameter: _Parameter, name: Any, value: Any) -> Any:
        """Returns a word of the command line as the value of a parameter."""
        if parameter.converter is not None:
            value = called(parameter.converter, value)
        if parameter.kind == "number":
            word, value = value, tonumber(value)
            if value is None:
                self.fail(f"unable to convert to number: {word}")
        elif parameter.kind in _FILES:
            value = self.open(value, _FILES[parameter.kind])
        elif parameter.kind == "boolean":
            return value
        if parameter.limits is not None and not parameter.limits[0] <= value <= parameter.limits[1]:
            self.fail(f"{name} out of range")
        if parameter.choices is not None and f"|{value}|" not in f"|{parameter.choices}|":
            self.fail(f"value '{value}' not in {parameter.choices}")
        if parameter.constraint is not None:
            called(parameter.constraint, value)
        return value

    def process(self, text: str, words: list[Any]) -> Table:
        """Returns the values that words of a command line give."""
        self.usage = text
        if "-h" in words or "--help" in words:
            self.quit()
        reading = _Reading(self, words, *self.declared(text))
        return reading.run()


class _Reading:
    """Words of a command line, as they are read."""

    def __init__(
        self, lapp: _Lapp, words: list[Any], parameters: dict[Any, _Parameter], aliases: dict[str, str], names: list[str]
    ) -> None:
        self.lapp, self.words, self.parameters, self.aliases, self.names = lapp, list(words), parameters, aliases, names
        self.results, self.place, self.argument, self.extra = Table(), 0, 0, 0.0

    def _set(self, parameter: _Parameter, name: Any, value: Any) -> None:
        if name.__class__ is str:
            name = re.sub("[^A-Za-z0-9]", "_", name)
        if not parameter.isList:
            rawset(self.results, name, value)
        elif (known := rawget(self.results, name)) is None:
            rawset(self.results, name, table_of([value]))
        else:
            rawset(known, float(len(listed(known)) + 1), value)

    def _split(self, word: str) -> str:
        """Returns the name of ``name=value`` or ``name:value``. The value becomes the next word."""
        name, mark, value = re.match(r"([^=:]*)([=:]?)(.*)", word, re.DOTALL).groups()  # type: ignore[union-attr]
        if mark:
            self.words.insert(self.place + 1, value)
        return name

    def _known(self, name: str) -> _Parameter | None:
        return self.parameters.get(self.aliases.get(name, name))

    def _flag(self, word: str) -> str:
        """Returns the name of the parameter that a flag sets. Other flags in one word with it become words of their own."""
        if word.startswith("--"):
            name = self._split(word[2:])
        elif len(word) == 2 or self._known(word[1:]) is not None:
            name = word[1:]
        else:
            name = self._split(word[1:])
            if name == word[1:]:
                flag = self._known(name[0])
                if flag is not None and flag.kind != "boolean":
                    self.words.insert(self.place + 1, name[1:])
                else:
                    self.words[self.place + 1 : self.place + 1] = [f"-{c}" for c in name[1:]]
                name = name[0]
        return self.aliases.get(name, name)

    def _next_argument(self) -> Any:
        """Returns the name of the parameter that a word without a flag belongs to; a number if there is none."""
        if self.argument >= len(self.names):
            self.extra += 1.0
            self.parameters[self.extra] = _Parameter("string")
            return self.extra
        name = self.names[self.argument]
        if not self.parameters[name].isList:
            self.argument += 1
        return name

    def run(self) -> Table:
        """Reads all words. Returns the values of all parameters."""
        isOver = False
        while self.place < len(self.words):
            word = self.words[self.place]
            if word == "--" and not isOver:
                isOver, self.argument = True, len(self.names)
                self.place += 1
                continue
            word = format_number(word) if word.__class__ is float else word
            if not isOver and re.match(r"--?\S", word):
                self._read(self._flag(word), None, word)
            else:
                self._read(self._next_argument(), word, word)
            self.place += 1
        for name, parameter in list(self.parameters.items()):
            if not parameter.isGiven:
                if parameter.default is None and not parameter.isOptional:
                    self.lapp.fail(f"missing required parameter: {name}")
                self._set(parameter, name, parameter.default)
                if parameter.kind in _FILES:
                    self._set(parameter, f"{name}_name", parameter.text)
        return self.results

    def _read(self, name: Any, value: Any, word: str) -> None:
        """Notes the value of a parameter; that of a flag is the next word."""
        lapp, parameter = self.lapp, self.parameters.get(name)
        if parameter is None:
            lapp.fail(f"unrecognized parameter: {name}")
        if parameter.kind == "boolean":
            value = not truth(parameter.default)
        elif value is None:
            self.place += 1
            if self.place >= len(self.words):
                lapp.fail(f"{name} was expecting a value")
            word = value = self.words[self.place]
        parameter.isGiven = True
        self._set(parameter, name, lapp.converted(parameter, name, value))
        if parameter.kind in _FILES:
            self._set(parameter, f"{name}_name", word)
        if truth(lapp.table.callback):
            called(lapp.table.callback, name, word, Table())


def library(state: State) -> Table:
    """Returns the package's table, which is called with the help."""
    lapp = _Lapp(state)

    def process(text: Any = MISSING, given: Any = None, *_: Any) -> Table:
        words = state.globals.arg if given is None else checked_table(given, 2, "lapp")
        return lapp.process(string(text, 1, "lapp"), listed(words) if is_table(words) else [])

    def quit(message: Any = None, noUsage: Any = None, *_: Any) -> None:
        lapp.quit(message, noUsage)

    def error(message: Any = "", noUsage: Any = None, *_: Any) -> None:
        lapp.fail(str(message), noUsage)

    def assert_(condition: Any = None, message: Any = "", *_: Any) -> tuple[()]:
        if not truth(condition):
            lapp.fail(str(message))
        return ()

    def open_(name: Any = MISSING, mode: Any = None, *_: Any) -> Any:
        return lapp.open(name, mode)

    def add_type(name: Any = MISSING, converter: Any = None, constraint: Any = None, *_: Any) -> tuple[()]:
        lapp.types[string(name, 1, "add_type")] = (converter, constraint)
        return ()

    made: dict[str, Any] = {"process_options_string": process, "quit": quit, "error": error, "assert": assert_, "open": open_}
    made |= {"add_type": add_type, "callback": False, "show_usage_error": True}
    lapp.table.__dict__.update(made)
    return with_metatable(lapp.table, __call=lambda _, *arguments: process(*arguments))
