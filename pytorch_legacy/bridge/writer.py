"""From a network to lines of PyTorch: the writer runs each line that it writes, and compares it with our layer.

A rule (see the package) is a function of a module, its input and the writer. The input is a `Value`, or a list for a table;
tables exist while converting only: in the written code their entries are variables.
"""

from __future__ import annotations

import math
import re
import textwrap
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import count
from typing import Any
from weakref import WeakValueDictionary

import numpy as np
import torch
import torch.nn.functional as F

from pytorch_legacy.errors import THNNError
from pytorch_legacy.inference.examples import forget
from pytorch_legacy.nn.Criterion import Criterion
from pytorch_legacy.nn.Module import Module
from pytorch_legacy.nn.utils import author_name

from . import warmup
from .aliases import Part, handed, parts
from .embedding import embedded
from .fields import Fields, in_precision, statistics_owner
from .forward_freeing import free_buffers
from .proof import Proof
from .registry import ADVICE, NoRule
from .rules import find_rule
from .safety import check_code, one_line
from .source import class_text
from .values import TOKEN, Shape, Value, Variable, common, flat, tree

_FIELD = re.compile(r"\bself\.(\w+)")


class Statement:
    """A line of forward(): ``targets = expression  # comment``; does it take a tuple apart?"""

    __slots__ = ("comment", "expression", "targets", "unpacks")

    def __init__(self, targets: list[str], expression: str, comment: str, unpacks: bool) -> None:
        self.targets, self.expression, self.comment, self.unpacks = targets, expression, comment, unpacks


class Frame:
    """A rule at work: for which module, at which place, and what its expressions may still use.

    The place is that of `interop.places`, which counts from 1. `comment` is the place, and the name that the author gave to the
    module.
    """

    __slots__ = ("checked", "comment", "kept", "layers", "module", "place", "trusted")

    def __init__(self, module: Any, place: str) -> None:
        self.module, self.place = module, place
        self.comment = " ".join(filter(None, (place, one_line(author_name(module)))))
        self.kept: list[Value] = []  # values of generated code; others may be freed
        self.layers = 0
        self.checked = False  # by the modules inside
        self.trusted = False  # not to be compared


