"""One case of the table with one element type: fresh modules, inputs, and all that one pass over them computes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from pytorch_legacy import manualSeed
from tests.case import Case
from tests.trees import Array, Tree, cast, copied, leaves, mapped

SEED = 20


@dataclass
class Result:
    """Copies of what forward and backward gave, and of the gradients of the parameters."""

    output: Tree
    gradInput: Tree
    gradParameters: list[Array]

    def all(self) -> Tree:
        return [self.output, self.gradInput, *self.gradParameters]


USUAL: dict[tuple[int, Any], tuple[Case, Result]] = {}
"""Results of cases, by identity and element type, with which many checks compare. A stored case keeps its identity."""


class Trial:
    """A case in one element type.

    A criterion is treated as a layer whose output is one number and whose gradOutput is 1.
    """

    def __init__(self, case: Case, dtype: Any) -> None:
        self.case = case
        self.dtype = np.dtype(dtype)
        self.isCriterion = case.target is not None
        rng = np.random.default_rng(SEED)
        # Rounded to single precision, so that both element types see the same numbers.
        self.input: Tree = cast(cast(case.input(rng), np.float32), dtype)
        self.target: Tree = cast(cast(case.target(rng), np.float32), dtype) if case.target else None

    def module(self) -> Any:
        """A new module with random parameters, the same ones each time."""
        manualSeed(SEED)
        module = self.case.make()
        module.float() if self.dtype == np.float32 else module.double()
        rng = np.random.default_rng(SEED)
        for parameter in self.parameters(module)[0]:
            parameter[...] = rng.uniform(-1, 1, parameter.shape).astype(np.float32)
        return module

    def parameters(self, module: Any) -> tuple[list[Array], list[Array]]:
        return ([], []) if self.isCriterion else module.parameters() or ([], [])

    def forward(self, module: Any, input: Tree) -> Tree:
        """The output; what is random is so in the same way each time."""
        manualSeed(SEED)
        return np.asarray(module.forward(input, self.target), self.dtype) if self.isCriterion else module.forward(input)

    def backward(self, module: Any, input: Tree, gradOutput: Tree, scale: float = 1.0) -> Tree:
        return module.backward(input, self.target) if self.isCriterion else module.backward(input, gradOutput, scale)

    def updateGradInput(self, module: Any, input: Tree, gradOutput: Tree) -> Tree:
        return module.updateGradInput(input, self.target if self.isCriterion else gradOutput)

    def fed(self, input: Tree) -> Tree:
        """The input as a pass may use it: a copy for a module that overwrites it."""
        return copied(input) if self.case.inplace else input

    def value(self, module: Any, input: Tree) -> Tree:
        """A copy of the output."""
        return copied(self.forward(module, self.fed(input)))

    def gradOutput(self, output: Tree) -> Tree:
        """A random gradient, the same one for every output of these shapes."""
        if self.isCriterion:
            return np.ones_like(output)
        rng = np.random.default_rng(SEED + 1)
        return mapped(lambda leaf: rng.standard_normal(leaf.shape).astype(np.float32).astype(self.dtype), output)

    def run(self, input: Tree | None = None, gradOutput: Tree | None = None, module: Any = None) -> Result:
        """One pass forward and backward. Input and gradOutput are used as they are when given, memory and all."""
        module = self.module() if module is None else module
        input = self.fed(self.input) if input is None else input
        output = self.forward(module, input)
        kept = copied(output)
        gradOutput = self.gradOutput(output) if gradOutput is None else gradOutput
        gradients = self.parameters(module)[1]
        for gradient in gradients:
            gradient.fill(0)
        gradInput = self.backward(module, input, gradOutput)
        return Result(kept, copied(gradInput), copied(gradients))

    def usual(self) -> Result:
        """Returns the result of `run` for the unchanged case. The result is computed once, and read-only."""
        key = id(self.case), self.dtype
        if key not in USUAL:
            USUAL[key] = self.case, Trial(self.case, self.dtype).run()
            for leaf in leaves(USUAL[key][1].all()):
                leaf.flags.writeable = False
        return USUAL[key][1]

    def held(self, module: Any) -> list[Array]:
        """The arrays that the module and those inside it keep their results in; indices are none."""
        modules = module.listModules() if hasattr(module, "listModules") else [module]
        held = [tree for m in modules for tree in (m.output, m.gradInput) if isinstance(tree, (np.ndarray, list))]
        arrays = [leaf for tree in held for leaf in leaves(tree) if isinstance(leaf, np.ndarray) and leaf.dtype.kind == "f"]
        return [array for array in arrays if array.flags.writeable]

    def samples(self) -> int:
        return len(leaves(self.input)[0])

    def repeated(self, elements: int) -> Trial:
        """The same case with its batch repeated until input or output has at least that many elements.

        A loss of one sample has no batch: its target is not as long as its input.
        """
        lengths = {np.shape(leaf)[:1] for leaf in leaves([self.input, self.target] if self.isCriterion else [])}
        if len(lengths) > 1:
            return self
        output = self.value(self.module(), self.input)
        size = max(sum(leaf.size for leaf in leaves(tree)) for tree in (self.input, output))
        times = -(-elements // size)
        trial = Trial(self.case, self.dtype)

        def repeat(leaf: Array) -> Array:
            return np.tile(leaf, (times, *[1] * (leaf.ndim - 1)))

        trial.input = mapped(repeat, self.input)
        if self.isCriterion:
            trial.target = mapped(repeat, self.target)
        return trial

    def large(self) -> Trial:
        """An input over which several threads work, where the case knows one."""
        if self.case.larger:
            trial = Trial(self.case, self.dtype)
            trial.input = cast(self.case.larger(np.random.default_rng(SEED)), self.dtype)
            return trial
        return self.repeated(200_000) if self.case.batched else self
