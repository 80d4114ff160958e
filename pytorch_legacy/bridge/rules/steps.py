"""Rules of sequencers, which run step by step.

Tables of steps are stacked, so that one loop, or nn.LSTM, takes any number of them.
"""

import numpy as np

from pytorch_legacy import nn, nngraph, rnn
from pytorch_legacy.errors import THNNError
from pytorch_legacy.inference.examples import forget

from ..proof import TOLERANCE
from ..registry import NoRule, rule
from ..texts import joined, lacks, number, unfolded
from ..values import difference, flat, tree
from .normalization import STRAIGHT_THROUGH, WITH_LOSS, batch_norm
from .recurrent import RUN_STEPS, gates, layer, run

EACH_STEP = '''
def each_step(layer, *sequences):
    """Returns what the layer gives for each step by itself, since it reads the other samples of a step. Steps come first."""
    return torch.stack([layer(*parts) for parts in zip(*sequences)])'''

_RUN_RECURRENT = '''
def run_recurrent(start, step, x, state=None):
    """Calls the step with each part of x and its last output; the start with the first one, where there is no output yet."""
    outputs = []
    for part in x:
        state = start(part) if state is None else step(part, state)
        outputs.append(state)
    return torch.stack(outputs), state'''
_KEPT = "the old layer kept its state from call to call"

STEPWISE = rnn.AbstractRecurrent, nn.BatchNormalization, nn.LayerNormalization
"""Classes whose result for all steps at once differs: they have a state, or read other samples."""


@rule(rnn.Sequencer)
def sequencer(m, x, w):
    with w.within(None):
        if not isinstance(x, list):
            y = over(m.module, x, w, m._remembers())
            return _apart(y, x.shape[0], w) if isinstance(y, list) else y
        if any(isinstance(part, list) for part in x) or any(part.shapes != x[0].shapes for part in x):
            return unrolled(m.module, x, w, m._remembers())
        return _apart(over(m.module, w.let(f"torch.stack([{joined(x)}])"), w, m._remembers()), len(x), w)


def _apart(y, count, w):
    """The list of the outputs of all steps."""
    if isinstance(y, list):
        return [[*step] for step in zip(*(_apart(value, count, w) for value in y), strict=True)]
    if count is None:
        raise NoRule("a table for each step of any number: give examples with as many steps")
    return w.let(f"{w.let(y)}.unbind()", count)


@rule(rnn.Repeater)
def repeater(m, x, w):
    with w.within(None):
        if isinstance(x, list):
            return unrolled(m.module, [x] * m.rho, w)
        return _apart(over(m.module, w.let(f"{x}.expand({joined([m.rho, *['-1'] * x.ndim])})"), w), m.rho, w)


def by_step(module):
    """Returns True if the module contains one that runs step by step."""
    return any(isinstance(part, STEPWISE) for part in module.listModules())


def over(module, x, w, remembers=False):
    """The outputs of a module for all steps of an array, steps first."""
    if isinstance(module, rnn.Recursor):
        return over(module.modules[0], x, w, remembers)
    if not by_step(module):
        return all_steps(module, x, w)
    if type(module) is nn.Sequential:
        for part in module.modules:
            x = over(part, x, w, remembers)
            x = w.let(x) if isinstance(x, str) else x
        return x
    if isinstance(module, rnn.NormStabilizer):
        return stabilized(module, x, w, remembers)
    if isinstance(module, (nn.BatchNormalization, nn.LayerNormalization)) and _has_batch(x):
        return each_step(module, x, w)
    if isinstance(module, STEPWISE) and isinstance(x, list):
        return _one_by_one(module, x, w, remembers)
    if isinstance(module, rnn.FastLSTM) and _is_plain(module) and x.ndim == 3:
        order = (0, 2, 1, 3)  # i g f o
        weights = gates(module.i2g.weight, order), gates(module.o2g.weight, order), gates(module.i2g.bias, order)
        return run(w, layer(w, "LSTM", *weights), x, remembers=remembers)
    if isinstance(module, (rnn.LSTM, rnn.GRU)):
        return looped(module, x, w, remembers)
    if isinstance(module, rnn.Recurrent) and not isinstance(module.startModule, nn.Identity):
        return recurrent(module, x, w, remembers)
    if isinstance(module, STEPWISE) or not _has_batch(x):
        return _one_by_one(module, x, w, remembers)
    return around(module, x, w, remembers)


def stabilized(m, x, w, remembers=False):
    """nn.NormStabilizer, for all steps of an array."""
    if remembers:
        w.note("norms are not compared with those of the call before")
    w.helper(WITH_LOSS)
    name = w.helper('''
def norm_stabilized(x, beta, training):
    """Returns x, steps first. In training the gradient of beta times the mean squares of the changes of the norms is added."""
    changes = x.norm(dim=-1).diff(dim=0)
    return with_loss(x, beta * changes.square().mean(1).sum()) if training else x''')
    return f"{name}({x}, {number(float(m.beta))}, self.training)"


