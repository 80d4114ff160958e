"""Tensors and tables between .t7 and .npy, .csv and .txt, both ways, without a change of a number."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pytorch_legacy as pl
from pytorch_legacy import errors, interop, nn, t7
from pytorch_legacy.cli import main
from pytorch_legacy.interop import plain

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
RNG = np.random.default_rng(0)


def convert(capsys: pytest.CaptureFixture[str], *arguments: object) -> str:
    assert main(["convert", *map(str, arguments)]) == 0, capsys.readouterr().err
    return capsys.readouterr().out


def refused(capsys: pytest.CaptureFixture[str], *arguments: object) -> str:
    assert main(["convert", *map(str, arguments)]) == 1
    text = capsys.readouterr().err
    assert text.count("\n") == 1
    return text


def same(one: Any, other: Any) -> bool:
    if isinstance(one, np.ndarray):
        isAlike = type(other) is np.ndarray and one.dtype == other.dtype and one.shape == other.shape
        return isAlike and one.tobytes() == other.tobytes()
    if isinstance(one, dict):
        return isinstance(other, dict) and [*one] == [*other] and all(same(one[key], other[key]) for key in one)
    if isinstance(one, list):
        return isinstance(other, list) and len(one) == len(other) and all(map(same, one, other))
    return one == other and (isinstance(one, str) == isinstance(other, str))


ODD = np.array([0.1, -0.0, 1e300, 5e-324, np.nan, np.inf, -np.inf, 1 / 3, 2.0**53 + 2, 123456789.123456789])
TABLES = {
    "list of text": ["cat", "dog, big", 'a "b"', "3", "", " x ", "true", "nan", "line\nbreak", "a\r\nb", "c\r", "é\udce9"],
    "mixed list": ["a", 1, 2.5, True, "1"],
    "booleans": [True, False],
    "rows": [["a", 1], ["b", 2], ["1", 3]],
    "columns": {"name": ["a", "b"], "x": np.array([0.5, 2]), "n": np.array([1, 2])},
    "key and value": {"lr": 0.1, "epochs": 3, "name": "x", "nesterov": True, 5: "five", "7": 7},
    "vocabulary": {"a": 1, "3": 2, "\n": 3, '"': 4, ",": 5, "key": 6, " ": 7},
}


@pytest.mark.parametrize("form", ["binary", "ascii"])
@pytest.mark.parametrize("name", ["double", "float", "half", "long", "int", "short", "char", "byte"])
def test_tensors_there_and_back(name: str, form: str, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    dtype = np.dtype(plain.TYPES[name])
    numbers = ODD if dtype.kind == "f" else np.array([np.iinfo(dtype).min, np.iinfo(dtype).max, 0, 1, 2, 3])
    with np.errstate(over="ignore"):
        numbers = numbers.astype(dtype)
    for array in (numbers, numbers.reshape(2, -1), numbers[:5].reshape(1, -1), np.zeros((2, 3, 1, 4), dtype), numbers[::-2]):
        pl.save(tmp_path / "x.t7", array, form)
        for ending in (".npy", ".csv", ".txt") if array.ndim < 3 else (".npy",):
            convert(capsys, tmp_path / "x.t7", tmp_path / f"x{ending}")
            out = convert(capsys, tmp_path / f"x{ending}", tmp_path / "y.t7", *(() if ending == ".npy" else ("--type", name)))
            assert f"a tensor of {'x'.join(map(str, array.shape))}, {dtype}" in out
            assert same(array, pl.load(tmp_path / "y.t7")), ending


@pytest.mark.parametrize("name", TABLES)
def test_tables_there_and_back(name: str, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    pl.save(tmp_path / "x.t7", TABLES[name])
    value = pl.load(tmp_path / "x.t7")
    convert(capsys, tmp_path / "x.t7", tmp_path / "x.csv")
    convert(capsys, tmp_path / "x.csv", tmp_path / "y.t7")
    assert same(value, pl.load(tmp_path / "y.t7")), (tmp_path / "x.csv").read_bytes()


def test_text_lines(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    classes = pl.load(EXAMPLES / "digits" / "digits.t7")["classes"]
    convert(capsys, EXAMPLES / "digits" / "digits.t7", tmp_path / "classes.txt", "--key", "classes")
    assert (tmp_path / "classes.txt").read_text() == "".join(f"{name}\n" for name in classes)
    convert(capsys, tmp_path / "classes.txt", tmp_path / "text.t7", "--type", "text")
    assert pl.load(tmp_path / "text.t7") == classes
    convert(capsys, tmp_path / "classes.txt", tmp_path / "numbers.t7")
    assert same(np.arange(10), pl.load(tmp_path / "numbers.t7"))


def test_parts_of_a_file(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    test = EXAMPLES / "digits" / "digits_test.t7"
    images = pl.load(test)["images"]
    assert "a tensor of 355x1x8x8, uint8" in convert(capsys, test, tmp_path / "images.npy", "--key", "images")
    assert same(images, np.load(tmp_path / "images.npy"))
    big = np.arange(50_000.0).reshape(2000, 25)
    pl.save(tmp_path / "big.t7", {"part": {"few": big[:10]}, "net": nn.Sequential(nn.Linear(2, 3)), "rest": big})
    assert (tmp_path / "big.t7").stat().st_size > 400_000
    convert(capsys, tmp_path / "big.t7", tmp_path / "few.t7", "--key", "part")
    assert (tmp_path / "few.t7").stat().st_size < 2500 and same({"few": big[:10]}, pl.load(tmp_path / "few.t7"))
    convert(capsys, tmp_path / "big.t7", tmp_path / "w.csv", "--key", "net.1.weight")
    convert(capsys, tmp_path / "w.csv", tmp_path / "w.npz", "--type", "float")
    assert same(pl.load(tmp_path / "big.t7")["net"][0].weight, np.load(tmp_path / "w.npz")["tensor"])
    convert(capsys, tmp_path / "w.npz", tmp_path / "w.npy")
    convert(capsys, tmp_path / "big.t7", tmp_path / "all.npz")
    convert(capsys, tmp_path / "all.npz", tmp_path / "bias.npy", "--key", "net.0.bias")
    assert np.load(tmp_path / "bias.npy").shape == (3,) and np.load(tmp_path / "w.npy").shape == (3, 2)


def test_files_of_others(tmp_path: Path) -> None:
    def read(text: str, ending: str = ".csv", type: str | None = None) -> Any:
        (tmp_path / f"x{ending}").write_bytes(text.encode())
        return plain.read(tmp_path / f"x{ending}", type)

    assert same(read("\ufeffx;y\r\n1;2.5\r\n3;4\r\n"), {"x": np.array([1, 3]), "y": np.array([2.5, 4])})
    assert same(read("1\t2\n3\t4"), np.array([[1, 2], [3, 4]]))
    assert same(read("1, 2 \n 3,4\n\n"), np.array([[1, 2], [3, 4]]))
    assert same(read("5\n"), np.array([5])) and same(read("1e3,-.5\n"), np.array([[1000, -0.5]]))
    assert same(read("cat\ndog"), ["cat", "dog"]) and same(read("a,b\nc,d\n"), [["a", "b"], ["c", "d"]])
    assert same(read("name,n\nyes,1\nno,2\n"), {"name": ["yes", "no"], "n": np.array([1, 2])})
    assert same(read('"a\nb",1\n"c",2\n'), [["a\nb", 1], ["c", 2]])
    assert same(read("# of numpy.savetxt\n1.0 2\n3\t4\n\n", ".txt"), np.array([[1.0, 2], [3, 4]]))
    assert same(read("# one\ntwo\n3\n", ".txt"), ["# one", "two", "3"])
    assert same(read("1\n2\n", ".txt", "text"), ["1", "2"])
    assert same(read("1_000\n2\n", ".txt", "text"), ["1_000", "2"])
    assert same(read("inf,-Infinity,nan,1e-400"), np.array([[np.inf, -np.inf, np.nan, 0]]))
    assert same(read(f"{2**63 - 1}\n{-(2**63)}"), np.array([2**63 - 1, -(2**63)]))
    assert same(read("1,2\n3,4", type="byte"), np.array([[1, 2], [3, 4]], np.uint8))
    for content, ending, type, error, text in (
        ("1,2\n3,x\n", ".csv", None, errors.DtypeError, r"row 2, cell 2: expected a number, .* got 'x'"),
        ("1,2\n3,\n", ".csv", None, errors.DtypeError, r"row 2, cell 2: .* got ''"),
        ("1,2\n3\n", ".csv", None, errors.ShapeError, "row 2: expected 2 cells, as in the first row, got 1"),
        ('"a"b,1\n', ".csv", None, errors.DtypeError, "line 1: expected ',' or the end of the line"),
        ('1,"a\n', ".csv", None, errors.DtypeError, "line 1: expected ','"),
        ("1 2\n3 x\n", ".txt", None, errors.DtypeError, r"line 2: expected numbers.*got '3 x'; --type text"),
        ("1 2\n3\n", ".txt", None, errors.ShapeError, "row 2: expected 2 numbers"),
        ("1,2\n3,4\n", ".txt", "byte", errors.DtypeError, "expected numbers for the type byte"),
        ("\n \n", ".csv", None, errors.ShapeError, "expected rows of numbers or text, got an empty file"),
        (f"1\n{2**63}\n", ".csv", None, errors.ValueRangeError, "line 2: int64 does not hold the number 9223372036854775808"),
        (f"0.5,1\n1,{2**53 + 1}\n", ".csv", None, errors.ValueRangeError, "float64 does not hold"),
        ("1.5,1e400\n", ".csv", None, errors.ValueRangeError, "line 1: float64 does not hold the number 1e400"),
        ("0.5\n-2e999\n", ".txt", None, errors.ValueRangeError, "line 2: float64 does not hold the number -2e999"),
        ('"a"\n1e999', ".csv", None, errors.ValueRangeError, "line 2: float64 does not hold the number 1e999"),
        ("9" * 5000, ".txt", None, errors.ValueRangeError, "line 1: int64 does not hold the number"),
        ("256", ".csv", "byte", errors.ValueRangeError, "the type byte does not hold the number 256"),
        ("0.5", ".csv", "long", errors.ValueRangeError, "the type long does not hold the number 0.5"),
        ("nan\n1", ".csv", "int", errors.ValueRangeError, "the type int does not hold the number nan"),
        ("1e39", ".csv", "float", errors.ValueRangeError, "the type float does not hold the number 1e[+]39"),
        ("16777217", ".csv", "float", errors.ValueRangeError, "the type float does not hold"),
        ('"key","value"\n"a",1\n"a",2\n', ".csv", None, errors.DtypeError, "expected each key once"),
    ):
        with pytest.raises(error, match=rf"x\{ending}: {text}"):
            read(content, ending, type)


def test_what_has_no_such_form(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    values = {
        "net": nn.Sequential(nn.Linear(2, 3)), "cube": np.zeros((2, 2, 2)), "rows": [[1, 2], [3]], "none": [],
        "flags": [True, False], "pairs": [[1, "a"], [2, "b"]], "columns": {"a": np.zeros(2), "b": np.zeros(3)},
        "nested": [1, [2]], "lines": ["a\nb"], "text": "x",
    }  # fmt: skip
    pl.save(tmp_path / "x.t7", values)
    for key, ending, text in (
        ("cube", ".csv", "expected a tensor of one or two dimensions, got 2x2x2; .npy holds any shape"),
        ("cube", ".txt", "expected a tensor of one or two dimensions"),
        ("rows", ".csv", "expected rows of one length, got 1 and 2"), ("rows", ".npy", "expected rows of one length"),
        ("none", ".csv", "got a table of 0"), ("columns", ".csv", "expected columns of one length, got a has 2, b has 3"),
        ("nested", ".csv", "expected a list of numbers and text"), ("lines", ".txt", "expected text on one line"),
        ("net", ".npy", "expected a tensor or a list of numbers"), ("flags", ".npy", "a list of numbers, got bool True in it"),
        ("pairs", ".npy", "a list of numbers, got str 'a' in it"), ("text", ".npy", ".csv and .txt files hold text"),
        ("net.1", ".csv", "expected a tensor, or a table"), ("no", ".csv", "--key no: there is no such place; tensors of the"),
    ):  # fmt: skip
        assert text in refused(capsys, tmp_path / "x.t7", tmp_path / f"y{ending}", "--key", key)
    text = refused(capsys, tmp_path / "x.t7", tmp_path / "y.npy")
    assert "choose one with --key: tensors of the file: net.1.weight, net.1.bias, cube, columns.a, columns.b" in text
    t7.write(tmp_path / "k.t7", {t7.IdentityKey(np.zeros(2)): 1})
    assert "got tables or tensors as keys" in refused(capsys, tmp_path / "k.t7", tmp_path / "y.csv")
    np.save(tmp_path / "o.npy", np.array([{}], object))
    assert "cannot be read as .npy" in refused(capsys, tmp_path / "o.npy", tmp_path / "y.t7")
    (tmp_path / "b.npy").write_bytes(b"no such thing")
    said = refused(capsys, tmp_path / "b.npy", tmp_path / "y.t7")
    assert "cannot be read as .npy" in said and "pickle" not in said
    np.save(tmp_path / "c.npy", np.zeros(2, complex))
    assert "expected an array of numbers, got complex128" in refused(capsys, tmp_path / "c.npy", tmp_path / "y.t7")
    assert not [*tmp_path.glob("y*")] and not [*tmp_path.glob(".*")]
    pl.save(tmp_path / "many.t7", np.broadcast_to(np.zeros(1), (10**12,)))
    assert "the arrays repeat or share 8 bytes" in refused(capsys, tmp_path / "many.t7", tmp_path / "y.csv")


def test_options_that_have_no_use(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    digits, array = EXAMPLES / "digits" / "digits.t7", tmp_path / "a.npy"
    np.save(array, np.ones(3))
    for source, target, options, text in (
        (digits, "x.npz", ("--partial",), "--partial is for --into"),
        (digits, "x.py", ("--everything",), "--everything is for .npz"),
        (digits, "x.t7", ("--everything",), "--everything is for .npz"),
        (digits, "x.csv", ("--everything",), "--everything is for .npz"),
        (digits, "x.csv", ("--ascii",), "--ascii is for .t7"),
        (digits, "x.npz", ("--type", "float"), "--type is for .npy"),
        (digits, "x.npz", ("--key", "a", "--model", "b"), "expected one"),
        (digits, "x.onnx", ("--key", "a"), "--model chooses a network"),
        (array, "x.t7", ("--model", "a"), "--model is for a .t7 file"),
        (array, "x.t7", ("--key", "a"), "--key: the file holds one value"),
        (array, "x.t7", ("--type", "text"), "--type text is for .txt"),
        (array, "x.t7", ("--into", digits), "--into takes weights by name"),
    ):
        assert text in refused(capsys, source, tmp_path / target, *options)


@pytest.mark.parametrize("form", ["binary", "ascii"])
def test_a_file_of_torch7_with_the_ending_of_text(form: str, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    pl.save(tmp_path / "x.txt", {"a": np.ones(2)}, form)  # type: ignore[arg-type]
    convert(capsys, tmp_path / "x.txt", tmp_path / "a.csv", "--key", "a")
    assert (tmp_path / "a.csv").read_text() == "1.0\n1.0\n"
    convert(capsys, tmp_path / "x.txt", tmp_path / "y.t7")
    assert same({"a": np.ones(2)}, pl.load(tmp_path / "y.t7"))


def test_arrays_in_archives_keep_their_names(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    np.savez(tmp_path / "x.npz", **{"a.b": np.zeros(0), "c": np.ones(2)})
    convert(capsys, tmp_path / "x.npz", tmp_path / "y.npz")
    assert interop.load(tmp_path / "y.npz").keys() == {"a.b", "c"}


@pytest.mark.parametrize(
    "dtype, type, expected",
    [("uint16", "int", np.int32), ("uint32", "long", np.int64), ("uint64", "long", np.int64), ("longdouble", "double", float)],
)
def test_numbers_that_no_tensor_holds(
    dtype: str, type: str, expected: Any, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """The error names the type that does."""
    np.save(tmp_path / "x.npy", np.arange(3, dtype=dtype))
    said = refused(capsys, tmp_path / "x.npy", tmp_path / "y.t7")
    assert f"x.npy: Torch7 has no tensors of {np.dtype(dtype)}; --type {type} converts them" in said
    convert(capsys, tmp_path / "x.npy", tmp_path / "y.t7", "--type", type)
    assert same(pl.load(tmp_path / "y.t7"), np.arange(3, dtype=expected))
