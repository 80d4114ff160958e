"""Writes a list of calls as a C function: a block of lines for each call."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from pytorch_legacy.backend import header, installed
from pytorch_legacy.program.csource.facts import NEXT_LINE, WIDTH, Facts, rows, wrapped
from pytorch_legacy.program.csource.names import (
    KINDS,
    comment,
    dense_strides,
    number,
    over,
    real,
    shape_text,
    string,
    total,
)
from pytorch_legacy.program.csource.templates import paragraph
from pytorch_legacy.program.encoding import arena
from pytorch_legacy.program.listing import Block, Listing, Number, Size
from pytorch_legacy.recording.recorder import Call, Ref

_ENUMS = {
    ("FusedConvolution_updateOutput", "activation"): "THNNActivation",
    ("FusedConvolution_updateOutput", "algorithm"): "THNNConvolution",
    ("pointwise_apply", "operation"): "THNNOperation",
    ("THNN_arrayMap", "operation"): "THNNMap",
    ("THNN_arrayApply", "operation"): "THNNApply",
    ("THNN_arrayReduce", "operation"): "THNNReduce",
    ("THNN_arrayReduceIndex", "operation"): "THNNReduce",
}


@cache
def _functions() -> dict[str, header.Function]:
    """Returns the functions of THNN.h by their names: of layers without the element type, of arrays as they are exported."""
    return {function.name: function for function in header.read(installed.library / "THNN.h")}


@cache
def enumerators(enum: str) -> dict[int, str]:
    """Returns the names of an enumeration's values."""
    found = header.enums(header.text(installed.library / "THNN.h"))[enum]
    return {value: name for name, value in found.items()}


class Constant(NamedTuple):
    """A weight: a field of the network's struct.

    Attributes
    ----------
    field : str
        Its name.
    type : str
        The type of the field: a tensor, or a pointer if the shape of the array depends on n.
    value : str
        The expression of its value, in which ``weights`` is the memory of all weights.
    text : str
        Its shape.
    """

    field: str
    type: str
    value: str
    text: str


class Constants:
    """The weights of all lists: their bytes, as they stand in the file, and the fields that point to them."""

    def __init__(self) -> None:
        self.content = bytearray()
        self.fields: dict[Any, Constant] = {}
        self._places: dict[bytes, int] = {}
        self._names: set[str] = set()

    def reserve(self, content: bytes) -> int:
        """Adds bytes that are no constant, and returns their offset."""
        start = len(self.content)
        self.content.extend(content)
        self.content.extend(b"\0" * (-len(self.content) % 64))
        return start

    def place(self, block: Block) -> int:
        """Returns the offset of a constant among the bytes of all. Equal ones have one offset."""
        if block.content not in self._places:
            self._places[block.content] = self.reserve(block.content)
        return self._places[block.content]

    def field(self, key: Any, name: str, type: str, value: str, text: str) -> str:
        """Returns the name of the field for `key`. If there is none, it is made, and is called `name` if that is free."""
        if key not in self.fields:
            names = [name, *(f"{name}_{letter}" for letter in range(2, 10000))]
            free = next(one for one in names if one not in self._names)
            self._names.add(free)
            self.fields[key] = Constant(free, type, value, text)
        return self.fields[key].field

    def declared(self) -> list[tuple[str, str]]:
        """Returns the declarations of the fields, with shapes as comments: one for those of a layer that have one type."""
        layers: dict[Any, list[Constant]] = {}
        for one in self.fields.values():
            layers.setdefault((one.type, one.field.partition("_")[2]), []).append(one)
        found = []
        for (type, _), fields in layers.items():
            star = "*" * type.endswith("*")
            names = ", ".join(star + one.field for one in fields)
            found.append((f"  {type.rstrip('* ')} {names};", ", ".join(one.text for one in fields)))
        return found


class Helpers:
    """The functions of the C file that make a tensor of an address and sizes: those that are used."""

    def __init__(self) -> None:
        self._used: set[tuple[str, int, bool]] = set()

    def tensor(self, pointer: str, ref: Ref, isArray: bool) -> str:
        """Returns a call that makes the tensor of an array, whose elements begin at `pointer`."""
        strides = [over(step, ref.dtype.itemsize) for step in ref.strides]
        isDense = all(
            size == 1 or step == wanted for size, step, wanted in zip(ref.shape, strides, dense_strides(ref.shape), strict=True)
        )
        kind = KINDS[ref.dtype]
        family = "array" if isArray else kind.function
        self._used.add((family, len(ref.shape), isDense))
        numbers = [number(size) for size in ref.shape]
        if not isDense:
            numbers.append("/* strides */ " + ", ".join(map(number, strides)))
        first = [pointer, kind.constant] if isArray else [pointer]
        return f"{_helper(family, len(ref.shape), isDense)}({', '.join([*first, *numbers])})"

    def text(self) -> str:
        """Returns the definitions."""
        return "\n".join(_definition(*one) for one in sorted(self._used, key=lambda one: (one[0], not one[2], one[1])))


