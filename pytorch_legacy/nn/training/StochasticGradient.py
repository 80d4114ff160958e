"""The simplest training loop."""

from collections.abc import Callable, Iterable
from typing import Any

from pytorch_legacy import random
from pytorch_legacy.errors import ArgumentError, ShapeError
from pytorch_legacy.files.form import Form
from pytorch_legacy.messages import described
from pytorch_legacy.nn.Criterion import Criterion
from pytorch_legacy.nn.Module import Module
from pytorch_legacy.objects import Object


class StochasticGradient(Object):
    """Stochastic gradient descent, one example at a time.

    Parameters
    ----------
    module : Module
    criterion : Criterion

    Attributes
    ----------
    learningRate, learningRateDecay : float
        0.01 and 0. Iteration k, counted from 1, uses ``learningRate`` if it is the first one, and
        ``learningRate / (1 + k * learningRateDecay)`` after that.
    maxIteration : int
        25 passes over the data; 0 means no end.
    shuffleIndices : bool
        True: a random order of examples, drawn once.
    verbose : bool
        True: print the mean loss of each pass.
    hookExample, hookIteration
        Called as ``hookExample(trainer, example)`` after each example, and as ``hookIteration(trainer, iteration,
        error)`` after each pass.

    Notes
    -----
    Source: Torch7 nn.StochasticGradient.

    Examples
    --------
    >>> net = nn.Sequential().add(nn.Linear(1, 1))
    >>> data = [(np.float32([x]), np.float32([3 * x + 1])) for x in (-1, 0, 1, 2)]
    >>> trainer = nn.StochasticGradient(net, nn.MSECriterion())
    >>> trainer.learningRate, trainer.maxIteration, trainer.verbose = 0.1, 100, False
    >>> trainer.train(data)
    >>> print(net[0].weight.round(2), net[0].bias.round(2))
    [[3.]] [1.]
    """

    hookExample: Callable[["StochasticGradient", Any], object] | None = None
    hookIteration: Callable[["StochasticGradient", int, float], object] | None = None

    _file = Form(
        kinds={
            "learningRateDecay": "a number",
            "maxIteration": "a whole number",
            "shuffleIndices": "true or false",
            "verbose": "true or false",
            "criterion": "a criterion",
        }
    )

    def __init__(self, module: Module, criterion: Criterion) -> None:
        self.learningRate = 0.01
        self.learningRateDecay = 0.0
        self.maxIteration = 25
        self.shuffleIndices = True
        self.module = module
        self.criterion = criterion
        self.verbose = True

    def train(self, dataset: Any) -> None:
        """Trains on a sequence of (input, target) pairs: anything with ``len()`` and ``[i]``.

        Where tqdm is installed and there is a terminal to see it, a bar shows how far a pass is, unless ``verbose`` is False.

        Raises
        ------
        ArgumentError, ShapeError
            If that is no sequence, or there is nothing in it.
        """
        order = self._order(self._count(dataset))
        learningRate = self.learningRate
        iteration = 1
        self._say("# StochasticGradient: training")
        while True:
            error = sum(self._step(self._example(dataset, i), learningRate) for i in self._shown(order, iteration)) / len(order)
            if self.hookIteration:
                self.hookIteration(self, iteration, error)
            self._say(f"# current error = {error:.14g}")
            iteration += 1
            learningRate = self.learningRate / (1 + iteration * self.learningRateDecay)
            if 0 < self.maxIteration < iteration:
                break
        self._say("# StochasticGradient: you have reached the maximum number of iterations")
        self._say(f"# training error = {error:.14g}")

    def _step(self, example: Any, learningRate: float) -> float:
        """Learns from one example and returns its loss."""
        input = self.module._asArrays("input", example[0])
        target = self.criterion._asArrays("target", example[1])
        output = self.module.forward(input)
        loss: float = self.criterion.forward(output, target)
        gradOutput = self.criterion.updateGradInput(output, target)
        self.module.updateGradInput(input, gradOutput)
        self.module.accUpdateGradParameters(input, gradOutput, learningRate)
        if self.hookExample:
            self.hookExample(self, example)
        return loss

    def _order(self, count: int) -> list[int]:
        order: list[int] = random.randperm(count).tolist()  # drawn in any case: what comes next is then as in Torch7
        return order if self.shuffleIndices else list(range(count))

    def _count(self, dataset: Any) -> int:
        """The number of examples."""
        where = f"{self._typename}: dataset: expected a sequence of (input, target) pairs"
        if not (hasattr(dataset, "__len__") and hasattr(dataset, "__getitem__")):
            cure = "; pass list(dataset)" if isinstance(dataset, Iterable) else ""
            raise ArgumentError(f"{where}, with len() and [i], got {described(dataset)}{cure}")
        if not len(dataset):
            raise ShapeError(f"{where}, got none")
        return len(dataset)

    def _example(self, dataset: Any, i: int) -> Any:
        try:
            example = dataset[i]
            example[0], example[1]
        except (TypeError, LookupError) as error:
            got = f"{type(error).__name__}: {error}"
            raise ArgumentError(f"{self._typename}: dataset[{i}]: expected a pair of input and target, got {got}") from error
        return example

    def _shown(self, order: list[int], iteration: int) -> Iterable[int]:
        """The order, whose progress is shown meanwhile."""
        if not self.verbose:
            return order
        try:
            from tqdm import tqdm
        except ImportError:
            return order
        shown: Iterable[int] = tqdm(order, desc=f"iteration {iteration}", leave=False, disable=None)
        return shown

    def _say(self, line: str) -> None:
        if self.verbose:
            print(line)