def _one_by_one(module, x, w, remembers=False):
    """The outputs of a module whose steps are written one after the other."""
    count = flat([x])[0].shape[0]
    if count is None:
        raise lacks(module, "its steps are written one by one; give examples with as many steps")
    steps = unrolled(module, _apart(x, count, w), w, remembers)
    return tree(lambda *values: w.let(f"torch.stack([{joined(values)}])"), *steps)


def around(module, x, w, remembers):
    """A container of what runs step by step: what is around that runs on all steps at once."""

    def inside(m, part):
        if not isinstance(m, STEPWISE):
            return None
        part = _unfolded(part, x, w)
        with w.within(None):
            return _folded(w.checked(_of_all_steps(m, part, w), over(m, part, w, remembers)), w)

    with w.within(inside):
        return _unfolded(w.convert(module, _folded(x, w), 0), x, w)


def each_step(m, x, w):
    """A layer that looks at the other samples of its input."""
    if isinstance(m, nn.BatchNormalization):
        text = batch_norm(w, m, {2: 1, 4: 2, 5: 3}[m.nDim])
    else:
        text = w.step("step", f"{type(m).__name__}Step", m, w.let(f"{x}[0]"), 0)
    return f"{w.helper(EACH_STEP)}({text}, {x})"


def _of_all_steps(m, x, w):
    """Returns our layer's outputs of all steps of each example."""
    results = []
    for i in range(w.examples):
        arrays = tree(lambda value, i=i: value.held[i].numpy(), x)
        forget(m)
        steps = [tree(lambda array, t=t: np.array(array[t]), arrays) for t in range(len(flat([arrays])[0]))]
        outputs = [tree(np.array, m.forward(step)) for step in steps]
        results.append(tree(lambda *steps: np.stack(steps), *outputs))
    forget(m)
    return results


def _is_plain(m):
    """Returns True if the module computes what nn.LSTM computes."""
    more = (nn.BatchNormalization, nn.Dropout, rnn.MaskZero)
    linear = isinstance(m.i2g, nn.Linear) and isinstance(m.o2g, nn.Linear)
    return linear and not any(isinstance(part, more) for part in m.recurrentModule.listModules())


def all_steps(module, x, w):
    """A module without a state runs on all steps at once: with the batch if they have one, else as a batch."""
    expected = _of_all_steps(module, x, w)
    if _has_batch(x) and _gives(module, x, w, lambda array: array.reshape(-1, *array.shape[2:]), expected):
        return _unfolded(w.convert(module, _folded(x, w), 0), x, w)
    if _gives(module, x, w, np.array, expected):
        return w.convert(module, x, 0)
    return _one_by_one(module, x, w)


def _gives(module, x, w, change, expected):
    """Returns True if our layer computes the results of all steps for the changed input."""
    for i, wanted in enumerate(flat([one]) for one in expected):
        try:
            found = flat([module.forward(tree(lambda value, i=i: change(value.held[i].numpy()), x))])
        except THNNError:
            return False
        if [array.size for array in found] != [array.size for array in wanted]:
            return False
        if any(not difference(a, b.reshape(a.shape)) <= TOLERANCE for a, b in zip(wanted, found, strict=True)):
            return False
    return True


def _folded(x, w):
    """All steps as one batch."""

    def one(value):
        if value.twin is None or value.twin.ndim > value.ndim:
            made = w.tie(w.let(f"{value}.flatten(0, 1)"), value)
            made.twin = value
            return made
        return value.twin

    return tree(one, x)


def _unfolded(y, x, w):
    """Steps before the batch again, as many as in `x`."""
    example = flat([x])[0]

    def one(value):
        known = value.twin
        if known and known.ndim > value.ndim and [a[:2] for a in known.shapes] == [a[:2] for a in example.shapes]:
            return known
        made = w.let(unfolded(value, w.size(example, 0), -1))
        made.twin = value
        return made

    return tree(one, y)


def _has_batch(x):
    """Returns True if the steps of an array, or of some array of a table, have a batch dimension."""
    return any(value.ndim > 2 for value in flat([x]))


def looped(m, x, w, remembers=False):
    """A step class and a loop."""
    first = w.let(f"{x}[0]")
    zero = w.let(f"{x}.new_zeros({joined([f'{x}.size(1)'] * (x.ndim - 2) + [m.outputSize])})")
    count = len(m._states)
    step = w.step("step", f"{type(m).__name__}Step", m.recurrentModule, [first, *[zero] * count], 0)
    initial = f"({joined([zero] * count)}{',' if count == 1 else ''})"
    call = f"{w.helper(RUN_STEPS)}({step}, {x}, "
    return _going_on(lambda state: f"{call}{state} or {initial})", w) if remembers else f"{call}{initial})[0]"


