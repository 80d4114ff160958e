"""Random programs of Lua that print what they compute. `HEAD` has helpers and tables with metatables, `TAIL` returns the text."""

from __future__ import annotations

import random

HEAD = """
local out = {}
local function S(v, isInner)
  local kind = type(v)
  if kind == 'table' then
    local r = {}
    for i = 1, 4 do r[i] = isInner and kind or S(rawget(v, i), true) end
    return '{' .. table.concat(r, ',') .. ',' .. (isInner and '' or S(rawget(v, 'k'), true)) .. '}'
  elseif kind == 'function' or kind == 'thread' then return kind
  elseif kind == 'number' and v ~= v then return 'nan'
  else return tostring(v) end
end
local function P(...)
  local r = {}
  for i = 1, select('#', ...) do r[i] = S((select(i, ...))) end
  out[#out + 1] = table.concat(r, ' ')
end
local T = {1, 2, 3, k = "kk", [true] = "T"}
local M = setmetatable({x = 1}, {
  __index = function(t, k) return k .. "!" end,
  __add = function(a, b) return type(a) .. type(b) end,
  __concat = function(a, b) return "cc" end,
  __eq = function() return true end,
  __call = function(s, a) return a, 1 end,
  __unm = function() return "neg" end,
  __tostring = function() return "M!" end,
  __lt = function() return true end})
local function F(a, b) return a, b, 3 end
local function F2(a) if a then return end return a, a end
local O = {v = 5}
function O:get(x) return self.v, x end
local function SP(t) return next, t end
local function main(...)
"""
TAIL = """
end
local ok, e = pcall(main, 1, nil, 'z')
out[#out + 1] = tostring(ok) .. ' ' .. S(e)
return table.concat(out, '\\n')
"""
NUMBERS = ("0", "1", "2", "3", "7", "0.5", "-1", "1e3", "10", "2^3", "-2.25", "255")
STRINGS = ('"a"', '"hello world"', '"10"', '"x=1, y=2"', '""', '"3.5"', '"aXbXc"')
OPERATORS = ("+", "-", "*", "/", "%", "..", "and", "or", "==", "~=", "<", "<=", "and", "or")
MAX_DEPTH = 3  # depth of expressions