def _helper(family: str, rank: int, isDense: bool) -> str:
    return f"{family}{rank}" if isDense else f"strided_{family}{rank}"


def declaration(call: Call) -> header.Function:
    """Returns the declaration of the function that a call calls."""
    name = call.name.removeprefix("Float").removeprefix("Double")
    return _functions().get(name) or _functions()[f"THNN_{call.name}"]


def _definition(family: str, rank: int, isDense: bool) -> str:
    """Returns the function that makes the tensor of an array of this rank."""
    isArray = family == "array"
    sizes, steps = "abcdefgh"[:rank], [f"s{letter}" for letter in "abcdefgh"[:rank]]
    if isDense:
        steps = [" * ".join(sizes[place + 1 :]) or "1" for place in range(rank)]
    kind = next((one for one in KINDS.values() if one.function == family), None)
    tensor = "THNNArray" if kind is None else kind.tensor
    cast = "(void *)" if kind is None else f"({kind.type} *)"
    parameters = ["const void *data", *(["int32_t type"] if isArray else []), *(f"int64_t {letter}" for letter in sizes)]
    if not isDense:
        parameters += [f"int64_t {step}" for step in steps]
    rest = f"{rank}, 0, type, 0" if isArray else f"{rank}, 0"
    return (
        f"static {tensor} {_helper(family, rank, isDense)}({', '.join(parameters)})\n"
        "{\n"
        f"  {tensor} tensor = {{{cast}data, {{{', '.join(sizes)}}}, {{{', '.join(steps)}}}, {rest}}};\n"
        "  return tensor;\n"
        "}\n"
    )


class Argument(NamedTuple):
    """An argument of a function's definition: an array of the pass."""

    name: str
    ref: Ref
    isConst: bool

    @property
    def type(self) -> str:
        """Its type in C."""
        return f"{'const ' if self.isConst else ''}{KINDS[self.ref.dtype].type} *"


