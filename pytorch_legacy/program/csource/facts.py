"""The facts that a network's C is written from."""

from __future__ import annotations

from dataclasses import dataclass

from pytorch_legacy.program.csource.names import KINDS, shape_text, times, total
from pytorch_legacy.program.listing import Listing, Number, Size
from pytorch_legacy.recording.recorder import Ref


@dataclass(frozen=True)
class Port:
    """An input, an output, or an array of the state: its name in the header, its name in a pass, and the array."""

    name: str
    short: str
    ref: Ref

    @property
    def type(self) -> str:
        """The type of an element in C."""
        return KINDS[self.ref.dtype].type

    @property
    def text(self) -> str:
        """The shape and the type, for comments."""
        shape, plural = shape_text(self.ref.shape), KINDS[self.ref.dtype].plural
        return f"{shape} {plural.removesuffix('s') if shape == '1' else plural}"

    @property
    def elements(self) -> Number:
        """Number of elements."""
        return total(self.ref.shape)

    @property
    def bytes(self) -> Number:
        """Number of bytes."""
        return times(self.elements, self.ref.dtype.itemsize)


@dataclass
class Group:
    """The lists of a first pass, and perhaps of later ones.

    Attributes
    ----------
    least : int
        The smallest number of samples that they serve. 0: no number depends on n, so that they serve one sample or a fixed size.
    """

    first: Listing
    later: Listing | None
    least: int


@dataclass
class Training:
    """The facts of a training step beside those of a network.

    Attributes
    ----------
    held : list of Port
        The parameters, their gradients, and other arrays that live from step to step, such as running statistics.
    contents : list of bytes
        What they hold at first, but for the gradients: of the parameters, and of the other arrays.
    convolution : str
        The algorithms of convolutions, an enumerator of THNNConvolution.
    changers : list of int
        The numbers of the modules that change parameters in a step, as rnn.LookupTableMaskZero does in forward.
    isZeroed : bool
        Whether a step sets all gradients to zero before it adds to them.
    draws : bool
        Whether a step draws from the random generator.
    """

    held: list[Port]
    contents: list[bytes]
    convolution: str
    changers: list[int]
    isZeroed: bool
    draws: bool

    @property
    def isChanging(self) -> bool:
        """True if a step changes more than the gradients: parameters, or other arrays such as running statistics."""
        return len(self.held) > 2 or bool(self.changers)


@dataclass
class Facts:
    """The facts that a network is written from.

    Attributes
    ----------
    name : str
        The prefix of its functions.
    file : str
        The name of its files without their endings.
    groups : list of Group
        One, or one for a single sample and one for more.
    modules : list of tuple of str
        For each module the place in the network, which counts from 1, and a text.
    picture : str
        The network as `repr` shows it.
    inputs, outputs, state : list of Port
    isBatched : bool
        Whether the functions take a number of samples.
    fills : list of tuple of int
        For each input the numbers that it may consist of, again and again.
    packed, scratch : int
        The bytes of packed weights, and of scratch memory, that a run on this processor uses.
    training : Training, optional
        Facts of a training step.
    """

    name: str
    file: str
    groups: list[Group]
    modules: list[tuple[str, str]]
    picture: str
    inputs: list[Port]
    outputs: list[Port]
    state: list[Port]
    isBatched: bool
    fills: list[tuple[int, ...]]
    packed: int
    scratch: int
    training: Training | None = None

    @property
    def verb(self) -> str:
        """The end of the name of the function that runs the network."""
        return "run" if self.training is None else "step"

    @property
    def ports(self) -> list[Port]:
        """The inputs and the outputs."""
        return [*self.inputs, *self.outputs]

    @property
    def least(self) -> int:
        """The smallest number of samples."""
        return self.groups[0].least or 1

    @property
    def variable(self) -> str:
        """The name of the functions' first argument."""
        return "model" if self.name == "net" else "net"

    def ending(self, group: Group) -> str:
        """Returns the end of the names of a group's functions."""
        return "" if len(self.groups) == 1 else ("_one" if group.least == 0 else "_batch")

    def macro(self, name: str, value: Number, argument: str) -> str:
        """Returns the use of a macro of the header, such as ``NET_ARENA(n)``. It has no argument if `value` has no n."""
        return f"{self.name.upper()}_{name.upper()}" + (f"({argument})" if isinstance(value, Size) else "")

    def opening(self, isEmbedded: bool) -> str:
        """Returns the declaration of the function that opens the network."""
        given = [f"struct {self.name} **{self.variable}"]
        given += [] if isEmbedded else ["const char *bin"]
        return f"int32_t {self.name}_open({', '.join([*given, *(['int64_t most'] if self.isBatched else [])])})"

    def running(self) -> str:
        """Returns the declaration of the function that runs it."""
        given = [f"struct {self.name} *{self.variable}", *(["int64_t n"] if self.isBatched else [])]
        given += [f"const {port.type} *{port.name}" for port in self.inputs]
        given += [f"{port.type} *{port.name}" for port in self.outputs]
        return wrapped(f"int32_t {self.name}_{self.verb}(", given, ")")


WIDTH = 120  # columns of C
NEXT_LINE = "\n       "  # a line break within the comment that begins a block


def wrapped(start: str, words: list[str], end: str, indent: str = "    ") -> str:
    """Returns words with commas between them, in lines of at most 120 characters."""
    lines = [start]
    for place, word in enumerate(words):
        piece = word + (", " if place + 1 < len(words) else end)
        if len(lines[-1]) + len(piece.rstrip()) > WIDTH and lines[-1] != indent:
            lines[-1] = lines[-1].rstrip()
            lines.append(indent)
        lines[-1] += piece
    return "\n".join(lines)


def rows(pairs: list[tuple[str, str]], widest: int = 60) -> str:
    """Returns lines of code with comments behind them, which begin in one column."""
    width = max((len(left) for left, _ in pairs if len(left) <= widest), default=0)
    return "".join(f"{left:<{width}} /* {text} */\n" if text else f"{left}\n" for left, text in pairs)
