"""Every case of every file in tests/cases: what its module reads, writes, keeps and shares."""

from __future__ import annotations

import copy
import io
import pickle
from typing import Any

import numpy as np
import pytest

import pytorch_legacy as pl
from pytorch_legacy import errors
from tests.case import Case
from tests.layouts import LAYOUTS, laid_out
from tests.table import CASES, joined, only
from tests.table import pytest_generate_tests as pytest_generate_tests
from tests.trees import (
    Array,
    Tree,
    assert_same,
    copied,
    leaves,
    mapped,
    share_memory,
    vector,
)
from tests.trial import Trial


def overwrite(case: Case, dtype: str) -> None:
    """A pass does not depend on the earlier content of its results' memory."""
    trial = Trial(case, dtype)
    module = trial.module()
    first = trial.run(input=copied(trial.input), module=module)
    for leaf in trial.held(module):
        leaf.fill(np.nan)
    assert_same(trial.run(input=copied(trial.input), module=module).all(), first.all())


def reuse(case: Case, dtype: str) -> None:
    """A second pass over the same input needs no new memory for its results."""
    trial = Trial(case, dtype)
    module = trial.module()
    input, gradOutput = trial.fed(trial.input), None
    kept = []
    for _ in range(2):
        output = trial.forward(module, input)
        gradOutput = trial.gradOutput(output) if gradOutput is None else gradOutput
        gradInput = trial.backward(module, input, gradOutput)
        kept.append(leaves(gradInput if trial.isCriterion else [output, gradInput]))
    assert [leaf.ctypes.data for leaf in kept[0]] == [leaf.ctypes.data for leaf in kept[1]]


@only(lambda case: not case.inplace)
def untouched(case: Case, dtype: str) -> None:
    """A pass writes neither to the input nor to gradOutput."""
    trial = Trial(case, dtype)
    input, gradOutput = copied(trial.input), trial.gradOutput(trial.value(trial.module(), trial.input))
    before = copied([input, gradOutput])
    trial.run(input, gradOutput)
    assert_same([input, gradOutput], before)


@only(lambda case: case.inplace)
def inplace(case: Case, dtype: str) -> None:
    """The output takes the memory of the input, the gradient that of gradOutput."""
    trial = Trial(case, dtype)
    module = trial.module()
    input = copied(trial.input)
    output = trial.forward(module, input)
    assert share_memory(output, input)
    gradOutput = trial.gradOutput(output)
    assert share_memory(trial.backward(module, input, gradOutput), gradOutput)


def readonly(case: Case, dtype: str) -> None:
    """Arrays that are read-only give the same; what works in place works on copies of them."""
    trial = Trial(case, dtype)
    expected = trial.usual()
    frozen = copied([trial.input, trial.gradOutput(expected.output), trial.target if trial.isCriterion else []])
    for leaf in leaves(frozen):
        leaf.flags.writeable = False
    trial.target = frozen[2]
    assert_same(trial.run(*frozen[:2]).all(), expected.all())


def strided(case: Case, dtype: str) -> None:
    """Strides and addresses of input, target and gradOutput change nothing, bit for bit."""
    trial = Trial(case, dtype)
    expected = trial.usual()
    gradOutput, target = trial.gradOutput(expected.output), trial.target
    layouts = ["dense", *LAYOUTS]
    for layout, other in zip(layouts, [*layouts[1:], layouts[0]], strict=True):  # each meets another
        trial.target = None if target is None else laid_out(target, layout)
        input, gradient = laid_out(trial.input, layout), None if trial.isCriterion else laid_out(gradOutput, other)
        result = trial.run(input, gradient)
        assert_same(result.all(), expected.all(), f"{layout} input, {other} gradOutput")


@only(lambda case: not case.inplace)
def expanded(case: Case, dtype: str) -> None:
    """Input and gradOutput may repeat their elements with stride 0."""
    trial = Trial(case, dtype)

    def expand(leaf: Array) -> Array:
        return np.broadcast_to(leaf[..., :1], leaf.shape) if leaf.ndim else leaf

    input = mapped(expand, trial.input)
    gradOutput = mapped(expand, trial.gradOutput(trial.value(trial.module(), trial.input)))
    assert_same(trial.run(input, gradOutput).all(), trial.run(copied(input), copied(gradOutput)).all())


