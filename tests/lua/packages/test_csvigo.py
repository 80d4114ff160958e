"""The package ``csvigo``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import pytorch_legacy as pl
from pytorch_legacy.lua.packages.csvigo import split
from pytorch_legacy.lua.session import View

TEXT = 'num,"brand, of",age\r\n"1",a,24\r\n2,"b ""c""",26\n3,a,24'


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "x.csv"
    path.write_bytes(TEXT.encode())
    return path


def run(file: Path, code: str) -> Any:
    session = pl.lua.Session(requires=["csvigo"], globals={"path": str(file)})
    return plain(session.execute(code, "=t"))


def plain(value: Any) -> Any:
    """Returns tables as dicts, and those whose keys are numbers as lists."""
    if isinstance(value, tuple):
        return tuple(map(plain, value))
    if not isinstance(value, (pl.lua.Table, View)):
        return value
    pairs = {key: plain(one) for key, one in pl.lua.view(value).items()}
    return list(pairs.values()) if 1.0 in pairs else pairs


def test_modes(file: Path) -> None:
    names, columns = run(file, "return csvigo.load{path = path, verbose = false, column_order = true}")
    assert names == ["num", "brand, of", "age"] and columns == {
        "num": ["1", "2", "3"],
        "brand, of": ["a", 'b "c"', "a"],
        "age": ["24", "26", "24"],
    }
    assert run(file, "return csvigo.load{path = path, mode = 'raw', verbose = false}")[2] == ["2", 'b "c"', "26"]
    code = "local m = csvigo.load{path = path, mode = 'large', verbose = false} local n = 0 for k, v in pairs(m) do n = n + k end"
    assert run(file, code + " return #m, m[4][1], n, pcall(function() m[1] = 2 end)")[:4] == (4, "3", 10, False)
    code = "local t = csvigo.load{path = path, header = false, skip = 1} return t.var_3, torch.Tensor(t.var_1):sum()"
    assert run(file, code) == (["24", "26", "24"], 6)


def test_queries(file: Path) -> None:
    begin = "local q = csvigo.load{path = path, mode = 'query', verbose = false} "
    assert run(file, begin + "return q('vars')") == ["num", "brand, of", "age"]
    assert run(file, begin + "return q('union', {num = {1, 7}, age = 26}).num, q('inter', {age = '24', num = 3}).num") == (
        ["1", "2"],
        ["3"],
    )
    assert run(file, begin + "return q().age, q('all').age, q{query = 'all'}.age") == (["24", "26", "24"],) * 3


def test_what_is_saved_is_loaded_again(file: Path) -> None:
    run(file, "csvigo.save{path = path, data = {a = {1, 2.5}, b = {'x,y', 0/0}}, nan_as_missing = true, verbose = false}")
    assert file.read_text() == 'a,b\n1,"x,y"\n2.5,\n'
    assert run(file, "return csvigo.load{path = path, verbose = false}") == {"a": ["1", "2.5"], "b": ["x,y", ""]}
    run(file, "csvigo.save{path = path, data = {{'say \"a\"', 1}, {2, 3}}, separator = ';', verbose = false}")
    assert file.read_text() == '"say ""a""";1\n2;3\n'
    run(file, "local f = csvigo.File(path, 'w') f:write{'p', 'q'} f:writeall{{1, 2}} f:close()")
    assert run(file, "local f = csvigo.File(path, 'r') local a, b = f:read(), f:readall() f:close() return a, b") == (
        ["p", "q"],
        [["1", "2"]],
    )


def test_fields_of_a_line() -> None:
    assert split("", ",") == [""] and split("a,", ",") == ["a", ""] and split('"a,b"x,c', ",") == ["a,b", "c"]
    assert split("1 2\t3", " ") == ["1", "2", "3"] and split("1|2.3", "|") == ["1", "2.3"] and split('"",b', ",") == ["", "b"]


def test_errors(file: Path) -> None:
    def message(code: str) -> str:
        return str(run(file, f"return select(2, pcall(function() {code} end))"))

    assert message("csvigo.load{path = 'no.csv', verbose = false}").endswith("no.csv: No such file or directory")
    assert message("csvigo.load{path = path, mode = 'tidi'}").endswith("mode: expected one of raw, tidy, query, large, got tidi")
    file.write_text("a,b\n1,2,3\n")
    assert message("csvigo.load{path = path, verbose = false}").endswith("row 1: expected 2 fields, as in the first, got 3")
    file.write_text('a,"b\n')
    assert message("csvigo.load{path = path, verbose = false}").endswith('unmatched "')
    sandbox = pl.lua.Session(requires=["csvigo"], sandbox=True)
    assert sandbox.execute("return pcall(csvigo.load, 'x')") == (False, "a sandbox has no csvigo.load")