class PassWriter:
    """Writes a list as a C function.

    Parameters
    ----------
    listing : Listing
    function : str
        Name of the C function.
    inputs, outputs : sequence of str
        Names of its arguments.
    facts : Facts
    constants, helpers
        Collect the weights and the functions that the calls need.
    isBatched : bool
        Whether the function has an argument n.
    """

    def __init__(
        self,
        listing: Listing,
        function: str,
        inputs: Sequence[str],
        outputs: Sequence[str],
        facts: Facts,
        constants: Constants,
        helpers: Helpers,
        isBatched: bool,
    ) -> None:
        self.listing = listing
        self.function = function
        self.facts = facts
        self.network = facts.variable
        self.constants = constants
        self.helpers = helpers
        self.isBatched = isBatched
        self.inputs = [Argument(name, ref, True) for name, ref in zip(inputs, listing.inputs, strict=True)]
        self.outputs = [Argument(name, ref, False) for name, ref in zip(outputs, listing.outputs, strict=True)]
        self.offsets, self.arenaBytes = arena(listing)
        self._bases: dict[int, tuple[str, Any]] = {}  # the pointer to each block but constants, and the type of its elements
        self._name_blocks()

    # ---- memory

    def _name_blocks(self) -> None:
        """Names the pointers to blocks."""
        found = self._bases
        for argument in [*self.inputs, *self.outputs]:
            found[argument.ref.memory] = argument.name, argument.ref.dtype
        for place, call in enumerate(self.listing.calls):
            for number_ in call.writes:
                ref = call.arguments[number_]
                if isinstance(ref, Ref) and self.listing.blocks[ref.memory].kind == "made" and ref.memory not in found:
                    taken = {name for name, _ in found.values()}
                    start = self._result(place, call, number_)
                    names = [start, *(f"{start}_{more}" for more in range(2, 10000))]
                    found[ref.memory] = next(name for name in names if name not in taken), ref.dtype
        for number_, block in enumerate(self.listing.blocks):
            if block.kind == "made" and number_ in self.offsets and number_ not in found:
                found[number_] = f"unset_{number_}", np.dtype(np.uint8)

    def _result(self, place: int, call: Call, argument: int) -> str:
        """Returns the name of the pointer to what a call writes first, as this argument."""
        return f"h_{place + 1}"

    def _memory(self) -> list[str]:
        """Returns the lines that declare the pointers into the arena."""
        found = []
        for memory, offset in sorted(self.offsets.items()):
            name, dtype = self._bases[memory]
            start = "arena" if offset == 0 else f"(arena + {number(offset)})"
            type = KINDS[dtype].type
            found.append((f"  {type} *const {name} = ({type} *){start};", self._extent(memory, dtype)))
        return rows(found, 100).splitlines()

    def _extent(self, memory: int, dtype: Any) -> str:
        """Returns the shape of an array that is all of a block, or else the number of its elements."""
        size = over(self.listing.blocks[memory].bytes, dtype.itemsize)
        for call in self.listing.calls:
            for ref in call.refs():
                if ref.memory == memory and ref.dtype == dtype and total(ref.shape) == size:
                    return shape_text(ref.shape)
        return shape_text((size,))

    def _pointer(self, ref: Ref) -> str:
        """Returns the address of an array's first element."""
        name, dtype = self._bases[ref.memory]
        if ref.offset == 0:
            return name
        if dtype.itemsize == ref.dtype.itemsize:
            return f"{name} + {number(over(ref.offset, dtype.itemsize))}"
        return f"(char *){name} + {number(ref.offset)}"

    def _constant(self, ref: Ref, name: str, isArray: bool) -> str:
        """Returns the expression for a field with a weight: of a tensor, or of an address if the shape depends on n."""
        offset = self.constants.place(self.listing.blocks[ref.memory]) + ref.offset
        start = "weights" if offset == 0 else f"weights + {offset}"
        text = shape_text(ref.shape)
        if any(isinstance(one, Size) for one in (*ref.shape, *ref.strides)):
            type = f"const {KINDS[ref.dtype].type} *"
            return self.constants.field((offset, type), name, type, f"({type})({start})", "in shapes that depend on n")
        key = (offset, ref.dtype.str, ref.shape, ref.strides, isArray)
        type = "THNNArray" if isArray else KINDS[ref.dtype].tensor
        return self.constants.field(key, name, type, self.helpers.tensor(start, ref, isArray), text)

    # ---- calls

    def text(self) -> str:
        """Returns the function's definition."""
        parameters = [f"struct {self.facts.name} *{self.network}", *(["int64_t n"] if self.isBatched else [])]
        parameters += [f"{argument.type}{argument.name}" for argument in [*self.inputs, *self.outputs]]
        body = self._body()
        head = []
        if self.offsets:
            head += [f"  char *const arena = {self.network}->arena;", *self._memory(), ""]
        used = "\n".join([*head, *body])
        unused = [name for name in self._names() if not _uses(used, name)]
        if unused:
            head = [*(f"  (void){name};" for name in unused), *head]
        lines = [
            *self._about(),
            wrapped(f"static int32_t {self.function}(", parameters, ")"),
            "{",
            *head,
            *body,
            "  return THNN_OK;",
            "}",
            "",
        ]
        return "\n".join(lines)

    def _body(self) -> list[str]:
        """Returns the lines of all calls."""
        return [line for place, call in enumerate(self.listing.calls) for line in self._call(place, call)]

    def _about(self) -> list[str]:
        """Returns the comment of the function."""
        results = ", ".join(argument.name for argument in self.outputs)
        given = ", ".join(argument.name for argument in self.inputs)
        which = {"forward": "", "first": ", in the first run of a sequence", "later": ", in a later run of a sequence"}
        kind, _, group = self.function.partition("_")
        samples = {"": "", "one": ", for one sample", "batch": f", for {self.listing.least} and more samples"}[group]
        text = f"Computes {results} from {given}{which[kind]}{samples}."
        if self.offsets:
            text += " The arrays between the layers are in the arena. Those that are not in use at the same time share memory."
        return [f"/* {paragraph(text, '   ').lstrip()} */"]

    def _names(self) -> list[str]:
        names = [self.network, *(["n"] if self.isBatched else [])]
        return [*names, *(argument.name for argument in [*self.inputs, *self.outputs])]

    def _call(self, place: int, call: Call) -> list[str]:
        """Returns the lines of a call: a comment, its arrays, and the call itself."""
        function = declaration(call)
        arguments = function.arguments
        values = iter(call.arguments)
        declared: dict[tuple[str, str], str] = {}  # the name of each local tensor, by its type and value
        tensors = {}
        for argument, value in zip((one for one in arguments if one.name != "state"), call.arguments, strict=True):
            if isinstance(value, Ref):
                tensors[argument.name] = tensor = self._tensor(place, argument, value)
                if not tensor[1].startswith("&") and ("const" not in argument.type or tensor not in declared):
                    declared[tensor] = argument.name  # a call in place has one tensor, with the name of its output
        words: list[tuple[str, str]] = []  # the name and the text of each argument
        for argument in arguments:
            if argument.name == "state":
                words.append(("", f"{self.network}->state"))
                continue
            value = next(values)
            if argument.name in tensors:
                tensor = tensors[argument.name]
                words.append(("", tensor[1] if tensor not in declared else f"&{declared[tensor]}"))
            elif argument.is_pointer and value is None:
                words.append(("", "NULL"))
            elif "char" in argument.type:
                words.append(("", string(value)))
            else:
                words.append((argument.name, _numeral(function.name, argument, value)))
        lines = [f"  {{ /* {self._comment(place, call)} */"]
        lines += [f"    {type} {variable} = {value};" for (type, value), variable in declared.items()]
        lines.append(wrapped(f"    TRY(THNN_{call.name}(", _grouped(words), "));", " " * 8))
        return [*lines, "  }"]

    def _tensor(self, place: int, argument: header.Argument, ref: Ref) -> tuple[str, str]:
        """Returns the type of an argument's tensor, and its value; that of a weight is the address of a field."""
        isArray = "THNNArray" in argument.type
        type = "THNNArray" if isArray else KINDS[ref.dtype].tensor
        if self.listing.blocks[ref.memory].kind != "constant":
            return type, self.helpers.tensor(self._pointer(ref), ref, isArray)
        field = f"{self.network}->{self._constant(ref, f'{argument.name}_{self._owner(place)}', isArray)}"
        if any(isinstance(one, Size) for one in (*ref.shape, *ref.strides)):
            return type, self.helpers.tensor(field, ref, isArray)
        return type, f"&{field}"

    def _owner(self, place: int) -> str:
        """Returns the end of the names of a call's weights."""
        return str(place + 1)

    def _isLasting(self, ref: Ref) -> bool:
        """Returns whether the array is there before and after a run."""
        return self.listing.blocks[ref.memory].kind == "constant"

    def _comment(self, place: int, call: Call) -> str:
        """Returns the number of a call, its module, and the shapes that it reads and writes."""
        where, module = self.facts.modules[call.module] if call.module >= 0 else ("", "the network")
        where = f" (module {where})" if where else ""
        reads = [shape_text(ref.shape) for ref in call.refs(call.reads) if not self._isLasting(ref)]
        writes = [shape_text(ref.shape) for ref in call.refs(call.writes)]
        shapes = ", ".join(reads) + (f"{' ' * bool(reads)}-> {', '.join(writes)}" if writes else "")
        about, shapes = comment(f"{place + 1}. {module}{_epilogue(call)}{where}:"), comment(shapes)
        return f"{about}{' ' if len(about) + len(shapes) < WIDTH - 10 else NEXT_LINE}{shapes}"