def recurrent(m, x, w, remembers=False):
    """nn.Recurrent: the first step has a module of its own."""
    first = w.let(f"{x}[0]")
    start = w.step("start", "RecurrentStart", m.initialModule, first, "initialModule")
    hidden = w.let(f"{start}({first})")
    step = w.step("step", "RecurrentStep", m.recurrentModule, [first, hidden], "recurrentModule")
    call = f"{w.helper(_RUN_RECURRENT)}({start}, {step}, {x}"
    return _going_on(lambda state: f"{call}, {state})", w) if remembers else f"{call})[0]"


def _going_on(call, w):
    """The outputs of ``call(state)``, the text of a loop, which goes on where the last call of the network ended."""
    place, state = w.state()
    w.note(_KEPT)
    outputs, kept = w.let(call(state), 2)
    w.keep(place, kept)
    return outputs


def unrolled(module, steps, w, remembers=False):
    """The outputs of a module for each of its inputs, one by one."""
    step = stepping(module, w, remembers)
    return [step(part) for part in steps]


def stepping(module, w, remembers=False):
    """Returns a function that writes the next step of a module; it gets the input of that step."""
    if isinstance(module, rnn.Recursor):
        return stepping(module.modules[0], w, remembers)
    if not by_step(module):
        return lambda part: w.convert(module, part, 0)
    if type(module) is nn.Sequential:
        return _chained([stepping(part, w, remembers) for part in module.modules])
    write = next((write for classes, write in _STEPPING.items() if isinstance(module, classes)), _inner_steps)
    return write(module, w, remembers)


def _stabilizer_steps(module, w, remembers):
    before = []

    def step(part):
        both = f"torch.stack([{before.pop()}, {part}])" if before else None
        before.append(part)
        return w.let(f"{stabilized(module, both, w, remembers)}[1]") if both else part

    return step


def _gated_steps(module, w, remembers):
    """The steps of an nn.LSTM or nn.GRU."""

    def first(part):
        x = flat([part])[0]
        zero = w.let(f"{x}.new_zeros({joined([f'{x}.size(0)'] * (x.ndim - 1) + [module.outputSize])})")
        return [zero] * len(module._states)

    def step(part, state):
        after = w.convert(module.recurrentModule, [part, *state], 0)
        return after if isinstance(after, list) else [after]

    return _remembering(first, step, w, remembers, lambda state: state[0])


def _recurrent_steps(module, w, remembers):
    if remembers and not isinstance(module.startModule, nn.Identity):
        raise lacks(module, "keeps its state from call to call, which is written for sequences in arrays only")

    def step(part, state):
        if state is None:
            return w.convert(module.initialModule, part, "initialModule")
        return w.convert(module.recurrentModule, [part, state], "recurrentModule")

    return _remembering(None, step, w)


def _recurrence_steps(module, w, remembers):

    def zeros(part):
        x = flat([part])[0]
        kind = "" if x.arrays[0].dtype.kind == "f" else f", dtype=torch.{module._dtype}"  # x may be indices
        return _zeros(w, x, [f"{x}.size(0)"] * (x.ndim - module.nInputDim), module.outputSize, kind)

    return _remembering(zeros, lambda part, state: w.convert(module.module, [part, state], 0), w, remembers)


def _unknown_steps(module, w, remembers):
    raise lacks(module, "runs step by step in a way that is not written")


def _inner_steps(module, w, remembers):
    """The steps of a module that has recurrent ones inside: each of these goes on from its own last step."""
    steps = {}

    def inside(m, part):
        if not isinstance(m, rnn.AbstractRecurrent):
            return None
        with w.within(None):
            steps[id(m)] = steps.get(id(m)) or stepping(m, w, remembers)
            return steps[id(m)](part)

    def write(part):
        with w.within(inside):
            return w.convert(module, part, 0)

    return write


_STEPPING = {
    rnn.NormStabilizer: _stabilizer_steps,
    (rnn.LSTM, rnn.GRU): _gated_steps,
    rnn.Recurrent: _recurrent_steps,
    rnn.Recurrence: _recurrence_steps,
    rnn.AbstractRecurrent: _unknown_steps,
}
"""The first classes that a module belongs to decide how its steps are written."""


def _chained(steps):
    def step(part):
        for one in steps:
            part = one(part)
        return part

    return step


