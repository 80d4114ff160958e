"""The header and the tokenizer that reads it: bindings and tests are made from what the compiler sees."""

from __future__ import annotations

import re
from pathlib import Path

from pycparser import CParser, c_ast
from pycparser.c_generator import CGenerator

from pytorch_legacy import backend
from pytorch_legacy.backend import _signatures, header
from pytorch_legacy.backend.header import Argument, Function
from tests.capi import ANSWER, FUNCTIONS, GENERIC, HEADER, asks, is_tensor, is_written
from tests.rows import all_of

EXPANDED = (Path(backend.library_path).parent / "THNN_ffi.h").read_text()


def parsed(text: str) -> Function:
    (function,) = header.parse(text)
    return function


# ---------------------------------------------------------------------------------------------- the tokenizer


def test_plain_function() -> None:
    function = parsed("THNN_API int32_t THNN_random(THNNState *state, uint32_t *value); /* the raw draw */")
    assert (function.name, function.returns, function.generic) == ("THNN_random", "int32_t", False)
    assert [(a.type, a.name) for a in function.arguments] == [("THNNState *", "state"), ("uint32_t *", "value")]
    assert function.exports == ["THNN_random"]
    assert function.layer == ""


def test_generic_function() -> None:
    function = parsed("THNN_API int32_t THNN_(SpatialX_update)(THNNState *state, const THTensor *input, double p);")
    assert function.generic
    assert (function.name, function.layer) == ("SpatialX_update", "SpatialX")
    assert function.exports == ["THNN_FloatSpatialX_update", "THNN_DoubleSpatialX_update"]
    assert [a.type for a in function.arguments] == ["THNNState *", "const THTensor *", "double"]
    assert [a.is_pointer for a in function.arguments] == [True, True, False]


def test_no_arguments() -> None:
    assert parsed("THNN_API const char *THNN_lastError(void);").arguments == []
    assert parsed("THNN_API const char *THNN_lastError(void);").returns == "const char *"


def test_array_is_a_pointer() -> None:
    function = parsed("THNN_API int32_t f(THNNState **state, int64_t size[8], const int64_t stride[8]);")
    assert [(a.type, a.name) for a in function.arguments] == [
        ("THNNState **", "state"),
        ("int64_t *", "size"),
        ("const int64_t *", "stride"),
    ]


def test_comments_belong_to_their_line() -> None:
    function = parsed(
        """THNN_API int32_t THNN_(f)(
            THNNState *state,
            const THTensor *input, /* [IN] (N x) C : with a
                                      second line */
            THTensor *output,      /* [OUT] [INPLACE] as input */
            int64_t kW, int64_t kH, /* of the window */
            const THTensor *bias);  /* [IN] [OPTIONAL] C */
        /* nobody's */
        """
    )
    arguments = {a.name: a for a in function.arguments}
    assert arguments["input"].tags == ("IN",)
    assert arguments["input"].shape == "(N x) C : with a second line"
    assert arguments["output"].tags == ("OUT", "INPLACE")
    assert arguments["output"].shape == "as input"
    assert arguments["kW"].comment == arguments["state"].comment == ""
    assert arguments["bias"].tags == ("IN", "OPTIONAL")


def test_what_is_not_a_prototype_is_passed_over() -> None:
    functions = header.parse(
        """/* THNN_API int32_t comment(void); */
        #define THNN_API \\
          THNN_API int32_t directive(void);
        "THNN_API int32_t string(void);"
        enum THNNStatus { THNN_OK = 0 };
        typedef struct THFloatTensor { float *data; int64_t size[8]; } THFloatTensor;
        /* ---------------------------------------- pooling */
        THNN_API int32_t first(void);
        THNN_API int32_t second(void);
        """
    )
    assert [function.name for function in functions] == ["first", "second"]
    assert [function.section for function in functions] == ["pooling", "pooling"]


def test_lines_are_counted() -> None:
    text = "a\n/* b\n\n*/ c\n\nd"
    assert [(token.text, token.line) for token in header.tokens(text) if token.kind == "word"] == [
        ("a", 1),
        ("c", 4),
        ("d", 6),
    ]


# ---------------------------------------------------------------------------------------------- the header's own rules

functions = all_of("function", FUNCTIONS)
layers = all_of("function", GENERIC)