def _uses(text: str, name: str) -> bool:
    """Returns whether C has this name as a word outside of its comments."""
    return re.search(rf"\b{name}\b", re.sub(r"/\*.*?\*/", "", text)) is not None


def _epilogue(call: Call) -> str:
    """Returns a text about the sum and the activation that a fused call computes."""
    if not call.name.endswith("FusedConvolution_updateOutput"):
        return ""
    names = [argument.name for argument in _functions()["FusedConvolution_updateOutput"].arguments if argument.name != "state"]
    given = dict(zip(names, call.arguments, strict=True))
    a, b = given["a"], given["b"]
    threshold, tanh = "ReLU" if a == b == 0 else "Threshold", "ReLU6" if (a, b) == (0, 6) else "HardTanh"
    kind = ["", threshold, tanh, "LeakyReLU"][given["activation"]]
    both = ["sum" * (given["other"] is not None), kind]
    return "".join(f", {one}" for one in both if one)


def _numeral(function: str, argument: header.Argument, value: Any) -> str:
    """Returns a number as an argument, by its name if it has one."""
    enum = _ENUMS.get((function, argument.name))
    if enum is not None and value in enumerators(enum):
        return enumerators(enum)[value]
    if argument.type == "double":
        return real(float(value)) if not isinstance(value, Size) else f"(double)({number(value)})"
    return number(value)


def _stem(name: str) -> str:
    return name.rstrip("TWH")


def _grouped(words: Sequence[tuple[str, str]]) -> list[str]:
    """Returns the arguments of a call. Numbers have their names before them, as comments; numbers of a kind stand together."""
    groups: list[str] = []
    place = 0
    while place < len(words):
        name, text = words[place]
        last = place + 1
        while name and last < len(words) and words[last][0] and _stem(words[last][0]) == _stem(name):
            last += 1
        names = ", ".join(one for one, _ in words[place:last])
        values = ", ".join(text for _, text in words[place:last])
        groups.append(f"/* {names} */ {values}" if name and not text.startswith("THNN_") else values)
        place = last
    return groups


def arena_bytes(passes: Sequence[PassWriter]) -> Number:
    """Returns the bytes that are enough for the arena of each pass, also where it has arrays without an element."""
    both = [one.arenaBytes if isinstance(one.arenaBytes, Size) else Size(one.arenaBytes, 0) for one in passes]
    found = Size(max(one.a for one in both), max(one.b for one in both))
    return found if found.b else (found.a or 64 * any(one.offsets for one in passes))
