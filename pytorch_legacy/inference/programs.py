"""A program of a file as a network, for commands that run networks."""

from __future__ import annotations

from typing import Any, Self

from pytorch_legacy.nn.Module import Module
from pytorch_legacy.program import Program
from pytorch_legacy.program.inputs import Spec, leaves

START = b"THNNprog"


def isProgram(path: str) -> bool:
    """Returns whether a file begins as a program does."""
    with open(path, "rb") as file:
        return file.read(len(START)) == START


def load(path: str) -> dict[str, Any]:
    """Returns the network of the file, beside what the file says about its use, as `models` finds that in a .t7 file."""
    network = ProgramNetwork(Program.load(path))
    said = {{"size": "size", "crop": "cropSize"}.get(name, name): value for name, value in network.program.preparation.items()}
    return {**said, "model": network, "classes": network.program.labels}


class ProgramNetwork(Module):
    """A network whose forward pass is a program. It has no parameters and no gradients.

    Parameters
    ----------
    program : Program
    """

    def __init__(self, program: Program) -> None:
        super().__init__()
        self.program = program
        found = leaves(program._table)
        self._program_dtype = found[0].dtype
        self.pictureSize: tuple[int, int] | None = None  # the only height and width
        if isinstance(program._table, Spec) and len(found[0].shape) == 4:
            _, self.nInputPlane, height, width = found[0].shape
            self.pictureSize = None if height is None or width is None else (height, width)

    @property
    def _inputDtype(self) -> Any:
        return self._program_dtype

    def updateOutput(self, input: Any) -> Any:
        self.output = self.program(input)
        return self.output

    def type(self, type: Any = None, tensorCache: Any = None) -> Any:
        """Returns the network itself: a program has one type."""
        return self if type is not None else super().type()

    def sharedClone(self, shareParams: bool = True, shareGradParams: bool = True) -> Self:
        """Returns a network for another thread, with the same weights in the same memory."""
        return type(self)(self.program.clone())

    def forget(self) -> Self:
        self.program.forget()
        return self
