"""Penlight: ``pl`` and ``lapp``."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

import pytorch_legacy as pl

from ..running import rows

HELP = """
Trains a network.
  -s,--save          (default "logs")      subdirectory to save logs
  -b,--batchSize     (default 128)         batch size
  -r,--learningRate  (default 1)           learning rate
  --epoch_step       (number)              epoch step
  --model            (small|large)         which one
  --rate             (0..1 default 0.5)    share
  --type             (string default cuda) kind
  --flip                                   mirror images
  --fast             (default true)        faster
  -v                                       more words
  --max-epoch        (default 300)         epochs
  <input>            (string)              file
  <rest...>          (default 0)           numbers
"""


def options(*words: str, text: str = HELP) -> Any:
    session = pl.lua.Session(requires=["pl"])
    session.globals["arg"] = {0: "a/train.lua", **dict(enumerate(words, 1))}
    return session.execute(f"return lapp[[{text}]]")


NEEDED = ("--epoch_step", "25", "--model", "small")


def test_lapp_defaults() -> None:
    found = dict(options(*NEEDED, "x.t7"))
    assert list(found.pop("rest").values()) == [0]
    assert found == {
        **{"save": "logs", "batchSize": 128, "learningRate": 1, "epoch_step": 25, "model": "small", "rate": 0.5, "type": "cuda"},
        **{"flip": False, "fast": True, "v": False, "max_epoch": 300, "input": "x.t7"},
    }


def test_lapp_words() -> None:
    words = ("-b", "64", "-r0.5", "--save=out", "--flip", "--fast", "-v", "--rate", "0.25", "--type:float", "x.t7", "-0.5")
    found = options(*NEEDED, *words[:-1], "--", "8", "9")
    assert (found["batchSize"], found["learningRate"], found["save"], found["rate"], found["type"]) == (
        64,
        0.5,
        "out",
        0.25,
        "float",
    )
    assert (found["flip"], found["fast"], found["v"], found["input"]) == (True, False, True, "x.t7")
    assert (found[1], found[2]) == ("8", "9")


def test_lapp_lists() -> None:
    text = "\n -n (default 1) n\n <names...> (string) names\n"
    assert list(options("a", "-n", "-3", "b", text=text)["names"].values()) == ["a", "b"]
    assert options("a", "-n", "-3", text=text)["n"] == -3


@pytest.mark.parametrize("words, message", [
    (("--nosuch",), "train: unrecognized parameter: nosuch"),
    ((*NEEDED, "--rate", "2"), "train: rate out of range"),
    (("--model", "huge"), "train: value 'huge' not in small|large"),
    (("--epoch_step", "x"), "train: unable to convert to number: x"),
    (("--epoch_step",), "train: epoch_step was expecting a value"),
    ((), "train: missing required parameter: epoch_step"),
])  # fmt: skip
def test_lapp_errors(words: tuple[str, ...], message: str, capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        options(*words)
    assert caught.value.code == 1
    assert capfd.readouterr().err == f"{message}\n\n" + HELP.removeprefix("\n")


def test_lapp_help_and_types(capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        options("-h")
    assert capfd.readouterr().err == HELP.removeprefix("\n")
    with pytest.raises(SystemExit):
        options(text="\n -x (wrong) y\n")
    assert capfd.readouterr().err.startswith("train: wrong is unknown type\n")
    session = pl.lua.Session(requires=["pl"])
    code = (
        "lapp.add_type('twice', function(s) return 2 * s end) lapp.show_usage_error = 'throw' "
        "local t = lapp('-x (twice) x\\n', {'-x', '4'}) return t.x, pcall(lapp, '-x (number) x\\n', {'-y'})"
    )
    assert session.execute(code) == (8.0, False, "inter: unrecognized parameter: y")


@rows(
    ("return stringx.strip('  a '), stringx.lstrip('xxa', 'x'), stringx.rjust('7', 3, '0'), stringx.center('a', 4)",
     ("a", "a", "007", " a  ")),
    ("return tostring(stringx.split('a b  c')), #stringx.split('a,b,', ','), tostring(stringx.split('a,b,c', ',', 2))",
     ('{"a","b","c"}', 3.0, '{"a","b,c"}')),
    ("return stringx.startswith('net.t7', 'net'), stringx.endswith('a.t7', {'.lua', '.t7'}), stringx.isdigit('12'), "
     "stringx.at('abc', -1), stringx.count('banana', 'ana', true)", (True, True, True, "c", 2.0)),
    ("return stringx.partition('a=b=c', '=')", ("a", "=", "b=c")),
    ("stringx.import() return ('a-b'):replace('-', '+'), ('x'):ljust(3, '.'), ('ab cd'):title(), ('a'):join{'1', '2'}",
     ("a+b", "x..", "Ab Cd", "1a2")),
    ("return stringx.rfind('abcabc', 'b'), stringx.shorten('1234567890', 8), #stringx.splitlines('a\\nb\\r\\nc')",
     (5.0, "12345...", 3.0)),
    ("return tostring(tablex.keys{a = 1}), tablex.size{1, x = 2}, tablex.find({1, 2, 3}, 3), "
     "tablex.deepcompare({1, {2}}, {1, {2}})",
     ('{"a"}', 2.0, 3.0, True)),
    ("local t = {1, {2}} local u = tablex.deepcopy(t) u[2][1] = 5 return t[2][1], #tablex.range(1, 5), "
     "tablex.reduce('+', {1, 2, 3})",
     (2.0, 5.0, 6.0)),
    ("return table.concat(tablex.map('_ * 2', {1, 2}), ' '), table.concat(tablex.imap('|x, y| x + y', {1, 2}, 10), ' '), "
     "table.concat(tablex.filter({1, 2, 3}, '_ > 1'), ' ')", ("2 4", "11 12", "2 3")),
    ("local t = tablex.merge({a = 1}, {b = 2}, true) return t.a, t.b, pcall(tablex.map, 5, {1})",
     (1.0, 2.0, False, "argument 1: must be callable")),
    ("local l = List{3, 1, 2} l:append(0):sort() return tostring(l), l:contains(2), l:index(3), tostring(l:slice(2, 3)), l:pop()",
     ("{0,1,2,3}", True, 4.0, "{1,2}", 3.0)),
    ("return tostring(List{1} .. List{2}), List{1, 2} == List{1, 2}, List('ab'):join('-'), List.range(1, 3):reduce('*'), #List()",
     ("{1,2}", True, "a-b", 6.0, 0.0)),
    ("local A = class() function A:_init(x) self.x = x end function A:get() return self.x end "
     "class.B(A) function B:_init(x) self:super(x + 1) end local b = B(1) "
     "return b:get(), b:is_a(A), B:class_of(A(1)), b:is_a() == B", (2.0, True, False, True)),
    ("local s = Set{1, 2} + Set{3} return Set.len(s), tostring(s), Set{1} < s, s[2]", (3.0, "[1,2,3]", True, True)),
    ("local m = OrderedMap() m:set('b', 1) m:set('a', 2) local n = Map{x = 5} "
     "return tostring(m), m:get('a'), m.b, n:get('x'), n.x",
     ("{b=1,a=2}", 2.0, 1.0, 5.0, 5.0)),
    ("return pretty.write({1, 'a', x = {y = true}}, ''), pretty.write{}, pretty.write({['a b'] = 1}, ''), "
     "pretty.number(2500, 'N')",
     ('{1,"a",x={y=true}}', "{\n}", '{["a b"]=1}', "2.5K")),
    ("return pretty.write({1, a = 'x'}), pretty.read('{1, x = {2}}').x[1], pretty.read('{f = function() end}')",
     ('{\n  1,\n  a = "x"\n}', 2.0, None, "cannot have functions in table definition")),
    ("local t = {} t.t = t return pretty.write(t, '')", "{t=<cycle>}"),
    ("return path.join('a', 'b', '/c'), path.basename('a/b.t7'), path.extension('a/b.t7'), path.splitext('a/b.t7')",
     ("/c", "b.t7", ".t7", "a/b", ".t7")),
    ("return path.exists('/no/such'), path.isdir('/'), path.abspath('x'), path.dirname('a/b'), path.splitpath('a')",
     (None, True, os.getcwd() + "/x", "a", "", "a")),
    ("return table.concat(utils.split('a b'), '+'), utils.escape('a.b'), utils.choose(false, 1, 2), utils.splitv('k=v', '=')",
     ("a+b", "a%.b", 2.0, "k", "v")),
    ("local f = utils.memoize(function(x) return {x} end) return f(1) == f(1), "
     "utils.string_lambda('_ + 1')(2), utils.raise('no')",
     (True, 3.0, None, "no")),
    ("local p = require 'pl.import_into'() return type(p.lapp), p.List == List, p.nosuch, type(require 'pl.path')",
     ("table", True, None, "table")),
)  # fmt: skip
def test_modules(code: str, expected: Any) -> None:
    assert pl.lua.Session(requires=["pl"]).execute(code) == expected


def test_files(tmp_path: Path) -> None:
    session = pl.lua.Session(requires=["pl"])
    session.globals["root"] = str(tmp_path)
    found = session.execute("""
        local deep = path.join(root, 'a', 'b')
        assert(dir.makepath(deep) and file.write(path.join(deep, 'x.lua'), 'one\\ntwo\\n'))
        assert(file.copy(path.join(deep, 'x.lua'), path.join(root, 'y.txt')))
        local names = {}
        for _, name in ipairs(dir.getallfiles(root, '*.lua')) do table.insert(names, path.relpath(name, root)) end
        for base, folders, files in dir.walk(root) do table.insert(names, #folders .. #files) end
        local lines = utils.readlines(path.join(root, 'y.txt'))
        assert(#dir.getfiles(root) == 1 and #dir.getdirectories(root) == 1 and path.getsize(path.join(root, 'y.txt')) == 8)
        assert(dir.rmtree(path.join(root, 'a')) and not path.exists(deep))
        local text, problem = file.read(deep)
        return table.concat(names, ' '), #lines, lines[2], text, problem == deep .. ': No such file or directory'
    """)
    assert found == ("a/b/x.lua 11 10 01", 2.0, "two", None, True)
