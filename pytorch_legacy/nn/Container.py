"""The base of all modules made of modules."""

import copy
from collections.abc import Callable, Iterable, Iterator
from functools import wraps
from typing import Any, ClassVar, Self, overload

import numpy as np

from pytorch_legacy.arguments import as_kind, checked
from pytorch_legacy.arrays import Tensor, any_overlap, cupy, is_tensor, on_device, overlap
from pytorch_legacy.errors import TOO_DEEP, ArgumentError, IndexRangeError, ShapeError, THNNError, UnsupportedError
from pytorch_legacy.files.counting import Lua
from pytorch_legacy.files.form import Form
from pytorch_legacy.nn import check, walks
from pytorch_legacy.nn.Module import Module
from pytorch_legacy.nn.utils import author_name, clear, owned, recursiveSum
from pytorch_legacy.objects import Typed
from pytorch_legacy.reentrancy import guards_modules, is_reentrant


class Container(Typed, Module):
    """Holds modules in the list ``modules`` and does for all of them what is asked of it.

    Modules count from 0, as everything here; ``print`` shows Torch7's picture, which counts from 1, and says so in
    its last line: ``net[0]`` is (1) there. ``repr`` is the picture alone.

    An exception in a child says on its way out where it was: a THNNError in front of its text ("in module 3 of
    nn.Sequential", counted from 1 as when printed), any other exception in a note.

    ``updateParameters`` calls each module, so it moves parameters that two of them share twice, as in Torch7. An optimizer on the
    vectors of ``getParameters`` moves them once.

    Parameters
    ----------
    *modules : Module
        Modules that it holds at first; ``add`` appends more.

    Notes
    -----
    Source: Torch7 nn.Container.

    Examples
    --------
    >>> net = nn.Sequential().add(nn.Linear(4, 3)).add(nn.Tanh()).add(nn.Linear(3, 2))
    >>> net.size()
    3
    >>> [parameter.shape for parameter in net.parameters()[0]]
    [(3, 4), (3,), (2, 3), (2,)]
    >>> net.findModules("nn.Linear")[0]
    [nn.Linear(4 -> 3), nn.Linear(3 -> 2)]
    >>> net.forward(np.float32([1, 0, 0, 0])).shape
    (2,)
    """

    _everyday: ClassVar[tuple[str, ...]] = (
        "__getitem__", "__len__", "__setitem__", "add", "clearState", "dtype", "evaluate", "get", "parameters", "reset", "size",
        "training", "updateParameters", "zeroGradParameters",
    )  # fmt: skip
    _file = Form(defaults={"modules": lambda fields: []})
    _lua = Lua(
        methods={
            **{name: {"index": "positions"} for name in ("get", "insert", "remove")},
            **{f"{verb}{kind}": {"step": "indices"} for verb in ("get", "set") for kind in ("HiddenState", "GradHiddenState")},
        },
        variadic=("extend",),
    )
    _isList = False  # True of those that take any number of modules: a part of such a container is one, too

    def __init_subclass__(cls, **keywords: Any) -> None:
        name = "accUpdateGradParameters"
        if name in cls.__dict__:
            setattr(cls, name, _untied(cls.__dict__[name]))
        super().__init_subclass__(**keywords)

    def __init__(self, *modules: Module) -> None:
        super().__init__()
        self.modules: list[Module] = list(modules)

    @checked
    def add(self, module: Module) -> Self:
        """Appends a module and returns self."""
        self.modules.append(module)
        return self

    def extend(self, modules: Iterable[Module]) -> Self:
        """Appends modules, as ``add`` does one by one, and returns self. If one of them is refused, none is appended."""
        if not isinstance(modules, Iterable):
            cure = "; add(module) appends one" if isinstance(modules, Module) else ""
            raise ArgumentError(f"{self._typename}: modules: expected several modules, got {modules!r:.60}{cure}")
        new = [as_kind(self, f"modules[{i}]", module, Module) for i, module in enumerate(modules)]
        fields, old = dict(self.__dict__), list(self.modules)
        try:
            for module in new:
                self.add(module)
        except BaseException:
            self.__dict__ = fields
            self.modules[:] = old
            raise
        return self

    @checked
    def get(self, index: int) -> Module:
        """The module at `index`, which counts from 0; negative ones count from the end."""
        if not -len(self.modules) <= index < len(self.modules):
            raise IndexRangeError.of(f"{self._typename}: index: {{}} is out of range for {len(self.modules)} modules", index)
        return self.modules[index]

    def size(self) -> int:
        """The number of modules."""
        return len(self.modules)

    def __str__(self) -> str:
        picture = repr(self)
        return f"{picture}\n(The picture is Torch7's: it counts from 1, Python from 0.)" if "(1): " in picture else picture

    def __len__(self) -> int:
        return len(self.modules)

    def __bool__(self) -> bool:
        return True

    @overload
    def __getitem__(self, index: int) -> Module: ...
    @overload
    def __getitem__(self, index: slice) -> Any: ...
    def __getitem__(self, index: int | slice) -> Any:
        """The module at `index`, which counts from 0. A slice of a container that takes any number of modules is a container
        of the same modules, that of another one a list of them."""
        return self._part(self.modules[index]) if isinstance(index, slice) else self.get(index)

    def __setitem__(self, index: int | slice, module: Any) -> None:
        """Puts a module in the place of another one, or as many as there are in a slice."""
        if not isinstance(index, slice):
            self.get(index)
            return self._put(index % len(self.modules), as_kind(self, "module", module, Module))
        places = range(len(self.modules))[index]
        modules = [as_kind(self, "modules", one, Module) for one in module] if isinstance(module, Iterable) else [module]
        if len(modules) != len(places):
            raise ShapeError(f"{self._typename}: modules: expected {len(places)} for this slice, got {len(modules)}")
        for place, one in zip(places, modules, strict=True):
            self._put(place, one)

    def __iter__(self) -> Iterator[Module]:
        return iter(self.modules)

    def applyToModules(self, func: Callable[[Module], object]) -> Self:
        """Calls `func` with each child."""
        self._forEachChild(lambda _, module: func(module))
        return self

    def updateOutput(self, input: Any) -> Any:
        """Computes and returns ``output``: by ``route``, if the class defines it."""
        if type(self).route is not Container.route:
            self.output = self.route(self._runChild, input)
        return self.output

    @guards_modules
    def _runChild(self, module: Module, input: Any) -> Any:
        """Returns the output of one of the modules, guarded against reentrancy. An exception is told with its place."""
        isRecursion = module._inPass and is_reentrant(module)
        module._inPass = True
        try:
            return module.updateOutput(input)
        except Exception as error:
            place = next((i for i, one in enumerate(self._children()) if one is module), None)
            if place is not None:
                self._addErrorContext(error, place)
            raise
        finally:
            module._inPass = isRecursion

    def route(self, run: Callable[[Module, Any], Any], input: Any) -> Any:
        """Passes `input` through the modules by ``run(module, value)``. Returns the output.

        A container of your own whose output consists of what its modules return needs no other forward pass. With ``route``
        it takes part in ``pl.to_torch`` and all exports, in ``nn.hessian``, and in the inference of the input that a network
        expects. Arithmetic between modules is a module, too: ``nn.CAddTable``, ``nn.CMulTable``. The backward passes,
        ``updateGradInput`` and ``accGradParameters``, are written by hand; ``nn.gModule`` has its own.

        Examples
        --------
        >>> class Twice(nn.Container):
        ...     def route(self, run, input):
        ...         first, second = self.modules
        ...         return [run(first, input[0]), run(second, input[0])]
        >>> Twice(nn.Identity(), nn.Square()).forward([np.float32([3])])
        [array([3.], dtype=float32), array([9.], dtype=float32)]
        """
        raise UnsupportedError(f"{self._typename}: route: the class does not define how values pass through its modules")

    @classmethod
    def definesRoute(cls, *passes: str) -> bool:
        """Returns True if ``route`` describes ``updateOutput`` and `passes`: no class below that which defines it has others."""
        for base in cls.__mro__:
            if "route" in vars(base):
                return base is not Container
            if not vars(base).keys().isdisjoint(("updateOutput", *passes)):
                return False
        return False

    def zeroGradParameters(self) -> Self:
        self._broadcast("zeroGradParameters", _nothing, lambda module: module.zeroGradParameters())
        return self

    def updateParameters(self, learningRate: float) -> Self:
        self._broadcast("updateParameters", _nothing, lambda module: module.updateParameters(learningRate), once=False)
        return self

    def training(self) -> Self:
        self._broadcast("training", Module.training, lambda module: module.training())
        return self

    def evaluate(self) -> Self:
        self._broadcast("evaluate", Module.evaluate, lambda module: module.evaluate())
        return self

    def reset(self, stdv: float | None = None) -> Self:
        self._broadcast("reset", _nothing, lambda module: module.reset(stdv), once=False)
        return self

    def clearState(self) -> Self:
        self._broadcast("clearState", Module.clearState, lambda module: module.clearState())
        return self

    def share(self, mlp: Module, *names: str) -> Self:
        """Shares fields of the children with those of the children of `mlp`, one by one."""
        partner = {id(self): mlp}

        def pair(module: Any) -> None:
            others = partner[id(module)]._children()
            if len(others) != len(module.modules):
                expected = f"expected a container of {len(module.modules)} modules, got {len(others)}"
                raise ShapeError(f"{module._typename}: share: {expected}")
            partner.update((id(ours), theirs) for ours, theirs in zip(module.modules, others, strict=True))

        self._broadcast("share", pair, lambda module: module.share(partner[id(module)], *names), once=False)
        return self

    def parameters(self) -> tuple[list[Tensor], list[Tensor]]:
        """The parameters of all children in order, and their gradients; two empty lists if there are none.

        A module that stands in several places is listed as often, as in Torch7, but once where there are more than
        100,000 places.
        """
        found: tuple[list[Tensor], list[Tensor]] = [], []

        def take(module: Module) -> None:
            for ours, theirs in zip(found, module.parameters() or ([], []), strict=True):
                ours.extend(theirs)

        self._broadcast("parameters", _nothing, take, once=False)
        return found

    def getHiddenState(self, step: int | None = None, input: Any = None) -> Any:
        """The states of the recurrent modules inside after a step, -1 for that before the first one; the last one by default.

        It is a list with an entry for each module, False for those that have no state; False if none has one. `input` tells the
        shape of the zeros before the first step.
        """
        return self._statesInside("getHiddenState", step, input)

    def setHiddenState(self, step: int | None, hiddenState: Any) -> Self:
        """Sets the states after a step, which ``getHiddenState`` returned, and returns self."""
        return self._setStatesInside("setHiddenState", step, hiddenState)

    def getGradHiddenState(self, step: int | None = None) -> Any:
        """The gradients of these states, in the same form."""
        return self._statesInside("getGradHiddenState", step)

    def setGradHiddenState(self, step: int | None, gradHiddenState: Any) -> Self:
        """Sets the gradients of the states after a step before the way back, and returns self."""
        return self._setStatesInside("setGradHiddenState", step, gradHiddenState)

    def _statesInside(self, method: str, *arguments: Any) -> Any:
        states = [getattr(child, method)(*arguments) if isinstance(child, Container) else False for child in self._children()]
        return states if any(state is not False for state in states) else False

    def _setStatesInside(self, method: str, step: int | None, states: Any) -> Self:
        children = self._children()
        if states is not False:
            for child, state in zip(children, check.table(self, method, states, len(children)), strict=True):
                if state is not False:
                    getattr(child, method)(step, state)
        return self

    def _parameterOwners(self) -> list[Module]:
        found: list[Module] = []
        if type(self).updateParameters is not Container.updateParameters or self._isReplaced("updateParameters"):
            return [self]
        walks.broadcast(self, "updateParameters", Container.updateParameters, _nothing, found.append)
        return found

    def _isTied(self) -> bool:
        """Returns True if a module may read a parameter for its gradient after another module has updated that parameter."""
        learners: list[Module] = []
        self._broadcast("parameters", _nothing, learners.append, once=False)
        direct: list[Tensor] = []
        readers: list[Tensor] = []
        for module in learners:
            (direct if module._mayUpdateDirectly() else readers).extend((module.parameters() or ([],))[0])
        return any_overlap(readers, direct)

    def _broadcast(self, name: str, own: Callable[[Any], Any], call: Callable[[Any], Any], once: bool = True) -> None:
        """Calls `walks.broadcast` for a method that this class has for all containers."""
        walks.broadcast(self, name, getattr(Container, name), own, call, once)

    def _part(self, modules: list[Module]) -> Any:
        """Returns the container of a slice, or the list of modules in a container that is no list."""
        if not self._isList:
            return modules
        part = copy.copy(self)
        part.modules = modules
        return clear(part, "output", "gradInput")

    def _put(self, index: int, module: Module) -> None:
        """Puts a module in the place of another one. Fields that name that one, such as an nn.MapTable's, name the new one."""
        old, self.modules[index] = self.modules[index], module
        for name, value in self.__dict__.items():
            if value is old:
                self.__dict__[name] = module

    def _typed(self) -> tuple[Any, Any]:
        """The dtype of the network, and the class of its arrays, NumPy's or CuPy's.

        They are those of the first parameter. If there is none, they are those of the first module that does not take every type.
        An empty container has its own type.
        """
        if self._keepsType:
            return self._ownType()
        first = None
        for module in self._computing():
            parameter = None if module._keepsType else _first_parameter(module)
            if parameter is not None:
                return parameter.dtype, cupy().ndarray if on_device(parameter) else np.ndarray
            if module is not self and (first is None or (first._takesAnyType and not module._takesAnyType)):
                first = module
        return self._ownType() if first is None else first._typed()

    @property
    def _inputDtype(self) -> Any:
        """Returns the dtype of the network, or of its first module if that module converts, such as nn.Copy."""
        first = next((module for module in self._computing() if not module._takesAnyType), self)
        return self._dtype if first is self else first._inputDtype if type(first)._inputDtype is not _ITS_OWN else self._dtype

    def _computing(self) -> Iterator[Module]:
        """The modules inside that compute, each once, in their order.

        A container that has parameters, or a type, of its own is one of them. The modules inside it are not.
        """
        seen: set[int] = set()
        waiting: list[Module] = [self]
        while waiting:
            module = waiting.pop()
            if id(module) in seen:
                continue
            seen.add(id(module))
            if type(module).parameters is not Container.parameters or module._keepsType:
                yield module
                continue
            modules = module._children()  # in a file that is being read they may be anything
            waiting += [each for each in reversed(modules) if isinstance(each, Module)] if isinstance(modules, list) else []

    @guards_modules
    def _forEachChild(self, function: Callable[[int, Module], Any], reverse: bool = False, guarded: bool = False) -> list[Any]:
        """Calls ``function(index, module)`` for each child, the last one first if `reverse`; the results in order.

        With `guarded` each child is guarded against reentrancy meanwhile (reentrancy.py); set it if ``function`` does not do so.
        """
        results = []
        indices = range(len(self.modules))
        index = 0
        try:
            for index in reversed(indices) if reverse else indices:
                module = self.modules[index]
                if not guarded or (module._inPass and is_reentrant(module)):
                    results.append(function(index, module))
                    continue
                module._inPass = True
                try:
                    results.append(function(index, module))
                finally:
                    module._inPass = False
        except Exception as error:
            self._addErrorContext(error, index)
            raise
        return results[::-1] if reverse else results

    def _addErrorContext(self, error: Exception, index: int) -> None:
        """Adds the child in which an exception was raised to its message."""
        if isinstance(error, RecursionError):
            raise UnsupportedError(TOO_DEEP.format(self._typename)) from None
        children = self._children()
        name = author_name(children[index]) if index < len(children) else ""
        place = f"in module {index + 1}{f' ({name})' * bool(name)} of {self._typename}"
        if isinstance(error, THNNError):
            error.where.insert(0, place)
        else:
            error.add_note(place)

    def _sum(self, method: str, input: Any, gradOutputs: list[Any], *scale: float) -> Any:
        """Sets ``gradInput`` to the sum of the gradients that a method of the children returns, and returns it.

        Children that compute none (None) do not count.
        """
        shared = self._sharesModules()

        def gradient(i: int, module: Module) -> Any:
            result = getattr(module, method)(input, gradOutputs[i], *scale)
            # Later ones may write over it: into what they share, or in place into a gradOutput that it is part of.
            return owned(result) if shared or any(overlap(result, later) for later in gradOutputs[i + 1 :]) else result

        present = [gradient for gradient in self._forEachChild(gradient) if gradient is not None]
        try:
            self.gradInput = recursiveSum(self.gradInput, present) if present else None
        except THNNError as error:
            error.where.append(f"{self._typename}: gradInput")
            raise
        return self.gradInput

    def _sharesModules(self) -> bool:
        """Returns True if a module stands in several places below, so that its second call overwrites its first result."""
        return walks.has_twice(self)

    def __repr__(self) -> str:
        """Returns the class, and the modules of a container that has a ``route`` and no printed form of its own."""
        if type(self).route is Container.route:
            return super().__repr__()
        return "\n".join([f"{self._typename} {{", *self._numbered(), "}"])

    def _numbered(self) -> list[str]:
        """Returns lines with the modules, which count from 1."""
        return [f"  ({i}): {module!r}".replace("\n", "\n  ") for i, module in enumerate(self.modules, 1)]

    def _branches(self) -> str:
        """Returns the printed form of containers that fan out."""
        lines = [f"{self._typename} {{", "  input"]
        for i, module in enumerate(self.modules, 1):
            last = i == len(self.modules)
            text = repr(module).replace("\n", "\n         " if last else "\n    |    ")
            lines.append(f"    {' ' if last else '|'}`-> ({i}): {text}")
        return "\n".join([*lines, "     ... -> output", "}"])


def _untied(method: Callable[..., None]) -> Any:
    """A method ``accUpdateGradParameters`` of a container that lets one module after the other move its parameters.

    If modules share a parameter, all gradients are computed first.
    """

    @wraps(method)
    def untied(self: Container, input: Any, gradOutput: Any, lr: float) -> None:
        if self._isTied():
            self._updateApart(input, gradOutput, lr)
        else:
            method(self, input, gradOutput, lr)

    return untied


_ITS_OWN = Module._inputDtype  # for layers: their own type


def _first_parameter(module: Module) -> Tensor | None:
    isPlain = type(module).parameters is Module.parameters and "parameters" not in module.__dict__
    if isPlain and module.weight is None and module.bias is None:
        return None  # at once: passes of containers ask all their modules
    try:
        parameters = (module.parameters() or ([],))[0]
    except Exception:  # a module that lacks a field says so when it runs
        return None
    return next((array for array in parameters if is_tensor(array) and array.dtype.kind == "f"), None)


def _nothing(module: Any) -> None:
    """Stands for a container's own part in a walk that concerns only the modules inside."""
