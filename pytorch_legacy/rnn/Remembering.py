"""State that goes on from one sequence into the next."""

from typing import Self

from pytorch_legacy.errors import ValueRangeError
from pytorch_legacy.nn.Module import Module

REMEMBER = ("both", "train", "eval", "neither")


class Remembering(Module):
    """The base of modules that take whole sequences, and begin each with a state of zero unless they remember."""

    _when = "neither"  # it remembers

    def remember(self, remember: str = "both") -> Self:
        """Says when the state after one sequence goes on into the next, and returns self.

        Parameters
        ----------
        remember : {"both", "train", "eval", "neither"}
            In training and evaluation, in one of them, or never. Going from training to evaluation, or back, forgets.
        """
        if remember not in REMEMBER:
            raise ValueRangeError(f"{self._typename}: remember: expected one of {', '.join(REMEMBER)}, got {remember!r}")
        self._when = remember
        return self

    def training(self) -> Self:
        if not self.train:
            self.forget()
        super().training()
        return self

    def evaluate(self) -> Self:
        if self.train:
            self.forget()
        super().evaluate()
        return self

    def _remembers(self) -> bool:
        return self._when in ("both", "train" if self.train else "eval")