def _remembering(first, step, w, remembers=False, output=lambda state: state):
    """Calls ``step(part, state)``, which gives the next state, from ``first(part)`` on, or from what the last call left."""
    kept = []

    def begin(part):
        state = first(part) if first else None
        if not remembers:
            return state
        place, text = w.state()
        kept.append(place)
        values = flat([state])
        w.note(_KEPT)
        given = iter(w.let(f"{text} or ({joined(values)},)", len(values)))
        return tree(lambda _: next(given), state)

    states = []

    def write(part):
        state = step(part, states.pop() if states else begin(part))
        states.append(state)
        for place in kept:
            w.keep(place, w.let(f"({joined(flat([state]))},)"))
        return output(state)

    return write


@rule(rnn.RecurrentAttention)
def recurrent_attention(m, x, w):
    step, act = stepping(m.rnn, w), stepping(m.action, w)
    hidden = w.let(f"{x}.new_zeros({joined([f'{x}.size(0)', *m.hiddenSize])})")
    outputs = []
    for _ in range(m.nStep):
        action = act(hidden)
        w.note("an action gets no gradient from what sees it")
        hidden = step([x, w.let(f"{action}.detach()")])
        outputs.append([hidden, action] if m.forwardActions else hidden)
    return outputs


def _zeros(w, x, batch, sizes, kind):
    """Zeros in the shapes of a table of sizes."""
    if sizes and isinstance(sizes[0], list):
        return [_zeros(w, x, batch, entry, kind) for entry in sizes]
    shape = joined([*batch, *sizes])
    return w.let(f"{x}.new_zeros({f'({shape})' if kind else shape}{kind})")


@rule(rnn.AbstractRecurrent)
def one_step(m, x, w):
    """A recurrent layer outside of a sequencer goes on with a step in each call."""
    return unrolled(m, [x], w, remembers=True)[0]


@rule(rnn.BiSequencer)
def bi_sequencer(m, x, w):
    return w.convert(m.module, x, 0)


@rule(rnn.BiSequencerLM)
def bi_sequencer_lm(m, x, w):
    ahead, against = w.convert(m.modules[0], x[:-1], 0), w.convert(m.modules[1], x[1:], 1)
    pair = [[_zero_like(w, ahead[0]), *ahead], [*against, _zero_like(w, against[-1])]]
    return w.convert(m.modules[2], pair, 2)


def _zero_like(w, value):
    return tree(lambda part: w.let(f"torch.zeros_like({part})"), value)


def _there(m, x, w):
    """Returns a mask of the samples that are not zero in the first array."""
    first = flat([x])[0]
    batch = first.ndim - m.nInputDim
    folded = f".flatten({batch})" if m.nInputDim > 1 else ""
    return w.let(f"({first} != 0){folded}.any(-1)" if m.nInputDim else f"{first} != 0")


def _masked(there, value, other):
    """The text of `value` where a sample is there, and of `other` where it is not."""
    more = value.ndim - there.ndim
    spread = "" if not more else ".unsqueeze(-1)" if more == 1 else f"[(..., *[None] * {more})]"
    return f"torch.where({there}{spread}, {value}, {other})"


def _zeroed(there, y, w):
    """The outputs, with zeros for the samples that are zeros."""

    def zeroed(value):
        w.note("samples of zeros give zeros")
        return w.let(_masked(there, value, 0))

    return tree(zeroed, y)


def _last(module):
    """The modules inside whose accGradParameters gets the gradient that the module gets."""
    if isinstance(module, (nngraph.gModule, rnn.AbstractRecurrent, rnn.AbstractSequencer)):
        return []  # they keep what their updateGradInput got
    inner = getattr(module, "modules", None) or []
    parts = inner[-1:] if isinstance(module, nn.Sequential) else inner
    return [found for part in parts for found in _last(part)] if parts else [module]


@rule(rnn.MaskZero)
def mask_zero(m, x, w):
    there = _there(m, x, w)
    last = _last(m.modules[0])
    if not any((module.parameters() or ([],))[0] for module in last):
        return _zeroed(there, w.convert(m.modules[0], x, 0), w)

    def without_gradient(value):
        w.note("samples of zeros get no gradient")
        return w.let(_masked(there, value, f"{value}.detach()")) if value.ndim >= there.ndim else value

    def inside(module, part):
        if not any(module is one for one in last):
            return outer(module, part) if outer else None
        with w.within(outer):
            return w.convert(module, tree(without_gradient, part))

    with w.within(inside) as outer:
        y = w.convert(m.modules[0], x, 0)
    name = w.helper(STRAIGHT_THROUGH)

    def zeroed(value):
        w.note("samples of zeros give zeros, and the layer before learns from their gradients all the same")
        return w.let(f"{name}({_masked(there, value, 0)}, {value})")

    return tree(zeroed, y)


@rule(rnn.TrimZero)
def trim_zero(m, x, w):
    return _zeroed(_there(m, x, w), w.convert(m.modules[0], x, 0), w)
