"""The base of all layers."""

import copy
from collections.abc import Callable, Sequence
from typing import Any, ClassVar, Self, TypeVar

import numpy as np

from pytorch_legacy.arrays import (
    Tensor,
    buffer,
    default_dtype,
    flatten,
    is_aligned,
    is_repeated,
    is_tensor,
    overlap,
    storage_offset,
    to_device,
)
from pytorch_legacy.errors import NullError, ShapeError, THNNError
from pytorch_legacy.files import migration, t7
from pytorch_legacy.files.classes import own
from pytorch_legacy.files.counting import Lua
from pytorch_legacy.files.form import GRADIENTS
from pytorch_legacy.files.stored import stored_dtype
from pytorch_legacy.nn import blocks, check, walks
from pytorch_legacy.nn.protocols import HasGradient, HasOutput
from pytorch_legacy.nn.summary import Summary, of_module
from pytorch_legacy.nn.updating import Updating
from pytorch_legacy.nn.utils import by_example, clear, described
from pytorch_legacy.objects.copies import rebind, shared
from pytorch_legacy.objects.loaded import RAW, explain
from pytorch_legacy.reentrancy import guarded, guards_self, is_reentrant

_NOTHING: Any = object()
_STATISTICS = ("running_mean", "running_var")

R = TypeVar("R")


def _liesOtherwise(gradient: Tensor, parameter: Tensor) -> bool:
    """Returns True if two arrays of one shape differ in memory layout."""
    if gradient.shape != parameter.shape:
        return False
    places = zip(gradient.shape, gradient.strides, parameter.strides, strict=True)
    return any(size > 1 and one * parameter.itemsize != other * gradient.itemsize for size, one, other in places)


def _laidAs(parameter: Tensor, gradient: Tensor) -> Tensor:
    """The gradient as the parameter lies: itself, or a copy."""
    if not _liesOtherwise(gradient, parameter):
        return gradient
    laid = np.empty_like(parameter, gradient.dtype)
    laid[...] = gradient
    return laid


