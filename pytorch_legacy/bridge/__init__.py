"""Bridges: a network of Torch7 becomes a module of PyTorch, as text that one reads and as the module that the text makes.

>>> import pytorch_legacy as pl
>>> net = pl.nn.Sequential().add(pl.nn.Linear(10, 4)).add(pl.nn.ReLU(True))
>>> module = pl.to_torch(net, (None, 10))                                                          # doctest: +SKIP
>>> print(module.source)                                                                           # doctest: +SKIP

How a rule is written
---------------------
A rule stands in ``rules/<family>.py`` and belongs to Python classes; those derived from them inherit it. It gets the module,
its input and the writer, and returns an expression::

    @rule(nn.SoftPlus)
    def soft_plus(m, x, w):
        return f"F.softplus({x}{options(beta=(number(m.beta), '1'), threshold=(number(m.threshold), '20'))})"

The writer runs the expression on the examples, runs our layer on the same numbers, and compares: a rule says what it means, and
checks nothing. `x` is a `Value` (``x.shape`` has None where the examples differ, ``x.ndim``), or a list of Values for a table.
A rule returns an expression, a Value, or a list of Values for a table.

* ``w.layer("conv", "nn.Conv2d(3, 8, 3)", weight=m.weight, bias=m.bias)`` is the text ``self.conv1``; its call is the rule's to
  write. All entries of the state dict are given, None for those that are not there. Arrays that the file holds as they are are
  handed over as they are: so shared weights stay shared.
  Parameters that PyTorch's module has and ours has not are constants: ``frozen=["bias_hh_l0"]`` keeps optimizers off them.
* ``w.parameter("scale", m.weight)``, ``w.buffer("mean", m.mean)``: the text ``self.scale1`` of a bare one. A buffer is a
  constant; if its name begins with ``running_``, it is a statistic that training moves.
* ``w.let(expression)`` is a Value for what is used twice, ``w.let(f"{x}.unbind(0)", 3)`` a list of three.
* A container that defines ``route`` needs no rule: its modules are written along the route.
* ``w.convert(m.modules[0], x, 0)`` writes a module inside; 0 is its place. A rule that returns what modules inside gave is not
  compared as a whole, as they were.
* ``w.shapes_after(m, x)`` are the shapes that our layer gives: ``reshaped(x, shapes)`` of ``texts.py`` writes them.
* ``w.size(x, 0)`` is the text of a size for what reads nothing else of `x`.
* ``w.helper(source)`` puts a function or class at the top of the file, and is its name.
* ``w.tie(view, value)`` where a container gives the modules inside a view of its input. Layers need it not: that their outputs
  are views is seen, and what a layer in place writes over is written again for all who see it.
* ``w.step(...)`` makes a class of what a loop calls; ``w.state()`` and ``w.keep()`` are for what lasts from call to call.
* ``w.note("...")`` is a comment on the next line: what PyTorch means otherwise, or a gradient that is another one by design.
* ``raise lacks(m, "...")`` where nothing can be written, with the nearest advice.

``texts.py`` has what all families share: numbers, sizes (heights before widths), options, dimensions, inputs without a batch.
Rules need no torch: they are text. ``tests/bridge`` tries each rule on the golden files and the case tables of its classes.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import wraps
from typing import Any

from pytorch_legacy.errors import UnsupportedError

from .registry import Differs, NoRule

__all__ = ["Differs", "NoRule", "from_torch", "to_onnx", "to_pt2", "to_python", "to_torch"]


def _needs(extra: str, *packages: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Decorator: without one of the packages there is one error, which says what to install."""

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(function)
        def guarded(*arguments: Any, **options: Any) -> Any:
            try:
                return function(*arguments, **options)
            except ModuleNotFoundError as error:
                if error.name is None or error.name.partition(".")[0] not in packages:
                    raise
                text = f"pl.{function.__name__} needs {error.name}, which is not installed; run: pip install"
                raise UnsupportedError(f'{text} "pytorch-legacy[{extra}]"') from None

        return guarded

    return decorate


@_needs("torch", "torch")
def to_torch(net: Any, example: Any = None, *, force: bool = False, wrap: bool = False) -> Any:
    """The network as a ``torch.nn.Module``, proven equal to it.

    The module is what the text of `to_python` makes: that text is executed. It has parameters of its own.

    Parameters
    ----------
    net : Module or Criterion
        Stays as it is. What is written is proven in evaluation mode; the module also trains. That of a criterion takes input and
        target.
    example : tuple, or list of two
        A shape, None where it may vary: ``(None, 3, 224, 224)``. A tuple of shapes stands for a table. Or a list of two inputs,
        arrays or tables, that differ in the sizes that may vary. That of a criterion is a list of input and target, which most
        criterions do without.
    force : bool
        Go on where a layer differs. The proof names it.
    wrap : bool
        Embed layers that have no rule, alive: this package runs them, as `pytorch_legacy.torch.Module`.

    Returns
    -------
    torch.nn.Module
        In evaluation mode, with the fields ``source``, the text, and ``proof``: ``print(module.proof)`` shows each layer.

    Raises
    ------
    NoRule
        A class has no rule, and `wrap` is not set. The error names it and its place.
    Differs
        A layer, which is named, or the whole differs by more than 1e-5 of its largest number.
    UnsupportedError
        There is no torch.
    """
    from .conversion import Conversion

    return Conversion(net, example, force, wrap).module()


