"""A module that measures another one."""

import time
from typing import Any

from pytorch_legacy.files import t7
from pytorch_legacy.files.form import Form
from pytorch_legacy.nn import check
from pytorch_legacy.nn.decorator.Decorator import Decorator
from pytorch_legacy.nn.Module import Module


class Profile(Decorator):
    """A decorator that prints the time its module takes.

    Parameters
    ----------
    module : Module
    print_interval : int
        Print a line after so many passes forward, and after so many backward; then count anew.
    name : str, optional
        Name of the module in the lines; its typename by default.

    Attributes
    ----------
    numFwds, numBwds : int
    summedFwdTime, summedBwdTime : float
        Passes since the last line, and the seconds they took.

    Notes
    -----
    A pass backward is ``updateGradInput`` with the ``accGradParameters`` (or ``accUpdateGradParameters``) behind it.
    Source: Torch7 nn.Profile.

    Examples
    --------
    >>> net = nn.Profile(nn.Square(), 2, "square")
    >>> y = net.forward(np.float32([1, 2]))
    >>> y = net.forward(np.float32([1, 2]))  # prints after every second call
    square took ... seconds for 2 forward passes
    """

    _file = Form(
        properties=("module",),
        scratch={"timer": lambda module: t7.TorchObject("torch.Timer")},
        defaults={"print_interval": 100, "name": None},
        kinds={"summedFwdTime": "a number", "summedBwdTime": "a number"},
    )

    module = property(lambda self: self.modules[0])

    def __init__(self, module: Module, print_interval: int = 100, name: str | None = None) -> None:
        super().__init__(module)
        self.print_interval = check.count(self, "print_interval", print_interval)
        self.name = name or module._typename
        self.numFwds = self.numBwds = 0
        self.summedFwdTime = self.summedBwdTime = 0.0

    def updateOutput(self, input: Any) -> Any:
        start = time.perf_counter()
        output = super().updateOutput(input)
        self.summedFwdTime += time.perf_counter() - start
        self.numFwds += 1
        if self.print_interval and self.numFwds % self.print_interval == 0:
            print(f"{self.name} took {self.summedFwdTime:.3f} seconds for {self.numFwds} forward passes")
            self.numFwds, self.summedFwdTime = 0, 0.0
        return output

    def updateGradInput(self, input: Any, gradOutput: Any = None) -> Any:
        start = time.perf_counter()
        gradInput = super().updateGradInput(input, gradOutput)
        self.summedBwdTime += time.perf_counter() - start
        return gradInput

    def accGradParameters(self, input: Any, gradOutput: Any = None, scale: float = 1.0) -> None:
        start = time.perf_counter()
        super().accGradParameters(input, gradOutput, scale)
        self._backwardDone(start)

    def accUpdateGradParameters(self, input: Any, gradOutput: Any, lr: float) -> None:
        start = time.perf_counter()
        super().accUpdateGradParameters(input, gradOutput, lr)
        self._backwardDone(start)

    def _backwardDone(self, start: float) -> None:
        self.summedBwdTime += time.perf_counter() - start
        self.numBwds += 1
        if self.print_interval and self.numBwds % self.print_interval == 0:
            print(f"{self.name} took {self.summedBwdTime:.3f} seconds for {self.numBwds} backward passes")
            self.numBwds, self.summedBwdTime = 0, 0.0
