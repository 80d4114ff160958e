"""The base of modules that take whole sequences."""

from typing import Any, Self

from pytorch_legacy.errors import ValueRangeError
from pytorch_legacy.nn.Container import Container
from pytorch_legacy.nn.Module import Module
from pytorch_legacy.rnn.AbstractRecurrent import AbstractRecurrent

REMEMBER = ("both", "train", "eval", "neither")


class AbstractSequencer(Container):
    """Leads recurrent modules through a sequence, forward and back.

    Notes
    -----
    An error that is raised in a step says so: "at step 3 of nn.Sequencer", counted from 1.
    Source: Element-Research rnn ``AbstractSequencer``.
    """

    _isSequencer = True
    _when = "neither"  # it remembers

    def remember(self, remember: str = "both") -> Self:
        """Says when the state after one sequence goes on into the next, and returns self.

        Parameters
        ----------
        remember : {"both", "train", "eval", "neither"}
            In training and evaluation, in one of them, or never. Going from training to evaluation, or back, forgets.
        """
        self._when = remembering(self, remember)
        return self

    def training(self) -> None:
        if not self.train:
            self.forget()
        super().training()

    def evaluate(self) -> None:
        if self.train:
            self.forget()
        super().evaluate()

    def accUpdateGradParameters(self, input: Any, gradOutput: Any, lr: float) -> None:
        """By way of the gradients, which it overwrites: the parameters are those of all steps."""
        self.sharedAccUpdateGradParameters(input, gradOutput, lr)

    def _remembers(self) -> bool:
        return self._when in ("both", "train" if self.train else "eval")

    def _rewind(self) -> None:
        """The next way back begins at the last step."""
        for module in self.listModules():
            if isinstance(module, AbstractRecurrent):
                module.rewind()


def remembering(module: Module, remember: str) -> str:
    """`remember`, one of the words that it may be."""
    if remember not in REMEMBER:
        raise ValueRangeError(f"{module._typename}: remember: expected one of {', '.join(REMEMBER)}, got {remember!r}")
    return remember