@only(lambda case: not case.inplace)
def own_results(case: Case, dtype: str) -> None:
    """A layer that gets its own results to read is right all the same, or says that it needs memory of its own."""
    trial = Trial(case, dtype)
    usual = trial.usual()
    gradOutput = trial.gradOutput(usual.output)

    def forward(module: Any, input: Tree) -> Tree:
        return copied(trial.forward(module, input))

    def backward(module: Any, input: Tree, gradOutput: Tree) -> Tree:
        trial.forward(module, input)
        return copied(trial.updateGradInput(module, input, gradOutput))

    for results, method, arguments, number, expected in (
        ("output", forward, [trial.input], 0, usual.output),
        ("gradInput", backward, [trial.input, gradOutput], 0, usual.gradInput),
        ("gradInput", backward, [trial.input, gradOutput], 1, usual.gradInput),
    ):
        read = arguments[number]
        for i, leaf in enumerate(leaves(read)):
            for k in range(len(leaves(getattr(usual, results)))):
                module = trial.module()
                trial.forward(module, trial.input)
                trial.updateGradInput(module, trial.input, gradOutput)
                buffer = np.asarray(leaves(getattr(module, results))[k])
                if share_memory(buffer, [trial.input, gradOutput]) or buffer.dtype != leaf.dtype or buffer.size < leaf.size:
                    continue
                lent = buffer.reshape(-1)[: leaf.size].reshape(leaf.shape)
                lent[...] = leaf
                places = iter(range(len(leaves(read))))
                arguments[number] = mapped(lambda old, i=i, lent=lent, places=places: lent if next(places) == i else old, read)
                try:
                    found = method(module, *arguments)
                except errors.ValueRangeError as error:
                    assert "memory of its own" in str(error)
                else:
                    assert_same(found, expected, f"argument {number} of {method.__name__}, array {i} in {results}[{k}]")
                arguments[number] = read


def history(case: Case, dtype: str) -> None:
    """Results do not depend on earlier calls with other values and other sizes."""
    trial = Trial(case, dtype)
    module = trial.module()
    first = trial.run(module=module)
    trial.run(input=mapped(lambda leaf: -leaf[::-1], trial.input), module=module)
    if case.batched:
        trial.repeated(4 * vector(trial.input).size).run(module=module)
        if not trial.isCriterion:
            trial.run(input=mapped(lambda leaf: leaf[:1].copy(), trial.input), module=module)
    assert_same(trial.run(module=module).all(), first.all())


def copies(case: Case, dtype: str) -> None:
    """A clone, a pickle, and the module itself after clearState compute the same, in memory of their own."""
    trial = Trial(case, dtype)
    module = trial.module()
    expected = trial.run(input=copied(trial.input), module=module)
    held = trial.held(module) + list(trial.parameters(module)[0])
    for twin in (module.clone(), copy.deepcopy(module), pickle.loads(pickle.dumps(module))):
        assert_same(trial.run(input=copied(trial.input), module=twin).all(), expected.all())
        assert not share_memory(held, trial.held(twin) + list(trial.parameters(twin)[0]))
    if not trial.isCriterion:
        assert_same(trial.run(module=module.clearState()).all(), expected.all())


test_memory = joined(
    overwrite,
    reuse,
    untouched,
    inplace,
    readonly,
    strided,
    expanded,
    history,
)
test_own_results_and_copies = joined(own_results, copies)


def test_files_hold_nothing_of_other_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    """The earlier content of a buffer's memory is in no file: of fresh modules, after evaluation, after training."""
    made = {name: getattr(np, name) for name in ("empty", "empty_like")}

    def spoil(name: str, byte: int) -> Any:
        def spoilt(*arguments: Any, like: Any = None, **options: Any) -> Array:
            array = made[name](*arguments, **options)
            np.frombuffer(array, np.uint8)[...] = byte  # type: ignore[call-overload]
            return array

        return spoilt

    def saved(thing: Any) -> bytes:
        file = io.BytesIO()
        pl.save(file, thing)
        return file.getvalue()

    def files(case: Case, byte: int) -> list[bytes]:
        for name in made:
            monkeypatch.setattr(np, name, spoil(name, byte))
        trial = Trial(case, "float32")
        empty = [mapped(lambda leaf: leaf[:0], trial.input)] if case.batched and not trial.isCriterion else []
        found = []
        for input in (trial.input, *empty):
            module = trial.module()
            found.append(saved(module))
            gradOutput = trial.gradOutput(trial.forward(module, copied(input)))
            trial.backward(module, copied(input), gradOutput)
            found.append(saved(module))
            if not trial.isCriterion:
                module = trial.module().evaluate()
                trial.forward(module, copied(input))
                found.append(saved(module))
        return found

    differing = [f"{name}-{case.name}" for name, case in CASES if name != "Profile" and files(case, 0x11) != files(case, 0x42)]
    assert differing == []
