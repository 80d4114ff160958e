"""``pl.lapp``: options of a command line, which a text of help declares."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NoReturn

from ...language.errors import raise_error
from ...language.libraries.files import Console
from ...language.operators import format_number, tonumber
from ...language.table import Table, rawget, rawset
from ..functions import declared, functions
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
_KNOWN = (None, "string", "number", "boolean", *_FILES)


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
    """Returns the text within the brackets that a text begins with, and the text that follows, or None."""
    depth = 0
    for i, c in enumerate(text):
        depth += (c == brackets[0]) - (c == brackets[1])
        if depth == 0:
            return (text[1:i], text[i + 1 :].lstrip()) if i else None
    return None


def _words(text: str) -> tuple[str, str]:
    """Returns the first word of a text, and the rest."""
    first, _, rest = text.strip().partition(" ")
    return first, rest.strip()


class _Lapp:
    """The package in a state.

    Attributes
    ----------
    table : Table
        The table that scripts have of it.
    """

    def __init__(self, state: State) -> None:
        self.state, self.table = state, Table()
        self.usage, self.types = "", {}  # type: str, dict[str, tuple[Any, Any]]
        self._errors = Console("stderr")

    def script(self) -> str:
        """Returns the name of the script, without folder and end."""
        given = self.state.globals.arg
        name = rawget(given, 0.0) if is_table(given) else "inter"
        return re.sub(r"\.[A-Za-z]+$", "", re.sub(r".+[\\/]", "", name if name.__class__ is str else "unknown"))

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
        noUsage = "throw" if shown == "throw" else True if not truth(shown) else noUsage
        self.quit(f"{self.script()}: {message}", noUsage)

    def open(self, name: Any, mode: Any = None) -> Any:
        """Returns an open file."""
        opened = self.state.index(self.state.globals.io, "open")(name, mode)
        if opened.__class__ is tuple:
            self.fail(opened[1], True)
        return opened

    # -------------------------------------------------------------------------------------------------- declarations

    def declare(self, reading: _Reading, line: str) -> None:
        """Adds the parameter that a line of the help declares, if it does."""
        line = line.lstrip()
        flag = next((match for form in _FLAGS if (match := form.match(line))), None)
        if flag is not None:
            name, rest = self._flag(flag.groupdict(), reading.aliases)
            short = re.sub(r"^\.\.\.\s*", "", rest)
            isList, rest = short != rest, short
        elif (found := _balanced(line, "<>")) is not None and found[1]:
            name, dot, dots = found[0].partition(".")
            name = re.sub("[^A-Za-z]", "_", name[:1]) + re.sub("[^A-Za-z0-9]", "_", name[1:])
            isList, rest = dot + dots == "...", found[1]
            reading.names.append(name)
        else:
            return
        reading.parameters[name] = self._parameter(rest, isList)

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

    def _parameter(self, rest: str, isList: bool) -> _Parameter:
        found = _Parameter(isList=isList)
        typed = _balanced(rest, "()")
        if typed is None:
            found.kind, found.default = "boolean", False
            return found
        kind, rest = _words(typed[0])
        if kind == "optional":
            found.isOptional = True
            kind, rest = _words(rest)
        if kind == "default":
            found.text = rest or self.fail("value must follow default")
        elif (limits := _RANGE.match(kind)) is not None:
            found.kind, found.limits = "number", (tonumber(limits[1]) or 0.0, tonumber(limits[2]) or 0.0)
        elif "|" in kind:
            found.kind, found.choices = "string", kind
        else:
            found.kind = kind or None
        if found.text is None and (match := re.match(r"default\s*(\S.*)", rest, re.DOTALL)) is not None:
            found.text = match[1]
        if found.text is not None:
            found.default, found.kind = self._default(found.text, found.kind)
        if found.kind in self.types:
            converter, found.constraint = self.types[found.kind]
            found.kind, found.converter = (converter, None) if converter.__class__ is str else (found.kind, converter)
        elif found.kind not in _KNOWN:
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
        text = text[1:-1] if text[:1] in ("'", '"') else text
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

    def process(self, text: str, given: Any) -> Table:
        """Returns the values that words of a command line, those of the program by default, give."""
        given = self.state.globals.arg if given is None else given
        words = [format_number(one) if one.__class__ is float else one for one in listed(given)] if is_table(given) else []
        for word in words:
            if word.__class__ is not str:
                raise_error("lapp: expected words that are strings")
        self.usage = text
        if "-h" in words or "--help" in words:
            self.quit()
        reading = _Reading(self, words)
        for line in text.split("\n")[:-1]:
            self.declare(reading, line)
        return reading.run()


class _Reading:
    """Words of a command line, as they are read.

    Attributes
    ----------
    parameters : dict
        The parameters by their names.
    aliases : dict
        The long names of short flags.
    names : list of str
        The names of arguments, which have no flags.
    """

    def __init__(self, lapp: _Lapp, words: list[str]) -> None:
        self.lapp, self.words = lapp, words
        self.parameters: dict[Any, _Parameter] = {}
        self.aliases: dict[str, str] = {}
        self.names: list[str] = []
        self.results, self.argument, self.extra = Table(), 0, 0.0

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
            self.words.insert(0, value)
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
                flag, name, rest = self._known(name[0]), name[0], name[1:]
                isValue = flag is not None and flag.kind != "boolean"
                self.words[:0] = [rest] if isValue else [f"-{c}" for c in rest]
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
        while self.words:
            word = self.words.pop(0)
            if word == "--" and not isOver:
                isOver, self.argument = True, len(self.names)
            elif not isOver and re.match(r"--?\S", word):
                self._read(self._flag(word), None, word)
            else:
                self._read(self._next_argument(), word, word)
        for name, parameter in list(self.parameters.items()):
            if not parameter.isGiven:
                if parameter.default is None and not parameter.isOptional:
                    self.lapp.fail(f"missing required parameter: {name}")
                self._store(parameter, name, parameter.default, parameter.text)
        return self.results

    def _store(self, parameter: _Parameter, name: Any, value: Any, word: str | None) -> None:
        self._set(parameter, name, value)
        if parameter.kind in _FILES:
            self._set(parameter, f"{name}_name", word)

    def _read(self, name: Any, value: str | None, word: str) -> None:
        """Notes the value of a parameter; that of a flag is the next word."""
        lapp, parameter = self.lapp, self.parameters.get(name)
        if parameter is None:
            lapp.fail(f"unrecognized parameter: {name}")
        new: Any = value
        if parameter.kind == "boolean":
            new = not truth(parameter.default)
        elif value is None:
            if not self.words:
                lapp.fail(f"{name} was expecting a value")
            word = new = self.words.pop(0)
        parameter.isGiven = True
        self._store(parameter, name, lapp.converted(parameter, name, new), word)
        if truth(lapp.table.callback):
            called(lapp.table.callback, name, word, Table())


def library(state: State) -> Table:
    """Returns the package's table, which is called with the help."""
    lapp = _Lapp(state)

    def check(condition: Any, message: str) -> tuple[()]:
        if not truth(condition):
            lapp.fail(message)
        return ()

    def add_type(name: str, converter: Any, constraint: Any) -> tuple[()]:
        lapp.types[name] = (converter, constraint)
        return ()

    made = functions({
        "quit": ("any any", lapp.quit),
        "error": ("string= any", lapp.fail),
        "assert": ("any string=", check),
        "open": ("any any", lapp.open),
        "add_type": ("string any any", add_type),
    })  # fmt: skip
    process = declared("lapp", "string table?", lapp.process)
    lapp.table.__dict__.update(made, process_options_string=process, callback=False, show_usage_error=True)
    return with_metatable(lapp.table, __call=lambda _, *given: process(*given))
