"""Checks a layer's header against the rules of THNN.h, and names file and line of a missing tag."""

from __future__ import annotations

import keyword
from pathlib import Path

from ..backend.header import Argument, Function, HeaderError, parse
from ..errors import ExtensionError

_STATE = "THNNState *"
_TENSORS = {f"{const}TH{kind}Tensor *" for const in ("", "const ") for kind in ("", "Long", "Byte")}
_NUMBERS = {"int64_t", "int32_t", "double"}
_TAGS = {"IN", "OUT", "ACC", "BUFFER", "OPTIONAL", "INPLACE"}
# Arguments that a pass gets from its caller, and the one that the pass writes.
_PASSES = {"updateOutput": ["input"], "updateGradInput": ["input", "gradOutput"], "accGradParameters": ["input", "gradOutput"]}
_WRITES = {"updateOutput": "output", "updateGradInput": "gradInput"}


def declared(path: Path) -> list[Function]:
    """The functions that the file `path` declares, a header or a C file that begins with its declarations.

    Raises
    ------
    ExtensionError
        If there are none, or one is not as those of THNN.h are: file, line, function, argument, what was expected, what came.
    """
    try:
        functions = parse(path.read_text(encoding="utf-8"))
    except HeaderError as error:
        raise ExtensionError(f"{path}:{error.line}: {error}") from None
    except UnicodeDecodeError:
        raise ExtensionError(f"{path}: expected a text in UTF-8") from None
    if not functions:
        example = "THNN_API int32_t THNN_(Name_updateOutput)(...);"
        raise ExtensionError(f"{path}: expected declarations as those of THNN.h, {example} got none")
    seen: set[str] = set()
    for function in functions:
        if function.name in seen:
            raise ExtensionError(f"{path}:{function.line}: {function.name}: is declared twice")
        _look(path, function)
        seen.add(function.name)
    return functions


def _look(path: Path, function: Function) -> None:
    where = f"{path}:{function.line}: {function.name}"
    if not function.generic:
        raise ExtensionError(f"{where}: expected THNN_({function.name}), which stands for float and for double")
    if function.returns != "int32_t":
        raise ExtensionError(f"{where}: expected it to return int32_t, a status, got {function.returns or 'nothing'}")
    layer, _, kind = function.name.rpartition("_")
    if not layer:
        raise ExtensionError(f"{where}: expected a layer's name and what the function does, as in Name_updateOutput")
    arguments = function.arguments
    for argument in arguments:
        _look_at(f"{path}:{argument.line or function.line}: {function.name}: {argument.name}", argument, kind)
    handed = [argument.name for argument in arguments if argument.type != _STATE]
    if kind == "outputSize":
        if handed[-1:] != ["size"] or handed[:1] != ["input"] or len(handed) != len(arguments):
            raise ExtensionError(f"{where}: expected (input, ..., int64_t size[8]), without a state")
        return
    if [argument.name for argument in arguments if argument.type == _STATE] != ["state"] or arguments[0].name != "state":
        raise ExtensionError(f"{where}: expected THNNState *state as the first argument, and no other state")
    if kind not in _PASSES:
        return
    wanted = ["input", "target"] if handed[:2] == ["input", "target"] else _PASSES[kind]
    if kind in _WRITES:
        wanted = [*wanted, _WRITES[kind]]
    if handed[: len(wanted)] != wanted:
        raise ExtensionError(f"{where}: expected {', '.join(wanted)} first, got {', '.join(handed[: len(wanted)]) or 'nothing'}")
    last = f"{arguments[-1].type} {arguments[-1].name}"
    if kind == "accGradParameters" and last != "double scale":
        raise ExtensionError(f"{where}: expected double scale as the last argument, got {last}")
    rest = arguments[len(wanted) + 1 : -1 if kind == "accGradParameters" else None]
    if taken := [argument.name for argument in rest if argument.name in ("size", "scale", "input", "gradOutput")]:
        raise ExtensionError(f"{where}: {taken[0]}: the caller of a pass hands over what is called so; choose another name")
    areArrays = ["Tensor" in argument.type for argument in rest]
    if areArrays != sorted(areArrays, reverse=True):
        raise ExtensionError(f"{where}: expected its numbers behind all tensors")


def _look_at(where: str, argument: Argument, kind: str) -> None:
    name = argument.name
    if not name.isidentifier() or not argument.type:
        raise ExtensionError(f"{where}: expected a type and a name, got {argument.type} {name}")
    if keyword.iskeyword(name):
        raise ExtensionError(f"{where}: is a word of Python's; choose another name")
    if argument.type == _STATE or (kind == "outputSize" and (argument.type, argument.name) == ("int64_t *", "size")):
        return
    if argument.type in _NUMBERS:
        return
    if argument.type not in _TENSORS:
        known = "int64_t, int32_t, double, THTensor *, THLongTensor *, THByteTensor *"
        raise ExtensionError(f"{where}: expected one of {known}, got {argument.type}")
    if unknown := [tag for tag in argument.tags if tag not in _TAGS]:
        raise ExtensionError(f"{where}: expected tags of {', '.join(sorted(_TAGS))}, got [{unknown[0]}]")
    uses = [tag for tag in argument.tags if tag in ("IN", "OUT", "ACC", "BUFFER")]
    if len(uses) != 1:
        got = f"{' and '.join(f'[{tag}]' for tag in uses)}" if uses else "none"
        raise ExtensionError(f"{where}: expected one of the tags [IN], [OUT], [ACC], [BUFFER] in its line's comment, got {got}")
    if not argument.shape:
        raise ExtensionError(f"{where}: expected a shape behind its tags, as in /* [IN] (N x) C x H x W */")
    if (uses == ["IN"]) != argument.type.startswith("const "):
        rest = f"const {argument.type}" if uses == ["IN"] else argument.type.removeprefix("const ")
        raise ExtensionError(f"{where}: expected {rest}, as it is [{uses[0]}], got {argument.type}")