def test_names_are_unique() -> None:
    symbols = [symbol for function in FUNCTIONS for symbol in function.exports]
    assert len(set(symbols)) == len(symbols) > 90


@functions
def test_names_and_status(function: Function) -> None:
    assert all(re.fullmatch(r"THNN_\w+", symbol) for symbol in function.exports)
    others = {"THNN_lastError": "const char *", "THNN_blas": "const char *", "THNN_layerInterface": "const void *"}
    assert function.returns == others.get(function.name, "int32_t")
    names = [a.name for a in function.arguments]
    assert len(set(names)) == len(names)


@layers
def test_layers_begin_with_the_state(function: Function) -> None:
    """All but the ones that ask for a size or an algorithm, which begin with the input and end with the place for the answer."""
    first, last = function.arguments[0], function.arguments[-1]
    assert asks(function) == function.name.endswith(("_outputSize", "_algorithm"))
    if asks(function):
        assert (first.type, first.name) == ("const THTensor *", "input")
        assert last.name == ("algorithm" if function.name.endswith("_algorithm") else "size")
    else:
        assert (first.type, first.name) == ("THNNState *", "state")


@layers
def test_tensors_have_one_tag_and_a_shape(function: Function) -> None:
    def tells(argument: Argument) -> bool:
        role, *rest = argument.tags
        const = argument.type.startswith("const ")
        return (
            role in ({"IN"} if const else {"OUT", "ACC", "BUFFER"})
            and set(rest) <= {"OPTIONAL", "INPLACE", "TRAIN"}
            and ("TRAIN" not in rest or role == "BUFFER")
            and ("INPLACE" not in rest or role == "OUT" or argument.shape == "as output")
            and len(argument.shape) > 0
        )

    assert [a.name for a in function.arguments if is_tensor(a) and not (a.tags and tells(a))] == []


@layers
def test_numbers_have_plain_types(function: Function) -> None:
    """No long, no bool, no size_t: what any FFI can pass."""
    plain = {"double", "int64_t", "int32_t", "THNNState *", ANSWER}
    assert [a.type for a in function.arguments if not is_tensor(a) and a.type not in plain] == []


@layers
def test_accumulation_takes_a_scale(function: Function) -> None:
    accumulates = any("ACC" in a.tags for a in function.arguments) and function.name != "unfolded_acc"  # a plain sum
    assert accumulates == any(a.name in ("scale", "learningRate") and not a.is_pointer for a in function.arguments)


@layers
def test_gradient_functions_write(function: Function) -> None:
    if not asks(function):
        assert any(is_written(a) for a in function.arguments)


# ---------------------------------------------------------------------------------------------- what the compiler sees


def declared() -> dict[str, list[str]]:
    """The arguments of every function in the expanded header, as the C parser under cffi reads them."""
    known = "".join(f"typedef long {name};" for name in ("int32_t", "int64_t", "uint8_t", "uint32_t", "uint64_t"))
    found = {}
    for node in CParser().parse(known + EXPANDED).ext:
        if isinstance(node, c_ast.Decl) and isinstance(node.type, c_ast.FuncDecl):  # a typedef of a function declares none
            params = node.type.args.params
            for param in params:
                if isinstance(param.type, c_ast.ArrayDecl):
                    param.type = c_ast.PtrDecl([], param.type.type)
            found[node.name] = [CGenerator().visit(param) for param in params]
    return found


def test_same_functions_as_the_compiler() -> None:
    ours = {}
    for function in FUNCTIONS:
        for symbol, real in zip(function.exports, ("Float", "Double"), strict=False):
            arguments = [f"{a.type} {a.name}".replace("* ", "*") for a in function.arguments] or ["void"]
            ours[symbol] = [argument.replace("THTensor", f"TH{real}Tensor") for argument in arguments]
    assert ours == declared()


def test_bindings_are_up_to_date() -> None:
    """The build's copy of the signatures is the header's."""
    ours = {f.name: tuple((a.type, a.name) for a in f.arguments) for f in GENERIC}
    assert ours == _signatures.SIGNATURES, "install the package again: THNN.h has changed"


def test_installed_header_is_the_header() -> None:
    installed = Path(backend.__file__).resolve().parent.parent / "lib" / "THNN.h"
    assert header.text(installed) == header.text(HEADER), "install the package again: THNN.h has changed"
