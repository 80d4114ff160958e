"""The form of a class's objects in a .t7 file: one declaration for each class, by which objects are loaded, saved and repaired.

A class says as ``_file`` what its fields are in files, and only what its bases do not say:

>>> from pytorch_legacy import Form, nn
>>> class Rows(nn.Module):
...     _file = Form(version=2, oneBased=("dimension",), dropped=("buffer",))
...     def __init__(self, dimension: int = 0) -> None:
...         super().__init__()
...         self.dimension = dimension
>>> class FewRows(Rows):
...     _file = Form(oneBased=("last",))

The form of a class is what it and its bases declare together:

>>> FewRows._form.oneBased, FewRows._form.version
(('dimension', 'last'), 2)

Everything else follows Torch7's rule: a field of the file is an attribute of the same name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any, TypeVar

Declared = TypeVar("Declared")

KINDS = (
    "a whole number", "a whole number from 1 on", "a number", "true or false", "a tensor of floating-point numbers", "a tensor",
    "a tensor of whole numbers",
    "a number or a tensor", "text", "a number or text", "sizes", "a list of numbers", "a list of text", "a module",
    "a criterion", "a list of modules", "a list of criterions", "a list of objects", "an object",
    "a node", "a list of nodes", "a table", "a table of modules",
)  # fmt: skip

# Fields that mean the same in all classes: results of the last pass, and parameters with their gradients. Results are written
# anew by every call and are often views of somebody's large arrays: copies, conversions and pickles take the elements of such a
# view and leave the array around it. All other fields keep what they share.
BUFFERS = ("output", "gradInput")
# Fields of any class that hold what the last call left, memory to work in, clones for the steps of a sequence, or the nodes of a
# graph, whose modules are in its list `modules`, too. A model consists of the others.
_SCRATCH_NAMES = """
    output gradInput gradWeight gradBias gradV gradG gradDiagCov finput fgradInput buffer buffer2 addBuffer noise
    indices save_mean save_std columns ones scale normalized norm normp std centered weightBuffer gradOutputBuffer
    outputExpanded gradInputEl gradMaxVals maxVals maxIdx minVals minIdx normalizedValues output_tensor
    total_weight_tensor coef target isTarget randomSamples cumSizes gradBuffer nnz iSize zeroTensor reward
    sharedClones outputs gradInputs gradOutputs cells h0 c0 cell gates
    fg bg innode outnode forwardnodes backwardnodes
    inputCache prob sum gate rows coord alphas actions batchGrid running mininput cooInput sampleidx