class Writer:
    """Writes one program.

    Parameters
    ----------
    seed : int
        Every seed has its program.
    """

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.count = 0

    def program(self) -> str:
        return HEAD + self.block([], 0, 6) + TAIL

    def pick(self, *choices: str) -> str:
        return self.random.choice(choices)

    def variable(self) -> str:
        self.count += 1
        return f"v{self.count}"

    def expression(self, names: list[str], depth: int = 0) -> str:
        if depth > MAX_DEPTH or self.random.random() < 0.25:
            return self.pick(*(names or ["nil"]), self.pick(*NUMBERS), self.pick(*STRINGS), "nil", "true", "false")
        kinds = (self.operation, self.function, self.access, self.call, self.text, self.format, self.metatable)
        return self.random.choice(kinds)(names, depth + 1)

    def safe(self, names: list[str]) -> str:
        """Returns an expression that ends no program by an error, most times."""
        a = self.expression(names)
        return self.pick(a, *[f"select(2, pcall(function() return {a} end))"] * 2)

    def operation(self, names: list[str], depth: int) -> str:
        a, b = self.expression(names, depth), self.expression(names, depth)
        minus = f"-{a}" if depth < MAX_DEPTH and not a.startswith("-") else "1"
        return self.pick(*[f"({a} {self.pick(*OPERATORS)} {b})"] * 3, f"(not {a})", minus, f"{{{a}, {b}, k = {a}}}")

    def function(self, names: list[str], depth: int) -> str:
        inner = self.expression([*names, "a"], depth + 1)
        results = self.pick("a, ...", "c", "...", "select(2, ...)", "c, a")
        arguments = f"{self.expression(names, depth)}, {self.expression(names, depth)}"
        return f"(function(a, ...) local c = {inner} return {results} end)({arguments})"

    def access(self, names: list[str], depth: int) -> str:
        a = self.expression(names, depth)
        return self.pick(f"T[{a}]", f"M.{self.pick('x', 'y', 'zz')}", f"#{self.pick(*STRINGS, 'T')}", f"tostring({a})")

    def call(self, names: list[str], depth: int) -> str:
        a, b, c = (self.expression(names, depth) for _ in range(3))
        return self.pick(
            f"select('#', {self.pick(f'F({a})', f'F2({a})', a)})",
            *(f"F({a}, {b})", f"(F2({a}))", f"O:get({a})", f"pcall(F, {a})", f"unpack({{{a}, {b}, {c}}})"),
            f"{self.pick('math.floor', 'math.abs', 'math.max', 'tonumber', 'type')}({a})",
            *(f"select(2, pcall(function() return {a} end))", f"table.concat({{{a}, {b}}}, ',')"),
        )

    def text(self, names: list[str], depth: int) -> str:
        text, pattern = self.pick(*STRINGS), self.pattern()
        methods = ("upper()", "len()", "rep(2)", "sub(2, -2)", "byte(1, 2)", "reverse()", f"find({self.pick(*STRINGS)})")
        replaced = f"function(c) return {self.expression(['c'], MAX_DEPTH)} end"
        new = self.pick("'<%0>'", "string.upper", "{a = 1, l = true}", replaced)
        return self.pick(
            f"({text}):{self.pick(*methods)}",
            f"string.{self.pick('match', 'find')}({text}, {pattern})",
            f"string.gsub({text}, {pattern}, {new})",
        )

    def format(self, names: list[str], depth: int) -> str:
        form = self.pick("%d", "%5.2f", "%s", "%q", "%x", "%-5s|", "%05d", "%g", "%e")
        value = self.pick(self.pick(*NUMBERS), self.pick(*STRINGS), self.expression(names, depth))
        if "s" in form:
            value = f"tostring({value})"  # LuaJIT does it by itself
        return f"string.format('{form}', ({value}))"

    def metatable(self, names: list[str], depth: int) -> str:
        a = self.expression(names, depth)
        return self.pick(f"M + {a}", f"({a} .. M)", f"(M == {a})", f"(M < {a})")

    def pattern(self) -> str:
        parts = ("%a", "%d", ".", "[a-c]", "[^x]", "(%w)", "x", "o", "%s", "()", "(.)", "%p", "l")
        text = ""
        for _ in range(self.random.randint(1, 3)):
            part = self.pick(*parts)
            text += part if part.endswith(")") else part + self.pick("", "", "*", "+", "-", "?")
        return f'"{text}{self.pick("", "", "$")}"'

    def block(self, names: list[str], depth: int = 0, most: int = 4) -> str:
        names, lines = list(names), []
        simple = (self.declaration, self.pair, self.assignment, self.store, self.printed)
        nested = (self.condition, self.numeric, self.generic, self.repeated, self.local_function, self.coroutine)
        for _ in range(self.random.randint(1, most)):
            isNested = depth < 2 and self.random.random() < 0.35
            lines.append(self.random.choice(nested if isNested else simple)(names, depth))
        return "\n".join(lines)

    def declaration(self, names: list[str], depth: int) -> str:
        value, name = self.safe(names), self.variable()
        names.append(name)
        return f"local {name} = {value}"

    def pair(self, names: list[str], depth: int) -> str:
        a = self.expression(names)
        values = self.pick(f"F({a})", f"F2({a})", "1, nil, 'z'", f"{a}, {self.expression(names)}")
        first, second = self.variable(), self.pick(self.variable(), *(names or ["w"]))
        names += [first, second]
        return f"local {first}, {second} = {values}"

    def assignment(self, names: list[str], depth: int) -> str:
        if len(names) < 2:
            return self.declaration(names, depth)
        a, b = self.random.sample(names, 2)
        return self.pick(f"{a} = {self.safe(names)}", f"{a}, {b} = {b}, {self.safe(names)}")

    def store(self, names: list[str], depth: int) -> str:
        return f"T[{self.pick(*NUMBERS, *STRINGS, 'true')}] = {self.safe(names)}"

    def printed(self, names: list[str], depth: int) -> str:
        return f"P({', '.join(self.safe(names) for _ in range(self.random.randint(1, 3)))})"

    def condition(self, names: list[str], depth: int) -> str:
        a, b = self.safe(names), self.safe(names)
        bodies = [self.block(names, depth + 1, n) for n in (3, 2, 2)]
        return f"if {a} then\n{bodies[0]}\nelseif {b} then\n{bodies[1]}\nelse\n{bodies[2]}\nend"

    def numeric(self, names: list[str], depth: int) -> str:
        """A loop whose turns make functions that are called after it."""
        i, functions = self.variable(), self.variable()
        inner = [*names, i]
        changed = self.pick("", f"{i} = {self.expression(inner, 2)}")
        end = self.pick("", f"if {self.expression(inner)} then break end")
        return (
            f"local {functions} = {{}}\nfor {i} = {self.pick('1, 3', '3, 1, -1', '1, 2, 0.5')} do\n"
            f"{self.block(inner, depth + 1, 3)}\n"
            f"{functions}[#{functions} + 1] = function() {changed} return {self.expression(inner)} end\n{end}\nend\n"
            f"for _, g in ipairs({functions}) do P(pcall(g)) P(pcall(g)) end"
        )

    def generic(self, names: list[str], depth: int) -> str:
        i, j = self.variable(), self.variable()
        table = f"{{{self.expression(names)}, {self.expression(names)}}}"
        return f"for {i}, {j} in {self.pick('ipairs', 'SP')}({table}) do\n{self.block([*names, i, j], depth + 1, 3)}\nend"

    def repeated(self, names: list[str], depth: int) -> str:
        i, inner = self.variable(), self.variable()
        body = f"local {inner} = {self.expression(names)}; {i} = {i} + 1; P({inner})"
        names.append(i)
        return f"local {i} = 0\nrepeat {body} until {i} > 2 or {inner} == {self.expression(names[:-1])}"

    def local_function(self, names: list[str], depth: int) -> str:
        name, inner = self.variable(), [*names, "a", "b"]
        body = f"{self.block(inner, depth + 2, 3)}\nreturn {self.expression(inner)}"
        return f"local function {name}(a, b)\n{body}\nend\nP(pcall({name}, {self.expression(names)}, {self.expression(names)}))"

    def coroutine(self, names: list[str], depth: int) -> str:
        a, b, c = self.expression(names), self.expression([*names, "b"]), self.expression(names)
        body = f"local b = coroutine.yield({a}) P(a, b) return {b}"
        return f"do local co = coroutine.wrap(function(a) {body} end) P(pcall(co, 1)) P(pcall(co, {c})) end"