class Writer:
    """Gathers what a class consists of: its fields, the lines of forward(), and the functions at the top of the file.

    Parameters
    ----------
    examples : list
        The inputs, one or more.
    proof : Proof
        Compares, and takes note.
    wrap : bool
        Embed what has no rule, run by our layers.

    Attributes
    ----------
    legacy : dict
        Modules that are embedded, each by the place in the names of its files.
    inputs : Value, or list of Values
        Arguments of forward().
    unpooled, pooled : set and dict
        The ids of pooling layers that have an unpooling layer, and what each leaves to it.
    """

    def __init__(self, examples: list[Any], proof: Proof, wrap: bool = False) -> None:
        warmup.warm_up()
        self.proof = proof
        self.wrap = wrap
        self.legacy: dict[str, Module] = {}
        self.fields = Fields()
        self.statements: list[Statement] = []
        self.helpers: dict[str, str] = {}
        self.states: list[Value | None] = []  # the arguments of the next call
        self.pooled: dict[int, Any] = {}
        self.space: dict[str, Any] = {"self": self.fields.live, "math": math, "torch": torch, "nn": torch.nn, "F": F, "state": []}
        self.examples = len(examples)
        self.unpooled: set[int] = set()
        self._inside: Callable[[Any, Any], Any] | None = None
        self._isConstant = False
        self._frames = [Frame(None, "")]
        self._notes: list[str] = []
        self._variables: WeakValueDictionary[str, Variable] = WeakValueDictionary()
        self._size = 0
        self._overwritten: list[bool] = []  # flags of the inputs that the last layer overwrote
        self._parts: dict[tuple[int, int], Part] = {}  # the outputs of the last layer that are views of its inputs
        self.inputs = tree(lambda *arrays: self._value([torch.from_numpy(np.array(a)) for a in arrays]), *examples)
        self.arguments = tree(lambda value: value.token, self.inputs)  # a layer in place changes the values

    def convert(self, module: Any, x: Any, *place: Any) -> Any:
        """Writes `module` applied to `x`; returns the Value, or the list of them.

        `place` has the steps from the module at work to this one: its number, from 0, or the name of a field.
        """
        around = self._frames[-1]
        around.checked = True
        steps = [str(step + 1) if isinstance(step, int) else step for step in place]
        frame = Frame(module, ".".join([around.place] * bool(around.place) + steps))
        self._frames.append(frame)
        try:
            with self._located(frame, x):
                if self._inside and (result := self._inside(module, x)) is not None:
                    return self._finished(frame, x, result)
                if (found := find_rule(type(module))) is None:
                    if not self.wrap or not isinstance(module, Module):
                        raise NoRule(f"there is no rule for this class; {ADVICE}")
                    found = embedded
                return self._finished(frame, x, found(module, x, self))
        finally:
            self._frames.pop()

    @contextmanager
    def within(self, inside: Callable[[Any, Any], Any] | None) -> Iterator[Callable[[Any, Any], Any] | None]:
        """Meanwhile ``inside(layer, value)`` writes the layers for which it does not return None. Yields what did so before."""
        before, self._inside = self._inside, inside
        try:
            yield before
        finally:
            self._inside = before

    @contextmanager
    def constants(self) -> Iterator[None]:
        """Meanwhile parameters are written as constants, which do not learn."""
        before, self._isConstant = self._isConstant, True
        try:
            yield
        finally:
            self._isConstant = before

    def let(self, expression: Any, outputs: int | None = None) -> Any:
        """A variable for an expression; with `outputs` a list of so many, for an expression that gives a tuple."""
        if isinstance(expression, Value):
            return expression
        expression = str(expression)
        if outputs is None and TOKEN.fullmatch(expression):
            return Value(self._variables[expression], self._keep_named)
        results = self._evaluate(expression)
        values = [self._value([r[i] for r in results] if outputs is not None else results) for i in range(outputs or 1)]
        self.statements.append(
            Statement([value.token for value in values], expression, "; ".join(self._notes), outputs is not None)
        )
        self._notes = []
        return values[0] if outputs is None else values

    @property
    def place(self) -> str:
        """Returns the place of the current module."""
        return self._frames[-1].place

    def layer(self, stem: str, constructor: str, *, frozen: Sequence[str] = (), **arrays: Any) -> str:
        """``self.<name>`` of a torch module with these arrays, its name made of `stem`.

        A module of ours that comes again, or another one with the same parameters, gets the same torch module. Two torch
        modules that hold one array share the parameter. `frozen` names the parameters that are constants in our module:
        the text keeps optimizers from changing them.
        """
        frame = self._frames[-1]
        frame.layers += 1
        owner = [*owner, frame.layers] if (owner := statistics_owner(frame.module)) else []
        constants = None if self._isConstant else frozenset(frozen)
        try:
            return self.fields.layer(stem, constructor, self.space, arrays, owner, frame.comment, constants)
        except NameError as error:
            raise THNNError(f"{constructor}: {error}") from error

    def parameter(self, stem: str, array: Any) -> str:
        """``self.<name>`` of a bare parameter."""
        return self.fields.bare(stem, array, not self._isConstant, self._frames[-1].comment)

    def buffer(self, stem: str, array: Any) -> str:
        """``self.<name>`` of an array that is not learned."""
        return self.fields.bare(stem, array, False, self._frames[-1].comment)

    def tie(self, view: Value, whole: Value, shown: Part | None = None) -> Value:
        """Says that `view` is a view of another value in Torch7: all of it, or a part. Returns it."""
        if view is not whole:
            view.source = whole, shown or Part("whole")
            whole.views.add(view)
        return view

    def helper(self, source: str) -> str:
        """Puts a function or class at the top of the file, once; returns its name."""
        source = textwrap.dedent(source).strip()
        name = re.match(r"(?:def|class) (\w+)", source)
        if name is None or self.helpers.setdefault(name[1], source) != source:
            raise THNNError(f"no function or class, or a name that another one has: {source:.40}")
        if name[1] not in self.space:
            exec(in_precision(source, True), self.space)
        return name[1]

    def step(self, stem: str, name: str, module: Any, inputs: list[Value], *place: Any) -> str:
        """``self.<name>`` of a class of its own for `module`, for a forward() that calls it several times."""
        inner = Writer(
            [tree(lambda value, i=i: value.held[i].numpy(), inputs) for i in range(self.examples)], self.proof, self.wrap
        )
        inner.helpers, inner.legacy, inner._isConstant = self.helpers, self.legacy, self._isConstant
        inner.space = self.space | {"self": inner.fields.live}
        inner._frames[0].place = self._frames[-1].place
        result = inner.convert(module, inner.inputs, *place)
        if inner.states:
            raise NoRule("a recurrent layer within one that is called step by step")
        inner.finish(result)
        made, number = name, 1
        while self.helpers.get(made, text := "\n".join(class_text(inner, result, made))) != text:
            number += 1
            made = f"{name}{number}"
        self.space |= {key: value for key, value in inner.space.items() if key != "self"}
        self.helper(text)
        self.fields.isTied |= inner.fields.isTied
        arrays: dict[str, Any] = inner.fields.arrays()
        return self.layer(stem, f"{made}()", **arrays)

    def note(self, text: str) -> None:
        """A comment on the next line: where PyTorch means something else, or the old name of a value."""
        if (text := one_line(text)) not in self._notes:
            self._notes.append(text)

    def trust(self, reason: str) -> None:
        """The module at work is not compared, for this reason; the proof says so."""
        frame = self._frames[-1]
        frame.trusted = True
        self.proof.skipped(frame.place, frame.module._typename, reason)

    def checked(self, ours: list[Any], result: Any) -> Any:
        """`result`, an expression or Value, compared with what the module at work gave for each example."""
        frame = self._frames[-1]
        result = self.let(result) if isinstance(result, str) else result
        theirs = [tree(lambda value, i=i: value.held[i], result) for i in range(self.examples)]
        self.proof.compare(frame.place, frame.module._typename, ours, theirs)
        frame.trusted = True
        return result

    def ours(self, module: Any, x: Any) -> list[Any]:
        """Returns our module's outputs for each example, in copies."""
        results = []
        isLeaf = isinstance(module, Module) and not getattr(module, "modules", None)
        for i in range(self.examples):
            input = tree(lambda value, i=i: handed(value, i), x)
            forget(module)
            output = module.forward(*input) if isinstance(module, Criterion) else module.forward(input)
            results.append(tree(np.array, output))
            self._look(module, x, i, input, output)
            if isLeaf:
                free_buffers(module)
        return results

    def _look(self, module: Any, x: Any, i: int, input: Any, output: Any) -> None:
        """Takes note of the inputs that a layer has written over, and of what its outputs share with them."""
        inputs, values = flat([input]), flat([x])
        found = parts(inputs, flat([output]))
        self._parts = {pair: shown for pair, shown in found.items() if i == 0 or self._parts.get(pair) == shown}
        changed = [False] * len(inputs)
        for place, _ in found:
            before = values[place].held[i].numpy()
            isSame = np.array_equal(inputs[place], before, equal_nan=before.dtype.kind == "f")
            changed[place] = bool(getattr(module, "inplace", False)) or not isSame
        self._overwritten = changed if i == 0 else [a or b for a, b in zip(changed, self._overwritten, strict=True)]

    def shapes_after(self, module: Any, x: Any) -> list[tuple[int, ...]]:
        """The shape that our module gives for each example."""
        return [np.shape(result) for result in self.ours(module, x)]

    def shape_after(self, module: Any, x: Any) -> Shape:
        """The shape that our module gives; None where the examples differ."""
        return common(self.shapes_after(module, x))

    def size(self, x: Value, axis: int) -> str:
        """The text of a size, of an input that has the same one: what computes `x` need not run for its size."""
        sizes = [shape[axis] for shape in x.shapes]
        inputs = [(value, i) for value in flat([self.inputs]) for i in range(value.ndim)]
        known = [(value, i) for value, i in inputs if [shape[i] for shape in value.shapes] == sizes]
        alike = [(value, i) for value, i in known if i == axis]
        # an axis that does not vary may be equal by chance
        found = (alike or known) if len({*sizes}) > 1 else alike if len(known) == 1 else []
        value, place = found[0] if found else (x, axis)
        return f"{value}.size({place})"

    def state(self) -> tuple[int, str]:
        """A state that forward() takes and returns: its number, and its text, which is None in a first call."""
        self.states.append(None)
        self.space["state"].append(None)
        return len(self.states) - 1, f"state[{len(self.states) - 1}]"

    def keep(self, number: int, value: Value) -> None:
        """Says what the next call gets for the state of that number."""
        self.states[number] = value

    def finals(self, result: Any) -> list[Value]:
        """Returns the results of forward(): the output and the states."""
        return flat([result, *(state for state in self.states if state is not None)])

    def finish(self, result: Any) -> None:
        """Leaves out the lines whose results nobody uses, and the fields that such lines alone read."""
        wanted, kept = {value.token for value in self.finals(result)}, []
        for statement in reversed(self.statements):
            if wanted & set(statement.targets):
                wanted |= {f"«{number}»" for number in TOKEN.findall(statement.expression)}
                kept.append(statement)
        self.statements = kept[::-1]
        self.fields.keep({name for statement in kept for name in _FIELD.findall(statement.expression)})

    # ------------------------------------------------------------------------------------------ inside

    def _finished(self, frame: Frame, x: Any, result: Any) -> Any:
        """The values of what a rule returned, compared with what our module gives."""
        module = frame.module
        if frame.trusted or (frame.checked and not isinstance(result, str)):
            return self.let(result) if isinstance(result, str) else result
        result = self.checked(self.ours(module, x), result)
        if any(self._overwritten):
            return self._seen(x, result)
        before, places = flat([x]), count()
        result = tree(lambda value: self._separate(value, before, next(places)), result)
        after = flat([result])
        for (i, j), shown in self._parts.items():
            self.tie(after[j], before[i], shown)
        return result

    def _separate(self, value: Value, before: list[Value], place: int) -> Value:
        """Returns the value of an output.

        If a rule returned the input but our layer copied it, that is a value beside the input's.
        """
        given = [i for i, one in enumerate(before) if one is value]
        copied = given and not any((i, place) in self._parts for i in given)
        return Value(value.variable, self._keep_named) if copied else value

    def _seen(self, x: Any, result: Any) -> Any:
        """The result of a layer that wrote over its input, which whoever holds the input, or shares its memory, sees."""
        for value, is_overwritten in zip(flat([x]), self._overwritten, strict=True):
            if is_overwritten and not isinstance(result, list) and result is not value:
                self._become(value, result)
                result = value
                self._above(value)
                self._below(value)
        return result

    def _become(self, value: Value, other: Value) -> None:
        value.variable, value.twin = other.variable, None

    def _above(self, value: Value) -> None:
        """Updates the array that `value` is a view of, and its other views."""
        if value.source:
            whole, shown = value.source
            self._become(whole, self.let(shown.restored(whole, value)))
            self._above(whole)
            self._below(whole, value)

    def _below(self, value: Value, known: Value | None = None) -> None:
        """The views of `value` show what became of it."""
        for view in [*value.views]:
            if view is not known and view.source:
                self._become(view, self.let(view.source[1].shown(value, view)))
                self._below(view)

    def _value(self, held: list[Any]) -> Value:
        variable = self._variables[f"«{self._size}»"] = Variable(f"«{self._size}»", held)
        self._size += 1
        return Value(variable, self._keep_named)

    def _keep_named(self, value: Value) -> None:
        self._frames[-1].kept.append(value)

    def _evaluate(self, expression: str) -> list[Any]:
        used = {f"_v{number}": self._variables[f"«{number}»"] for number in TOKEN.findall(expression)}
        code = compile(check_code(TOKEN.sub(r"_v\1", expression), self.space, used), "<a line>", "eval")
        with torch.no_grad():
            return [eval(code, self.space, {name: value.held[i] for name, value in used.items()}) for i in range(self.examples)]

    def _refusal(self, module: Any, x: Any) -> THNNError | None:
        """Returns the exception that our layer raises for an input, or None."""
        try:
            self.ours(module, x)
        except THNNError as error:
            return error
        except (RuntimeError, ValueError, TypeError, IndexError, AttributeError, NotImplementedError):
            return None
        return None

    @contextmanager
    def _located(self, frame: Frame, x: Any) -> Iterator[None]:
        """Errors say at which module they came up, once. What our layer says of an input is clearer than what a rule does."""
        place = f"{frame.place or 'the network'} ({one_line(frame.module._typename)})"
        try:
            yield
        except THNNError as error:
            if not hasattr(error, "module"):
                error.module = frame.module  # type: ignore[attr-defined]
                error.where.insert(0, place)
            raise
        except (RuntimeError, ValueError, TypeError, IndexError, AttributeError, NotImplementedError) as error:
            made = self._refusal(frame.module, x) or NoRule(f"cannot be written for this input: {error}")
            made.module = frame.module  # type: ignore[attr-defined]
            made.where.insert(0, place)
            raise made from error