"""
SCRATCH = frozenset(_SCRATCH_NAMES.split())
GRADIENTS = {"weight": "gradWeight", "bias": "gradBias", "v": "gradV", "g": "gradG", "diagCov": "gradDiagCov"}


@dataclass(frozen=True, kw_only=True)
class Form:
    """The declaration of a class about its fields in .t7 files. Each entry adds to that of the bases; `version` replaces it.

    Attributes
    ----------
    version : int, optional
        Torch7's current version of the class, where it is not 1. Without it objects keep the version of their file.
    oneBased : tuple of str
        Fields (numbers or lists of numbers) that count from 1 in Torch7 and from 0 here.
    oneBasedTensors : dict
        Fields that are tensors of such numbers: their dtype here, and that in files, None for the module's own.
    dropped : tuple of str
        Fields of files that are not needed here: scratch memory, and what follows from other fields. Like all that a class
        does not take over they are kept for saving; attributes of these names are not saved.
    scratch : dict
        As `dropped`, and made by Torch7's constructor: the names, and what objects that were made here are saved with: an
        empty tensor (None), or what a function of the object returns.
    lazy : tuple of str
        Buffers that Torch7 makes at first use: not written while they are empty, unless the file had them.
    implied : dict
        Attributes that Torch7's class lacks, and the values that it takes for granted: not written while they have these
        values.
    private : tuple of str
        Attributes that Torch7's class lacks: never written, and never taken from a file.
    properties : tuple of str
        Fields that are properties here, or that the class knows by itself: not taken from files, but written.
    renamed : dict
        Attributes that are called otherwise than their fields, and the names of the fields: ``{"lambda_": "lambda"}``. All
        other entries name the attributes. One that begins with an underscore, or is called as a method, is a field if it
        stands here: ``{"_index": "_index"}``.
    formerly : dict
        Names of fields in old files, and the fields that they are now: taken over under these names, and not written again.
    outdated : tuple of str
        Fields of old files that went into others on the way in: not written again.
    luaMethods : tuple of str
        Methods in whose place Torch7's constructor puts functions that do what the class here does.
    defaults : dict
        Fields that files may lack, and what the object gets then. None and False are what Lua takes a missing field for.
        A default that is a number, true, false or text says of what kind the field is. A default that is a function gets a
        `pytorch_legacy.files.fields.Fields`: ``lambda fields: fields["kW"]`` is as wide as the kernel. The fields that it asks
        for are of the kinds that are declared for them, or the file is an error. An empty list of modules counts as missing.
    kinds : dict
        Kind of each other field, one of `KINDS`. "sizes" are whole numbers, in a storage in files, in a tuple here. A file where
        they are something else is an error. The names that Torch7 used alike in all classes (``kW``, ``weight``) need no entry:
        `pytorch_legacy.files.fields` has them.
    dimensions : dict
        Number of dimensions of each tensor that the class itself looks at. A file with another number is an error.
    without : tuple of str
        Names that the bases declare and this class does not: nothing that they say of them, but for their kinds, holds here.
    """

    version: int | None = None
    oneBased: tuple[str, ...] = ()
    oneBasedTensors: Mapping[str, tuple[Any, Any]] = field(default_factory=dict)
    dropped: tuple[str, ...] = ()
    scratch: Mapping[str, Callable[[Any], Any] | None] = field(default_factory=dict)
    lazy: tuple[str, ...] = ()
    implied: Mapping[str, Any] = field(default_factory=dict)
    private: tuple[str, ...] = ()
    properties: tuple[str, ...] = ()
    renamed: Mapping[str, str] = field(default_factory=dict)
    formerly: Mapping[str, str] = field(default_factory=dict)
    outdated: tuple[str, ...] = ()
    luaMethods: tuple[str, ...] = ()
    defaults: Mapping[str, Any] = field(default_factory=dict)
    kinds: Mapping[str, str] = field(default_factory=dict)
    dimensions: Mapping[str, int] = field(default_factory=dict)
    without: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for entry in fields(self):
            value = getattr(self, entry.name)
            if entry.name == "version":
                isRight = value is None or type(value) is int
            else:
                isRight = isinstance(value, Mapping if entry.default_factory is dict else tuple)
                isRight = isRight and all(isinstance(name, str) for name in value)
            if not isRight:
                raise TypeError(f"Form: {entry.name}: expected {_EXPECTED[entry.name]}, got {value!r:.100}")
        for name, kind in self.kinds.items():
            if kind not in KINDS:
                raise TypeError(f"Form: kinds: {name}: expected one of {', '.join(KINDS)}, got {kind!r:.100}")

    def names(self) -> set[str]:
        """All names of fields and attributes that are declared."""
        entries = (getattr(self, entry.name) for entry in fields(self) if entry.name not in ("version", "without"))
        return {name for names in entries for name in names}


_EXPECTED = {
    entry.name: "a whole number" if entry.name == "version" else "a dictionary" if entry.default_factory is dict else
    "a tuple of names; that of one is written (name,)"
    for entry in fields(Form)
}  # fmt: skip


# Names that class attributes had before there were forms.
OLD = frozenset(("_oneBased", "_tensorsFromOne", "_dropped", "_scratch", "_lazy", "_ours", "_outdated", "_luaMethods",
                 "_version"))  # fmt: skip


def declared_form(cls: type) -> Form:
    """The form of a class: what it and its bases declare as ``_file``, the bases first.

    Raises
    ------
    TypeError
        If something else than a `Form` is declared.
    """
    whole = Form()
    for _, own in declarations(cls, "_file", Form):
        whole = _joined(whole, own) if own is not None else whole
    return whole


def declarations(cls: type, name: str, kind: type[Declared]) -> Iterator[tuple[type, Declared | None]]:
    """Yields a class and its bases, the bases first, each with what it declares itself under a name.

    Raises
    ------
    TypeError
        If something else than a `kind` is declared.
    """
    for base in reversed(cls.__mro__):
        own = vars(base).get(name)
        if own is not None and not isinstance(own, kind):
            raise TypeError(f"{base.__name__}: {name}: expected a pytorch_legacy.{kind.__name__}, got {own!r:.100}")
        yield base, own


def _joined(bases: Form, own: Form) -> Form:
    changes: dict[str, Any] = {}
    for entry in fields(Form):
        old, new = getattr(bases, entry.name), getattr(own, entry.name)
        if entry.name == "without":
            continue
        if entry.name == "version":
            changes["version"] = old if new is None else new
        elif isinstance(old, tuple):
            changes[entry.name] = (*_left(old, {*own.without, *new}), *new)
        else:
            gone = () if entry.name == "kinds" else own.without
            changes[entry.name] = {name: old[name] for name in _left(old, gone)} | dict(new)
    return replace(bases, **changes)


def _left(names: Iterable[str], gone: Iterable[str]) -> list[str]:
    out = frozenset(gone)
    return [name for name in names if name not in out]
