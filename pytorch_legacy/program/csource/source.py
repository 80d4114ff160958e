"""Writes the header and the source of a network in C, around the functions of its passes."""

from __future__ import annotations

import struct
from zlib import crc32

from pytorch_legacy.program.csource import templates
from pytorch_legacy.program.csource.facts import Facts, Group, rows, wrapped
from pytorch_legacy.program.csource.names import comment, number, plus, times
from pytorch_legacy.program.csource.opening import Opening, repeats_on_nan
from pytorch_legacy.program.csource.passes import Constants, Helpers, PassWriter, arena_bytes
from pytorch_legacy.program.csource.templates import fill, paragraph, section
from pytorch_legacy.program.listing import Number, Size
from pytorch_legacy.version import __version__

_ALIGNED = 64
_MOST_LINES = 120  # lines of a network's picture


class Source:
    """The texts of a network: `header()`, `source()`, `embedded()`, and the bytes of its weights, `weights`."""

    what = "a network"
    entry = "forward"  # the C function of a pass
    aboutState = "threads, packed weights and scratch memory of libTHNN"
    opening = Opening

    def __init__(self, facts: Facts, isEmbedded: bool = False) -> None:
        self.facts = facts
        self.isEmbedded = isEmbedded
        self.constants = Constants()
        self._reserve()
        self.helpers = Helpers()
        self.passes = [writer for group in facts.groups for writer in self._writers(group)]
        self.functions = [writer.text() for writer in self.passes]
        self.weights = bytes(self.constants.content) or bytes(_ALIGNED)  # no file is empty
        self.arena = arena_bytes(self.passes)
        self.offsets, end = self._state()
        self.stateBytes = times(end, 2)
        self.words = {"name": facts.name, "upper": facts.name.upper(), "net": facts.variable, "file": facts.file}
        self.words |= {"version": __version__, "what": self.what}

    def _reserve(self) -> None:
        """Adds to the bytes of the weights what comes before all constants."""

    def _writers(self, group: Group) -> list[PassWriter]:
        """Returns the writers of a group's passes."""
        facts = self.facts
        ending = facts.ending(group)
        inputs, outputs = [port.short for port in facts.inputs], [port.short for port in facts.outputs]
        before, after = [port.short for port in facts.state], [f"next_{port.short}" for port in facts.state]
        made = [(group.first, f"{'forward' if group.later is None else 'first'}{ending}", inputs, [*outputs, *after])]
        if group.later is not None:
            made.append((group.later, f"later{ending}", [*inputs, *before], [*outputs, *after]))
        rest = facts, self.constants, self.helpers, group.least > 0
        return [PassWriter(listing, name, ins, outs, *rest) for listing, name, ins, outs in made]

    def _state(self) -> tuple[list[Number], Number]:
        """Returns the offsets of the state's arrays in its memory, and the bytes of them."""
        offsets: list[Number] = []
        end: Number = 0
        for port in self.facts.state:
            offsets.append(end)
            end = plus(end, _rounded(port.bytes))
        return offsets, end

    def _fill(self, template: str, **words: str) -> str:
        return fill(template, **self.words, **words)

    # ---- the header

    def header(self) -> str:
        """Returns the text of the header."""
        facts, net = self.facts, self.facts.variable
        width = max(len(port.name) for port in facts.ports)
        opened = [f"&{net}", *([] if self.isEmbedded else [f'"{facts.file}.bin"']), *(["16"] if facts.isBatched else [])]
        return self._fill(
            templates.HEADER,
            ports="\n".join(f" *   {port.name:<{width}}  {port.text}" for port in facts.ports),
            sources=" ".join(f"{facts.file}{end}.c" for end in (["", "_weights"] if self.isEmbedded else [""])),
            opened=f"{facts.name}_open({', '.join(opened)})",
            passed=self._about_passes(), rules=paragraph(_RULES), memory=paragraph(self._about_memory()), macros=self._macros(),
            opening=self._about_opening(), open=facts.opening(self.isEmbedded),
            running=self._about_running(), run=facts.running(),
            more=self._declarations(),
        )  # fmt: skip

    def _about_passes(self) -> str:
        """Returns the lines of the header's example that run the network."""
        facts = self.facts
        passed = [facts.variable, *(["n"] if facts.isBatched else []), *(port.name for port in facts.ports)]
        return wrapped(f" *   if ({facts.name}_{facts.verb}(", passed, ") != THNN_OK) puts(THNN_lastError());", " *       ")

    def _declarations(self) -> str:
        """Returns the declarations of further functions."""
        return self._fill(templates.FORGET_DECLARATION) if self.facts.state else ""

    def _about_memory(self) -> str:
        facts = self.facts
        few = "of one sample" if facts.isBatched else "of this size"
        packed = f"{facts.packed:,} bytes of packed weights" if facts.packed else ""
        scratch = f"{facts.scratch:,} bytes of scratch memory for a run {few} in one thread" if facts.scratch else ""
        both = " and ".join(one for one in (packed, scratch) if one)
        kept = f"Besides, libTHNN keeps {both}; that depends on the processor, and THNN_stateBytes counts it. " if both else ""
        return f"{self._about_allocated()} {kept}Later calls allocate nothing."

    def _about_allocated(self) -> str:
        """Returns a text about the memory of the weights, and what is allocated."""
        facts = self.facts
        rule = "it must not be written to as long as the network is open"
        where = "The weights are a constant array." if self.isEmbedded else f"{facts.file}.bin is mapped: {rule}."
        return f"{where} {facts.name}_open allocates the other bytes below."

    def _macros(self) -> str:
        facts = self.facts
        found = [("weights", len(self.weights), self._about_weights())]
        if self.arena != 0:
            found.append(("arena", self.arena, "bytes of the arrays between the layers"))
        if facts.state:
            found.append(("state", self.stateBytes, "bytes of the state, before and after a run"))
        found += self._counts()
        return rows([(f"#define {facts.macro(name, value, 'n')} {_value(value)}", text) for name, value, text in found])

    def _about_weights(self) -> str:
        return "bytes of weights" + ("" if self.isEmbedded else f", of {self.facts.file}.bin")

    def _counts(self) -> list[tuple[str, Number, str]]:
        """Returns the macros of numbers of elements."""
        return [(port.name, port.elements, f"elements of `{port.name}`") for port in self.facts.ports]

    def _about_opening(self) -> str:
        where = "" if self.isEmbedded else f" `bin` is the path of {self.facts.file}.bin."
        most = " `most` is the largest number of samples in a run." if self.facts.isBatched else ""
        return f"/* Opens the network.{where}{most} */"

    def _about_running(self) -> str:
        facts = self.facts
        samples = f" on n samples, from {facts.least} to `most`" if facts.isBatched else ""
        state = " A later run continues the sequence of the earlier ones." if facts.state else ""
        return f"/* Runs the network{samples}.{state} */"

    # ---- the source

    def source(self) -> str:
        """Returns the text of the source."""
        facts, helpers = self.facts, self.helpers.text()
        sections = [
            self._top(),
            self._fill(templates.DECLARED_WEIGHTS, words=str(self._words())) if self.isEmbedded else "",
            self._fill(templates.STRUCT, fields=rows(self._fields())),
            f"{section('arrays')}\n{_ABOUT_ARRAYS}\n{helpers}" if helpers else "",
            section("layers"), *self.functions,
            section("runs"), templates.FAIL, self._run(),
            *self._more(), self._fill(templates.CLOSE, unmap=self._unmap()), section("opening"), *self._files(),
            *self.opening(facts, self.isEmbedded, self.constants, self.arena, self.stateBytes).texts(),
        ]  # fmt: skip
        return "\n".join(text for text in sections if text)

    def _more(self) -> list[str]:
        """Returns the functions behind the one that runs the network."""
        return [self._fill(templates.FORGET)] if self.facts.state else []

    def _files(self) -> list[str]:
        """Returns the functions that read the file of weights."""
        checksum = f"0x{crc32(self.weights):08x}"
        return [] if self.isEmbedded else [templates.CHECKSUM, self._fill(templates.MAP, checksum=checksum)]

    def _unmap(self) -> str:
        """Returns the line that closes the file of weights."""
        net = self.facts.variable
        return "" if self.isEmbedded else f"  THNN_unmapFile({net}->weights, {net}->size);\n"

    def embedded(self) -> str:
        """Returns the text of the file that has the weights as an array of words."""
        content = self.weights.ljust(4 * self._words(), b"\0")
        words = [f"0x{word:08x}" for (word,) in struct.iter_unpack("<I", content)]
        lines = [f"  {', '.join(words[place : place + 8])}," for place in range(0, len(words), 8)]
        return self._fill(templates.WEIGHTS, words=str(self._words()), rows="\n".join(lines))

    def _words(self) -> int:
        return max(1, len(self.weights) // 4)

    def _top(self) -> str:
        facts = self.facts
        picture = facts.picture.splitlines()
        if len(picture) > _MOST_LINES:
            picture = [*picture[:_MOST_LINES], "..."]
        order = "It begins with the struct that owns all memory, and with functions that describe arrays. Then come the layers, "
        order += "runs, and opening."
        text = "".join(self.functions)
        includes = ["math"] * ("NAN" in text or "INFINITY" in text or repeats_on_nan(facts)) + ["stdarg", "stdio", "stdlib"]
        return self._fill(
            templates.TOP, picture="\n".join(f" *   {comment(line)}".rstrip() for line in picture),
            order=paragraph(order + (" n is the number of samples." if facts.isBatched else "")),
            includes="".join(f"#include <{name}.h>\n" for name in includes),
        )  # fmt: skip

    def _fields(self) -> list[tuple[str, str]]:
        """Returns the fields of the struct, with comments."""
        facts = self.facts
        found = [("THNNState *state", self.aboutState)]
        if facts.isBatched:
            found.append(("int64_t most", "the largest number of samples"))
        found += self._memory()
        if self.arena != 0:
            found.append(("char *arena", "the arrays between the layers"))
        if facts.state:
            found += [("char *now, *next", "the state before and after a run"), ("int hasState", "0 before the first run")]
            found += [("int64_t samples", "the number of samples of the state")] if facts.isBatched else []
        return [*((f"  {left};", text) for left, text in found), *self.constants.declared()]

    def _memory(self) -> list[tuple[str, str]]:
        """Returns the fields of the weights' memory, and of the memory that is allocated."""
        file = f"{self.facts.file}.bin"
        found = [("const char *weights", "an array of another file" if self.isEmbedded else f"{file}, mapped into memory")]
        found += [] if self.isEmbedded else [("uint64_t size", f"the number of bytes of {file}")]
        return [*found, ("char *memory", "the result of malloc: the memory below")]

    def _run(self) -> str:
        facts, net = self.facts, self.facts.variable
        name = f"{facts.name}_{facts.verb}"
        lines = [facts.running(), "{"]
        for one in (net, *(port.name for port in facts.ports)):
            lines.append(f'  if (!{one}) return fail(THNN_ERR_NULL, "{name}: {one}: expected an address, got NULL");')
        if facts.isBatched:
            text = f"{name}: n: expected {facts.least} to %lld, got %lld"
            lines.append(f"  if (n < {facts.least} || n > {net}->most)")
            lines.append(f'    return fail(THNN_ERR_VALUE, "{text}", (long long){net}->most, (long long)n);')
        if facts.state:
            return "\n".join([*lines, *self._run_with_state(), "}", ""])
        ports = [port.name for port in facts.ports]
        calls = [self._pass(self.entry, group, ports) for group in facts.groups]
        lines += [f"  if (n == 1) return {call};" for call in calls[:-1]]
        return "\n".join([*lines, f"  return {calls[-1]};", "}", ""])

    def _pass(self, kind: str, group: Group, ports: list[str]) -> str:
        """Returns the call of a pass."""
        given = [self.facts.variable, *(["n"] if group.least else []), *ports]
        return f"{kind}{self.facts.ending(group)}({', '.join(given)})"

    def _run_with_state(self) -> list[str]:
        facts, net = self.facts, self.facts.variable
        lines = []
        if facts.isBatched:
            lines += [
                f"  if ({net}->hasState && n != {net}->samples)",
                "    return fail(THNN_ERR_VALUE,",
                f'                "{facts.name}_run: n: expected %lld, as before, for the state of earlier runs, got %lld; "',
                f'                "{facts.name}_forget begins anew", (long long){net}->samples, (long long)n);',
            ]
        for port, offset in zip(facts.state, self.offsets, strict=True):
            for name, memory in ((port.short, "now"), (f"next_{port.short}", "next")):
                start = f"{net}->{memory}" if offset == 0 else f"({net}->{memory} + {number(offset)})"
                lines.append(f"  {port.type} *{name} = ({port.type} *){start};")
        inputs, outputs = [port.name for port in facts.inputs], [port.name for port in facts.outputs]
        before, after = [port.short for port in facts.state], [f"next_{port.short}" for port in facts.state]
        lines.append("  int32_t status;")
        for kind, given in (("later", [*inputs, *before, *outputs, *after]), ("first", [*inputs, *outputs, *after])):
            for group in facts.groups:
                conditions = [f"{net}->hasState"] * (kind == "later") + ["n == 1"] * (len(facts.groups) == 2 and not group.least)
                test = f"if ({' && '.join(conditions)}) " if conditions else ""
                start = "else " * ("status = " in lines[-1])
                lines.append(f"  {start}{test}status = {self._pass(kind, group, given)};")
        lines += ["  if (status != THNN_OK) return status;",
                  f"  char *before = {net}->now;",
                  f"  {net}->now = {net}->next;",
                  f"  {net}->next = before;",
                  f"  {net}->hasState = 1;"]  # fmt: skip
        return [*lines, *([f"  {net}->samples = n;"] if facts.isBatched else []), "  return THNN_OK;"]


_ABOUT_ARRAYS = "/* The description of an array: its memory, its sizes and its strides. */"
_RULES = (
    "All arrays are dense, in row-major order, and an output overlaps no input. One thread at a time runs a network. "
    "Each function returns THNN_OK (0) or an error of THNN.h; then THNN_lastError() has a text about it."
)


def _rounded(size: Number) -> Number:
    """Returns bytes that are enough for a block, so that the next one is aligned whatever n is."""
    if not isinstance(size, Size):
        return -(-size // _ALIGNED) * _ALIGNED
    return Size(0, -(-(size.b + max(0, size.a)) // _ALIGNED) * _ALIGNED)


def _value(value: Number) -> str:
    """Returns a number as the value of a macro with the argument n."""
    text = number(value).replace("n", "(n)") if isinstance(value, Size) else number(value)
    return f"({text})" if " " in text or text.startswith("-") else text