class Module(Updating):
    """A layer: a function of an array or a table, its gradients, and perhaps parameters.

    A layer overrides ``updateOutput``, ``updateGradInput`` and, if it has parameters, ``accGradParameters``. The first
    two keep their result in ``output`` and ``gradInput`` **and write the next one into the same memory**: copy what
    must survive the next call.

    Attributes
    ----------
    output, gradInput
        Results of the last calls. Many layers compute no gradient of the input once ``gradInput`` is None.
    weight, bias, gradWeight, gradBias
        Parameters and their gradients, None where a layer has none.
    train : bool
        Training or evaluation, for layers that tell them apart.
    _updatesDirectly : bool
        True of a class whose ``accGradParameters`` reads no parameter, or none after it has added to ``gradWeight`` or
        ``gradBias``. ``accUpdateGradParameters`` then puts ``weight`` and ``bias`` in the place of ``gradWeight`` and
        ``gradBias``, so that it needs no array of gradients. A derived class with its own ``accGradParameters``,
        ``parameters`` or ``updateParameters``, or with other C functions, does not inherit the permission.
        ``pl.testing.jacobian`` proves it.

    Notes
    -----
    Source: Torch7 nn.Module.

    Examples
    --------
    >>> class Double(nn.Module):
    ...     def updateOutput(self, input):
    ...         self.output = 2 * input
    ...         return self.output
    ...     def updateGradInput(self, input, gradOutput):
    ...         self.gradInput = 2 * gradOutput
    ...         return self.gradInput
    >>> nn.Sequential().add(Double()).add(nn.Square()).forward(np.float32([1, 2]))
    array([ 4., 16.], dtype=float32)
    """

    _lua = Lua(
        methods={"setOutputStep": {"step": "positions"}},
        returns=dict.fromkeys(("training", "evaluate", "apply", "reset", "zeroGradParameters", "updateParameters"), 0),
    )

    _everyday: ClassVar[tuple[str, ...]] = (
        "__call__", "accGradParameters", "apply", "backward", "clearState", "clone", "evaluate", "findModules", "forward",
        "getParameters", "parameters", "reset", "share", "summary", "training", "updateGradInput", "updateOutput",
        "updateParameters", "zeroGradParameters",
    )  # fmt: skip
    weight: Tensor | None = None
    bias: Tensor | None = None
    gradWeight: Tensor | None = None
    gradBias: Tensor | None = None
    train = True
    shared = False
    _updatesDirectly = False
    _takesAnyType = False  # True of modules that hand on arrays of all types
    _keepsType = False  # True of containers that convert between the network around them and the modules inside
    _servesAllSteps = False  # True of recurrent modules, which keep account of their steps themselves
    _isSequencer = False
    _ownBuffers: frozenset[str] = frozenset()  # for modules with a flag `inplace`: the fields that hold buffers of their own
    _TENSORS = ("weight", "bias", "gradWeight", "gradBias", "output", "gradInput")
    _emptyInFile: tuple[str, ...] = ()  # gradients that are zeros here
    _trainIsNumber = False  # True of modules that gave `train` to C, where the number 0 is false

    def __init__(self) -> None:
        self._dtype = default_dtype()
        self.output: Any = np.empty(0, self._dtype)
        self.gradInput: Any = np.empty(0, self._dtype)

    @guards_self
    def forward(self: HasOutput[R], input: Any) -> R:
        """Returns the output for `input`: another name of ``updateOutput``. ``help(nn.Module)`` has all methods of modules."""
        if type(input) is not np.ndarray:
            input = self._asArrays("input", input)
        fields = self.__dict__  # quicker than attributes: Object has a __getattr__
        isRecursion = fields.get("_inPass", False) and is_reentrant(self)
        fields["_inPass"] = True
        try:
            return self.updateOutput(input)
        except RAW as error:
            explain(self, error)
            raise
        finally:
            fields["_inPass"] = isRecursion

    @guards_self
    def backward(self: HasGradient[R], input: Any, gradOutput: Any = None, scale: float = 1.0) -> R:
        """Returns the gradient of the input and adds `scale` times the gradients of the parameters to theirs.

        `input` is what ``forward`` got last. Modules that do not look at `gradOutput`, such as nn.CriterionTable at the end
        of a network, need none.
        """
        if type(input) is not np.ndarray or type(gradOutput) is not np.ndarray:
            input, gradOutput = self._asArrays("input", input), self._asArrays("gradOutput", gradOutput)
        fields = self.__dict__
        isRecursion = fields.get("_inPass", False) and is_reentrant(self)
        fields["_inPass"] = True
        try:
            self.updateGradInput(input, gradOutput)
            self.accGradParameters(input, gradOutput, scale)
            return self.gradInput
        except RAW as error:
            explain(self, error)
            raise
        finally:
            fields["_inPass"] = isRecursion

    @guarded
    def backwardUpdate(self, input: Any, gradOutput: Any, lr: float) -> Any:
        """Returns the gradient of the input and moves the parameters by ``-lr`` times their gradients."""
        input, gradOutput = self._handed(input, gradOutput)
        self.updateGradInput(input, gradOutput)
        self.accUpdateGradParameters(input, gradOutput, lr)
        return self.gradInput

    def updateOutput(self, input: Any) -> Any:
        """Computes and returns ``output``."""
        return self.output

    def updateGradInput(self, input: Any, gradOutput: Any) -> Any:
        """Computes and returns ``gradInput``."""
        return self.gradInput

    def accGradParameters(self, input: Any, gradOutput: Any, scale: float = 1.0) -> None:
        """Adds `scale` times the gradients of the parameters to ``gradWeight`` and ``gradBias``."""

    def zeroGradParameters(self) -> Self:
        """Sets the gradients of the parameters to zero and returns self."""
        for gradient in self._tunable("zeroGradParameters")[1]:
            blocks.zero(gradient)
        return self

    def updateParameters(self, learningRate: float) -> Self:
        """Moves each parameter by ``-learningRate`` times its gradient, and returns self.

        A container calls this method of each module inside it. So parameters that two modules share, by ``share``, by ``clone``
        or because one module has two places, are moved twice, as in Torch7. An optimizer on the vectors of ``getParameters``
        moves them once.
        """
        parameters, gradients = self._tunable("updateParameters")
        if len(parameters) != len(gradients):
            got = f"{len(gradients)} gradients of {len(parameters)} parameters"
            raise NullError(f"{self._typename}: updateParameters: expected a gradient of each parameter, got {got}")
        for i, (parameter, gradient) in enumerate(zip(parameters, gradients, strict=True)):
            if gradient.shape != parameter.shape:
                gradient = check.matching(self, f"updateParameters: gradient {i}", gradient, parameter.shape)
            blocks.add(parameter, gradient, -float(learningRate))
        return self

    def parameters(self) -> tuple[list[Tensor], list[Tensor]] | None:
        """The parameters and their gradients, weight before bias, or None if there are none.

        A container always answers with two lists, empty if need be.
        """
        pairs = [(self.weight, self.gradWeight), (self.bias, self.gradBias)]
        present = [(parameter, gradient) for parameter, gradient in pairs if parameter is not None]
        if not present:
            return None
        return [parameter for parameter, _ in present], [gradient for _, gradient in present if gradient is not None]

    def getParameters(self) -> tuple[Tensor, Tensor]:
        """Two vectors, all parameters and all their gradients, of which the parameters become views.

        Parameters that share memory stay shared and appear once. The layers hold new arrays afterwards: references
        to the old ones, and vectors of an earlier call, are out of date.
        """
        parameters, gradients = self._tunable("getParameters")
        try:
            flat, views = self.flatten(parameters)
            flatGrad, gradViews = self.flatten(gradients)
            if any(map(_liesOtherwise, gradViews, views)):  # as after weight = w.T: element i of both vectors must be one pair
                laid = {id(gradient): _laidAs(view, gradient) for gradient, view in zip(gradients, views, strict=False)}
                flatGrad, gradViews = self.flatten([laid.get(id(gradient), gradient) for gradient in gradients])
        except THNNError as error:
            error.where.append(f"{self._typename}: getParameters")
            raise
        if flat.size != flatGrad.size or len(views) != len(gradViews):
            raise ShapeError(
                f"{self._typename}: getParameters: {flat.size} parameters but {flatGrad.size} gradients; "
                "share a gradient wherever a parameter is shared"
            )
        for i, (view, gradView) in enumerate(zip(views, gradViews, strict=True)):
            if storage_offset(view) != storage_offset(gradView) or _liesOtherwise(gradView, view):
                raise ShapeError(
                    f"{self._typename}: getParameters: parameter {i} and its gradient are at different places; "
                    "share a gradient wherever a parameter is shared"
                )
        old, new = [*parameters, *gradients], [*views, *gradViews]
        rebind(self, list(zip(old, new, strict=True)))
        if not views:
            flat, flatGrad = (to_device(vector, self._onDevice, self._dtype) for vector in (flat, flatGrad))
        return flat, flatGrad

    @staticmethod
    def flatten(parameters: Sequence[Tensor]) -> tuple[Tensor, list[Tensor]]:
        """A new vector with the elements of all arrays, and for each array the view of it to use from then on."""
        return flatten(parameters)

    def share(self, mlp: "Module", *names: str) -> Self:
        """Makes the named fields (``"weight"``, ``"bias"``, ...) those of `mlp`, and returns self.

        Share a gradient wherever you share its parameter. In one container ``updateParameters`` then moves the parameter twice.
        """
        for name in names:
            if getattr(self, name, None) is not None:
                setattr(self, name, getattr(mlp, name))
                self.shared = mlp.shared = True
        return self

    def clone(self, *names: str) -> Self:
        """A deep copy that shares the named fields, if any, with the original.

        Everything is copied, results of the last calls too: ``clearState()`` first saves memory. If both are in one container,
        ``updateParameters`` moves the shared parameters twice.
        """
        fields = [getattr(module, name, None) for module in self.listModules() for name in names]
        kept = {id(field): field for field in fields if field is not None}
        result = copy.deepcopy(self, kept | shared(self, fields))
        return result.share(self, *names) if names else result

    def sharedClone(self, shareParams: bool = True, shareGradParams: bool = True) -> Self:
        """A copy that shares the parameters of this module, their gradients and running statistics.

        Parameters
        ----------
        shareParams, shareGradParams : bool
            False: the copy has parameters, or gradients, of its own.
        """
        return copy.deepcopy(self, self._sharedArrays(shareParams, shareGradParams))

    def stepClone(self) -> Self:
        """A `sharedClone` for another time step: recurrent modules inside serve all steps and are not copied."""
        return self if self._servesAllSteps else copy.deepcopy(self, self._sharedArrays() | self._sharedModules())

    def remember(self, remember: str = "both") -> Self:
        """Says to sequencers inside when the state after one sequence goes on into the next, and returns self.

        Parameters
        ----------
        remember : {"both", "train", "eval", "neither"}
            In training and evaluation, in one of them, or never.
        """
        return self._inside("remember", remember)

    def forget(self) -> Self:
        """Recurrent modules inside begin a new sequence; returns self."""
        return self._inside("forget")

    def maxBPTTstep(self, rho: int) -> Self:
        """Recurrent modules inside keep the last `rho` steps for the way back."""
        return self._inside("maxBPTTstep", rho)

    def setOutputStep(self, step: int) -> Self:
        """Recurrent modules inside show the output and gradInput of a step, which counts from 0."""
        return self._inside("setOutputStep", step)

    def training(self) -> Self:
        """Goes to training mode and returns self."""
        self.train = True
        return self

    def evaluate(self) -> Self:
        """Goes to evaluation mode and returns self."""
        self.train = False
        return self

    def reset(self, stdv: float | None = None) -> Self:
        """Draws new initial parameters, where there are any, and returns self."""
        return self

    def clearState(self) -> Self:
        """Lets go of results and buffers, for saving, and returns self. Layers with more buffers extend it."""
        self.__dict__.pop("_bindings", None)
        clear(self, "output", "gradInput")
        if self._fileRest:
            self._fileRest = dict(self._fileRest)
            for name in self._form.dropped:
                if is_tensor(scratch := self._fileRest.get(name)):
                    self._fileRest[name] = np.empty(0, scratch.dtype)
        return self

    def reinforce(self, reward: Any) -> Self:
        """Hands a reward to the modules inside; those that learn from one (`nn.Reinforce`) keep it."""
        return self._inside("reinforce", reward)

    def apply(self, callback: Callable[["Module"], object]) -> Self:
        """Calls `callback` with this module, then with those inside it, depth first; returns self."""
        for module, _ in walks.every(self):
            callback(module)
        return self

    def replace(self, callback: Callable[["Module"], "Module"]) -> "Module":
        """Returns `callback` of this module, after each module inside it was replaced likewise."""
        done: dict[int, tuple[Module, Module]] | None = {} if walks.places(self) > walks.MOST_PLACES else None
        result = callback(self)
        path = [(modules := self._children(), iter(range(len(modules))))]
        while path:
            modules, places = path[-1]
            for i in places:
                module = modules[i]
                if done is not None and id(module) in done:
                    modules[i] = done[id(module)][1]
                    continue
                isPlain = module.__class__.replace is Module.replace
                modules[i] = callback(module) if isPlain else module.replace(callback)
                if done is not None:
                    done[id(module)] = module, modules[i]
                if isPlain and (inner := module._children()):
                    path.append((inner, iter(range(len(inner)))))
                    break
            else:
                path.pop()
        return result

    def findModules(
        self, typename: "str | type[Module]", container: "Module | None" = None
    ) -> tuple[list["Module"], list["Module"]]:
        """All modules of exactly this class (``"nn.Linear"`` or the class), and the container of each."""
        found: tuple[list[Module], list[Module]] = [], []
        for module, around in walks.every(self):
            if typename in (module._typename, module.__class__):
                found[0].append(module)
                found[1].append(container if module is self and container is not None else around)
        return found

    def listModules(self) -> list["Module"]:
        """This module and all inside it, depth first: one that stands in several places as often.

        Where there are more than 100,000 places each module is listed once, and so do ``apply`` and ``findModules``.
        """
        return [module for module, _ in walks.every(self)]

    def summary(self, shape: Any = None, depth: int | None = None) -> Summary:
        """Returns a table of the modules inside and their parameters, which prints itself; a notebook shows it as a table.

        `shape` is the shape of an input, with or without the batch; a list of shapes for a table of inputs; or an input, such as
        indices. With it the table has shapes of outputs and operations; a ShapeError says that the network does not take it.
        `depth` says how deep to go into modules within modules.
        """
        return of_module(self, shape, depth)

    def _repr_html_(self) -> str:
        try:
            return of_module(self)._repr_html_()
        except Exception:  # a broken one is shown as it prints
            return super()._repr_html_()

    def __call__(self, input: Any = _NOTHING, gradOutput: Any = None) -> Any:
        """Returns the output for `input`; with `gradOutput` also the gradient of the input.

        For a node of nngraph, a list of nodes, or nothing, it returns a node with these inputs, of which ``nn.gModule`` builds a
        network.
        """
        node = own("nngraph.Node")
        if input is _NOTHING:
            return node.of(self, [])
        if node.areIn(self, input, gradOutput):
            return node.of(self, input)
        output = self.forward(input)
        return output if gradOutput is None else (output, self.backward(input, gradOutput))

    def __neg__(self) -> Any:
        """``-module``: a node without input, as ``module()``."""
        return self()

    def __rsub__(self, nodes: Any) -> Any:
        """``node - module`` and ``[node, ...] - module``: the node that takes their outputs, as ``module(nodes)``."""
        return self(own("nngraph.Node").before(self, nodes))

    def __sub__(self, other: Any) -> Any:
        """Modules are not subtracted: the first one of a chain is written ``-module``, or ``module(node)``."""
        return own("nngraph.Node").before(other, self) if isinstance(other, Module) else NotImplemented

    __array_ufunc__ = None  # else NumPy would subtract a module from each element of an array

    def _newParameters(self, **shapes: int | tuple[int, ...]) -> None:
        """Makes parameters of these names and shapes, for ``reset`` to fill, and zeros for their gradients."""
        for name, shape in shapes.items():
            for field, make in ((name, np.empty), (f"grad{name[0].upper()}{name[1:]}", np.zeros)):
                setattr(self, field, self._made(field, shape, make, shape, self._dtype))

    def _handed(self, input: Any, gradOutput: Any) -> tuple[Any, Any]:
        """Returns the arguments of ``backward``, with arrays of other libraries as NumPy's or CuPy's."""
        if type(input) is np.ndarray and type(gradOutput) is np.ndarray:
            return input, gradOutput
        return self._asArrays("input", input), self._asArrays("gradOutput", gradOutput)

    def _contiguous(self, name: str, array: Tensor) -> Tensor:
        """`array` if its elements lie one after the other, else a copy in the buffer of that name."""
        if array.flags.c_contiguous:
            return array
        buffer = self._resize(name, array.shape, array.dtype)
        buffer[...] = array
        return buffer

    def _dense(self, name: str, array: Tensor) -> Tensor:
        """As `_contiguous`, and aligned. Sums and products of such arrays are rounded alike, however the input lies."""
        return self._contiguous(name, array if is_aligned(array) else array.copy())

    def _bufferFor(self, name: str, given: Tensor, shape: tuple[int, ...] | None = None, mustNotOverlap: Any = None) -> Tensor:
        """The array that a pass of a module with a flag ``inplace`` writes: field `name`, in the shape of `given` by default.

        While the flag is on, that is `given`, memory of another module. When the flag is off again, and after loading, others may
        still read that memory, so the field gets a new array. `mustNotOverlap` is as for ``_resize``; its default is `given`.
        """
        if self.inplace:  # type: ignore[attr-defined]
            self._ownBuffers -= {name}
            self.__dict__[name] = check.writable(self, name, given)
            return self.__dict__[name]
        mustNotOverlap = given if mustNotOverlap is None else mustNotOverlap
        if name not in self._ownBuffers:
            self._ownBuffers |= {name}
            mustNotOverlap = [mustNotOverlap, self.__dict__.get(name)]
        return self._resize(name, given.shape if shape is None else shape, mustNotOverlap=mustNotOverlap)

    def _zeros(self, name: str, example: Any, mustNotOverlap: Any = None) -> Any:
        """Zeros in the shape of `example`, an array or a table of arrays, in the buffers of field `name` if they fit: gradients.

        The arrays are new if the old ones overlap `mustNotOverlap`, which is still to be read.
        """
        old = getattr(self, name, None)

        def zeroed(old: Any, new: Tensor) -> Tensor:
            return blocks.zero(buffer(old, new.shape, check.gradientDtype(self, new), self._onDevice))

        try:
            zeros = by_example(None if overlap(old, mustNotOverlap) else old, example, zeroed)
        except THNNError as error:
            error.where.append(f"{self._typename}: {name}")
            raise
        setattr(self, name, zeros)
        return zeros

    def _isReplaced(self, *methods: str) -> bool:
        """Returns True if one of these methods is overridden on the instance. Layers that fuse two methods check this first."""
        return not self.__dict__.keys().isdisjoint(methods)

    def _children(self) -> list["Module"]:
        return self.__dict__.get("modules", [])

    def _sharedArrays(self, shareParams: bool = True, shareGradParams: bool = True) -> dict[Any, Any]:
        """For ``copy.deepcopy``: what a clone shares with this module."""
        parameters, gradients = self.parameters() or ([], [])
        arrays: list[Any] = []
        if shareParams:
            statistics = (getattr(module, name, None) for module in self.listModules() for name in _STATISTICS)
            arrays += [*parameters, *statistics]
        if shareGradParams:
            arrays += gradients
        return shared(self, arrays)

    def _sharedModules(self) -> dict[Any, Any]:
        """For ``copy.deepcopy``: the modules inside that serve all time steps. Those of a sequencer are its own."""
        found: dict[Any, Any] = {}
        seen: set[int] = set()
        waiting = [self]
        while waiting:
            for module in waiting.pop()._children():
                if module._servesAllSteps:
                    found[id(module)] = module
                elif not module._isSequencer and id(module) not in seen:
                    seen.add(id(module))
                    waiting.append(module)
        return found

    def _inside(self, name: str, *arguments: Any) -> Self:
        """Calls the method of that name on each module inside, and returns self."""

        def call(module: Any) -> None:
            getattr(module, name)(*arguments)

        if self._children():
            walks.broadcast(self, name, getattr(Module, name), lambda module: None, call)
        return self

    def _fromTorch7(self, fields: dict[str, Any], version: int) -> None:
        for name in ("output", "_type"):
            if fields.get(name) is None and "modules" not in fields:
                migration.note(self, name, "missing: " + ("as the tensors" if name == "_type" else "empty"))
        # To Lua, false is as good as nil where a tensor is looked for.
        if any(fields.get(name) is False for name in self._TENSORS):
            fields = {key: value for key, value in fields.items() if value is not False or key not in self._TENSORS}
        train = fields.get("train")
        if train is not True and isinstance(train, (int, float)) and train is not False:
            isTrue = train != 0 or not self._trainIsNumber
            reason = "as all numbers are in Lua" if isTrue else "as 0 is in C, which got it"
            migration.note(self, "train", f"was {train}: {str(isTrue).lower()}, {reason}")
            fields = fields | {"train": isTrue}
        super()._fromTorch7(fields, version)
        # Models were often saved without the gradients, which nobody needs to run them.
        own = self.__dict__
        for name, gradient in GRADIENTS.items():
            parameter = own.get(name)
            if not isinstance(parameter, np.ndarray) or is_repeated(parameter) or gradient in self._form.scratch:
                continue
            present = own.get(gradient)
            isEmpty = isinstance(present, np.ndarray) and present.size == 0
            if isinstance(present, np.ndarray) and present.size == parameter.size and present.dtype == parameter.dtype:
                continue
            got = "missing" if present is None else "empty" if isEmpty else f"was {described(present)}"
            migration.note(self, gradient, f"{got}: zeros")
            own[gradient] = np.zeros(parameter.shape, parameter.dtype)
            if isEmpty:
                self._emptyInFile = (*self._emptyInFile, gradient)

    def _fileLayer(self, typename: str, version: int = 1, **fields: Any) -> t7.TorchObject:
        """A module of Torch7 inside this one that does not exist here, for saving."""
        results = {name: np.empty(0, self._dtype) for name in ("output", "gradInput")}
        return t7.TorchObject(typename, version, {"_type": self._type} | results | fields)

    def _toTorch7(self) -> dict[str, Any]:
        fields = super()._toTorch7()
        for name in ("gradWeight", "gradBias"):
            # Files without gradients stay without them, unless there was training since.
            isEmpty, isMissing = name in self._emptyInFile, name not in self._fileFields
            if self._fileFields and (isEmpty or isMissing) and not np.any(fields.get(name)):
                if isEmpty:
                    fields[name] = np.empty(0, self._dtype)
                else:
                    fields.pop(name, None)
        # Old files have no _type: that of the tensors counts.
        if self._fileFields and "_type" not in self._fileFields and stored_dtype(self._fileRest | fields) == self._ownType()[0]:
            return fields
        return fields | {"_type": self._ownTypeName}
