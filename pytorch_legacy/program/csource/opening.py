"""Writes the functions that open a network: memory, weights, and first runs."""

from __future__ import annotations

from pytorch_legacy.program.csource import templates
from pytorch_legacy.program.csource.facts import Facts, Port, wrapped
from pytorch_legacy.program.csource.passes import Constants
from pytorch_legacy.program.csource.templates import fill, paragraph
from pytorch_legacy.program.encoding import ALIGNED
from pytorch_legacy.program.listing import Number, Size

_WINOGRAD = (5, 6)  # THNN_BY_WINOGRAD_2, THNN_BY_WINOGRAD_4


def repeats_on_nan(facts: Facts) -> bool:
    """Returns whether a convolution computes again, in more scratch memory, samples that are not finite."""
    lists = [one for group in facts.groups for one in (group.first, group.later) if one is not None]
    calls = [call for one in lists for call in one.calls if "Convolution" in call.name]
    if facts.training is None:
        calls = [call for call in calls if "Fused" in call.name and call.arguments[-1] in _WINOGRAD]
    return bool(calls) and any(_isFloat(port) for port in facts.inputs)


def _isFloat(port: Port) -> bool:
    return port.type in ("float", "double")


class Opening:
    """Writes the functions from the description of the weights to ``net_open``.

    Parameters
    ----------
    facts : Facts
    isEmbedded : bool
        Whether the weights are an array of another file.
    constants : Constants
        The weights.
    arena, state : Number
        Bytes of the arrays between the layers, and of the state.
    """

    def __init__(self, facts: Facts, isEmbedded: bool, constants: Constants, arena: Number, state: Number) -> None:
        self.facts = facts
        self.isEmbedded = isEmbedded
        self.constants = constants
        self.arena = arena
        self.state = state
        self.words = {"name": facts.name, "upper": facts.name.upper(), "net": facts.variable}

    def texts(self) -> list[str]:
        """Returns the functions."""
        isLong = self.facts.isBatched or bool(self.facts.state)
        return [self._set_weights(), self._allocate(), self._run_each() if isLong else "", self._prepare(isLong), self._open()]

    def _fill(self, template: str, **words: str) -> str:
        return fill(template, **self.words, **words)

    def _set_weights(self) -> str:
        lines = [f"  {self.facts.variable}->{one.field} = {one.value};\n" for one in self.constants.fields.values()]
        if any("(weights" in line for line in lines):
            lines.insert(0, f"  const char *weights = {self.facts.variable}->weights;\n")
        return self._fill(templates.SET_WEIGHTS, lines="".join(lines)) if lines else ""

    def _allocate(self) -> str:
        facts, net = self.facts, self.facts.variable
        most = f"{net}->most"
        parts: list[tuple[str, str, str]] = []  # a name, the bytes, the field
        if self.arena != 0:
            parts.append(("the arena", facts.macro("arena", self.arena, most), "arena"))
        parts += self._parts()
        sizes = [size for _, size, _ in parts]
        starts = [" + ".join(["start", *sizes[:place]]) for place in range(len(parts))]
        lines = [self._placed(field, start) for (_, _, field), start in zip(parts, starts, strict=True)]
        lines += self._pointers()
        names = [name for name, _, _ in parts]
        text = ", ".join(names[:-1]) + " and " * (len(names) > 1) + names[-1] if names else "no memory"
        return self._fill(
            templates.ALLOCATE, parts=text, total=" + ".join([str(ALIGNED), *sizes]), lines="".join(lines) or "  (void)start;\n"
        )

    def _parts(self) -> list[tuple[str, str, str]]:
        """Returns further parts of the memory: names, bytes and fields."""
        facts = self.facts
        return [("the state", facts.macro("state", self.state, f"{facts.variable}->most"), "now")] if facts.state else []

    def _placed(self, field: str, start: str) -> str:
        """Returns the line that sets the pointer to a part."""
        return f"  {self.facts.variable}->{field} = {start};\n"

    def _pointers(self) -> list[str]:
        """Returns the lines that set pointers into the parts."""
        facts, net = self.facts, self.facts.variable
        half = f"{facts.macro('state', self.state, f'{net}->most')} / 2"
        return [f"  {net}->next = {net}->now + {half};\n"] if facts.state else []

    # ---- first runs

    def _run(self, n: str) -> str:
        """Returns the call that runs the network."""
        facts = self.facts
        given = [facts.variable, *([n] if facts.isBatched else []), *(port.name for port in facts.ports)]
        return f"{facts.name}_{facts.verb}({', '.join(given)})"

    def _run_each(self) -> str:
        facts, net = self.facts, self.facts.variable
        parameters = [f"struct {facts.name} *{net}", *(f"const {port.type} *{port.name}" for port in facts.inputs)]
        parameters += [f"{port.type} *{port.name}" for port in facts.outputs]
        steps = [f"TRY({self._run('n')});"]
        if facts.state:
            steps += [f"TRY({self._run('n')}); /* with a state */", f"TRY({facts.name}_forget({net}));"]
        indent = "    " if facts.isBatched else "  "
        body = "".join(f"{indent}{step}\n" for step in steps)
        if facts.isBatched:
            body = self._fill(
                templates.EACH_NUMBER,
                least=str(facts.least),
                opens=" {" * (len(steps) > 1),
                body=body,
                closes="  }\n" * (len(steps) > 1),
            )
        about = "for one number of samples after the other" if facts.isBatched else "at the beginning of a sequence, and later"
        return self._fill(
            templates.RUN_EACH, about=about, declaration=wrapped("static int32_t run_each(", parameters, ")"), body=body
        )

    def _prepare(self, isLong: bool) -> str:
        facts, net = self.facts, self.facts.variable
        buffers = []
        for port in facts.ports:
            count = self._count(port)
            buffers.append(f"  {port.type} *{port.name} = ({port.type} *)calloc((size_t){count}, sizeof *{port.name});\n")
        pairs = zip(facts.inputs, facts.fills, strict=True)
        lines = [line for port, numbers in pairs for line in self._filled(port, numbers)]
        run = f"run_each({', '.join([net, *(port.name for port in facts.ports)])})" if isLong else self._run("")
        lines.append(f"  if (status == THNN_OK) status = {run};\n")
        what = "zeros" if all(numbers == (0,) for numbers in facts.fills) else "numbers that it takes"
        if repeats_on_nan(facts):
            lines += self._run_on_nan(run)
            what += ", and on NaN, for which some convolutions need more memory"
        lines += [f"  free({port.name});\n" for port in facts.ports]
        return self._fill(
            templates.PREPARE, about=f"/* {paragraph(self._about_prepare(what), '   ').lstrip()} */", buffers="".join(buffers),
            areThere=" && ".join(port.name for port in facts.ports), lines="".join(lines),
        )  # fmt: skip

    def _about_prepare(self, what: str) -> str:
        """Returns the comment of the function that makes the first runs, on `what`."""
        return f"Runs the network on {what}. After that the weights are packed, and there is scratch memory for all later runs."

    def _count(self, port: Port) -> str:
        """Returns the number of elements of an input or output."""
        return self.facts.macro(port.name, port.elements, f"{self.facts.variable}->most")

    def _filled(self, port: Port, numbers: tuple[int, ...]) -> list[str]:
        """Returns the lines that fill an input with numbers. It is zero already."""
        start = f"  for (int64_t i = 0; status == THNN_OK && i < {self._count(port)}; i++) {port.name}[i] ="
        if len(numbers) == 1:
            return [f"{start} {numbers[0]};\n"] if numbers[0] else []
        given = wrapped(f"  const {port.type} of_{port.name}[{len(numbers)}] = {{", [*map(str, numbers)], "};")
        return [f"{given}\n", f"{start} of_{port.name}[i % {len(numbers)}];\n"]

    def _run_on_nan(self, run: str) -> list[str]:
        """Returns the lines that run the network on NaN."""
        facts = self.facts
        lines = ["  if (status == THNN_OK) {\n"]
        for port in filter(_isFloat, facts.inputs):
            lines.append(f"    for (int64_t i = 0; i < {self._count(port)}; i++) {port.name}[i] = NAN;\n")
        lines.append(f"    (void){run}; /* it may fail */\n")
        return [*lines, *([f"    (void){facts.name}_forget({facts.variable});\n"] if facts.state else []), "  }\n"]

    # ---- the last function

    def _open(self) -> str:
        facts = self.facts
        name, checks = facts.name, ""
        if not self.isEmbedded:
            checks += f'  if (!bin) return fail(THNN_ERR_NULL, "{name}_open: bin: expected the path of a file, got NULL");\n'
        if facts.isBatched:
            largest = self._largest()
            checks += f"  if (most < {facts.least} || most > INT64_C({largest}))\n"
            text = f"{name}_open: most: expected {facts.least} to {largest}, got %lld"
            checks += f'    return fail(THNN_ERR_VALUE, "{text}", (long long)most);\n'
        return self._fill(
            templates.OPEN, open=facts.opening(self.isEmbedded), checks=checks,
            most="  made->most = most;\n" if facts.isBatched else "",
            read=self._read(), state=self._set_state(),
            set="  if (status == THNN_OK) set_weights(made);\n" if self.constants.fields else "",
            prepare=self._call_prepare(),
        )  # fmt: skip

    def _read(self) -> str:
        """Returns the line that sets the pointer to the weights, or reads them."""
        embedded = f"  made->weights = (const char *){self.facts.name}_weights;\n"
        return embedded if self.isEmbedded else "  if (status == THNN_OK) status = map_weights(made, bin);\n"

    def _set_state(self) -> str:
        """Returns the lines that make the library's state."""
        call = f"THNN_newProgramState(made->weights, {self.words['upper']}_WEIGHTS, &made->state)"
        return f"  if (status == THNN_OK) status = {call};\n"

    def _call_prepare(self) -> str:
        """Returns the lines that make the first runs."""
        return self._fill(templates.PREPARE_AND_RELEASE)

    def _largest(self) -> int:
        """Returns a number of samples whose bytes can be counted in 64 bits."""
        every = [self.arena, self.state, *(port.bytes for port in self.facts.ports)]
        step = sum(size.b + max(0, size.a) for size in every if isinstance(size, Size))
        return min(10**12, (1 << 61) // max(1, step))
