"""A chain of modules."""

from collections.abc import Callable
from typing import Any, Self

import numpy as np

from pytorch_legacy.arguments import checked
from pytorch_legacy.arrays import is_tensor
from pytorch_legacy.errors import DtypeError, IndexRangeError, NullError
from pytorch_legacy.nn.Container import Container
from pytorch_legacy.nn.Module import Module
from pytorch_legacy.nn.utils import clear
from pytorch_legacy.reentrancy import guards_modules, guards_self, is_reentrant


class Sequential(Container):
    """Feeds each module with the output of the one before::

        output = modules[n-1](... modules[1](modules[0](input)))

    Input and output are whatever the first module takes and the last one returns; ``output`` and ``gradInput`` are
    theirs, not copies. An empty chain passes everything through.

    Parameters
    ----------
    *modules : Module
        The chain, to which ``add`` appends and ``insert`` adds anywhere. (In Lua, a chain begins empty.)

    Notes
    -----
    Source: Torch7 nn.Sequential.

    Examples
    --------
    >>> net = nn.Sequential(nn.MulConstant(2.0), nn.AddConstant(1.0))  # in Lua: nn.Sequential():add(...):add(...)
    >>> net.forward(np.float32([1, 2, 3]))
    array([3., 5., 7.], dtype=float32)
    >>> net.backward(np.float32([1, 2, 3]), np.float32([1, 0, 1]))
    array([2., 0., 2.], dtype=float32)
    >>> net
    nn.Sequential {
      [input -> (1) -> (2) -> output]
      (1): nn.MulConstant
      (2): nn.AddConstant
    }
    >>> net[0]  # net:get(1) in Lua
    nn.MulConstant
    """

    _isList = True

    def __init__(self, *modules: Module) -> None:
        super().__init__(*modules)
        self._syncOutputs()

    @checked
    def add(self, module: Module) -> Self:
        """Appends a module and returns self."""
        super().add(module)
        self._syncOutputs()
        return self

    @checked
    def insert(self, module: Module, index: int | None = None) -> Self:
        """Puts a module before the one at `index`, at the end if there is none; returns self."""
        count = len(self.modules)
        if index is not None and not -count <= index <= count:
            raise IndexRangeError.of(f"{self._typename}: insert: index {{}} is out of range for {count} modules", index)
        self.modules.insert(count if index is None else index, module)
        self._syncOutputs()
        return self

    @checked
    def remove(self, index: int | None = None) -> Self:
        """Takes out the module at `index`, the last one if there is none; returns self."""
        index = -1 if index is None else index
        self.get(index)
        del self.modules[index]
        self._syncOutputs()
        return self

    @guards_modules
    def updateOutput(self, input: Any) -> Any:
        done = 0
        try:
            for module in self.modules:
                fields = module.__dict__  # quicker than attributes: Object has a __getattr__
                if fields.get("_inPass") and is_reentrant(module):
                    input = module.updateOutput(input)
                else:
                    fields["_inPass"] = True
                    try:
                        input = module.updateOutput(input)
                    finally:
                        fields["_inPass"] = False
                done += 1
        except Exception as error:
            self._nameSource(error, done, input)
            self._addErrorContext(error, done)
            raise
        self.output = input
        return input

    def route(self, run: Callable[[Module, Any], Any], input: Any) -> Any:
        for module in self.modules:
            input = run(module, input)
        return input

    def _nameSource(self, error: Exception, index: int, input: Any) -> None:
        """Adds to an error of a module which class of a user's returned the input that the module refuses.

        That is None, a table or integers. Arrays of floating-point numbers are checked when such a class returns them
        (`objects/results.py`).
        """
        if not (index and isinstance(error, DtypeError) and not error.where) or (is_tensor(input) and input.dtype.kind == "f"):
            return
        before = self.modules[index - 1]
        if not type(before).__module__.startswith("pytorch_legacy."):
            source = f"module {index} of {self._typename}, {before._typename}, returned it"
            error.args = (f"{error.args[0]}; {source}",)

    def updateGradInput(self, input: Any, gradOutput: Any = None) -> Any:
        return self._back(input, gradOutput, lambda module, *arguments: module.updateGradInput(*arguments))

    def accGradParameters(self, input: Any, gradOutput: Any = None, scale: float = 1.0) -> None:
        def accumulate(module: Module, input: Any, gradOutput: Any) -> Any:
            module.accGradParameters(input, gradOutput, scale)
            return module.gradInput

        self._back(input, gradOutput, accumulate)

    def accUpdateGradParameters(self, input: Any, gradOutput: Any, lr: float) -> None:
        def update(module: Module, input: Any, gradOutput: Any) -> Any:
            module.accUpdateGradParameters(input, gradOutput, lr)
            return module.gradInput

        self._back(input, gradOutput, update)

    @guards_self
    def backward(self, input: Any, gradOutput: Any = None, scale: float = 1.0) -> Any:
        if type(input) is not np.ndarray or type(gradOutput) is not np.ndarray:
            input, gradOutput = self._asArrays("input", input), self._asArrays("gradOutput", gradOutput)
        isRecursion = self._inPass and is_reentrant(self)
        self._inPass = True
        try:
            return self._back(input, gradOutput, lambda module, *arguments: module.backward(*arguments, scale))
        finally:
            self._inPass = isRecursion

    def _back(self, input: Any, gradOutput: Any, step: Callable[[Module, Any, Any], Any]) -> Any:
        """Goes from the last module to the first with what each got in ``forward`` and what comes from behind."""
        inputs = [input, *(module.output for module in self.modules[:-1])]

        def back(index: int, module: Module) -> None:
            nonlocal gradOutput
            try:
                gradOutput = module.gradInput = step(module, inputs[index], gradOutput)
            except Exception as error:
                if gradOutput is not None or module is self.modules[-1]:
                    raise
                name = self.modules[index + 1]._typename
                raise NullError(
                    f"{self._typename}: module {index + 2}, a {name}, gives no gradient of its input to module {index + 1}: "
                    "its gradInput is None; an empty array in its place makes it compute one"
                ) from error

        self._forEachChild(back, reverse=True)
        self.gradInput = gradOutput
        return gradOutput

    def __delitem__(self, index: int | slice) -> None:
        if not isinstance(index, slice):
            self.get(index)
        del self.modules[index]
        self._syncOutputs()

    def _part(self, modules: list[Module]) -> Any:
        part = Sequential(*modules)
        part._take(self._type)
        part.train = self.train
        return part

    def _put(self, index: int, module: Module) -> None:
        super()._put(index, module)
        self._syncOutputs()

    def _syncOutputs(self) -> None:
        if self.modules:
            self.output, self.gradInput = self.modules[-1].output, self.modules[0].gradInput
        else:
            clear(self, "output", "gradInput")

    def __repr__(self) -> str:
        chain = " -> ".join(["input", *(f"({i + 1})" for i in range(len(self.modules))), "output"])
        return "\n".join(["nn.Sequential {", f"  [{chain}]", *self._numbered(), "}"])