@_needs("torch", "torch", "safetensors")
def to_python(net: Any, path: str | os.PathLike[str], example: Any, *, force: bool = False, wrap: bool = False) -> Any:
    """Writes the network as a Python file for PyTorch, with its weights beside it, and returns the module.

    ``net.py`` has ``class Net(torch.nn.Module)`` and ``load()``, ``net.safetensors`` the weights. They need torch and
    safetensors, and nothing of this package; with `wrap`, where a layer has no rule, this package too: the text says so, and
    ``net.<place>.t7`` beside it is the layer. Nothing is written if something differs.

    Parameters
    ----------
    net, example, force, wrap
        As for `to_torch`.
    path : path
        Ends in ``.py``.
    """
    from pytorch_legacy.files.writing import check_target

    from .conversion import Conversion
    from .files import write

    check_target(path)
    module = Conversion(net, example, force, wrap).module()
    write(module, path)
    return module


@_needs("onnx", "torch", "onnx", "onnxscript", "onnxruntime")
def to_onnx(net: Any, path: str | os.PathLike[str], example: Any, *, force: bool = False) -> Any:
    """Writes the network as an ONNX file, proven in onnxruntime on the examples and on smaller and larger inputs.

    By way of `to_torch` and PyTorch's exporter. If that gives other numbers than the network at a size that is to vary, that
    dimension is fixed, and the file takes no other size there. The others stay free where they can. The result says which are
    fixed.

    Parameters
    ----------
    net, example, force
        As for `to_torch`.
    path : path
        Ends in ``.onnx``.

    Returns
    -------
    Exported
        ``way``, ``difference`` and ``fixed``, a list of the sizes that were to vary and do not.

    Notes
    -----
    The inputs are called ``input``, or ``input1``, ``input2`` and so on; outputs likewise. Nodes of a graph that have a name,
    ``node.annotate({"name": "image"})``, give it to the input that they take, and the output that they make.
    Networks that remember their state from call to call start anew in each run. Where a layer drops a dimension because a size
    that varies is 1, as nn.View does with a batch of one, the file keeps it. Needs ``pip install "pytorch-legacy[onnx]"``.
    """
    from . import exporters

    return exporters.to_onnx(net, path, example, force)


@_needs("torch", "torch")
def to_pt2(net: Any, path: str | os.PathLike[str], example: Any, *, force: bool = False) -> Any:
    """Writes the network as a ``.pt2`` file for ``torch.export.load``, proven as `to_onnx` proves its files.

    Parameters and result are those of `to_onnx`; the path ends in ``.pt2``. Recurrent networks whose steps are free run them
    one by one there.
    """
    from . import exporters

    return exporters.to_pt2(net, path, example, force)


@_needs("torch", "torch")
def from_torch(source: Any, like: Any = None, example: Any = None) -> Any:
    """Fills a network with the weights of the module that `to_torch` makes of it, trained on in PyTorch, and returns it.

    Without `like`, a ``torch.nn.Sequential`` of common layers becomes a new network, which `pl.save` writes for Torch7.

    Parameters
    ----------
    source : torch.nn.Module or state dict
        Has the names and shapes of ``to_torch(like, example)``; without `like` a ``torch.nn.Sequential`` of layers of torch.nn,
        or of such Sequentials.
    like : Module or Criterion, optional
        The network, whose parameters and running statistics are replaced. If something does not fit, nothing is replaced.
    example : optional
        As for `to_torch`. Without it that of the module, or what the first layers suggest.

    Raises
    ------
    FieldError, ShapeError
        If an entry is missing, unknown or of another shape; if a constant, such as a grid or a kernel, is another one in the
        network; or if two entries differ that are one array in the network.
    UnsupportedError
        If the module's weights are computed from the network's, as those of nn.WeightNorm are; without `like`, if Torch7 has no
        layer of that kind, or not with these options.
    """
    if like is None:
        from .torch_import import import_network

        return import_network(source)
    from pytorch_legacy.inference import given
    from pytorch_legacy.nn.Criterion import Criterion

    from .labels import from_state

    if example is None:
        example = getattr(source, "example", None)
    if example is None and not isinstance(like, Criterion):
        example = given.by_layers(like)[0]
    return from_state(source.state_dict() if hasattr(source, "state_dict") else source, like, example)
