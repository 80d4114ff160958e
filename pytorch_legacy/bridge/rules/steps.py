"""What sequencers run step by step. Tables of steps are stacked, so that one loop, or nn.LSTM, takes any number of them."""

from pytorch_legacy import nn, rnn

from ..registry import rule
from ..texts import joined, lacks
from ..values import flat, tree
from .recurrent import gates, layer, run

RUN_STEPS = '''
def run_steps(step, x, state):
    """Calls the step with each part of x along the first dimension and the state, whose first entry is the output."""
    outputs = []
    for part in x:
        state = step(part, *state)
        state = state if isinstance(state, tuple) else (state,)
        outputs.append(state[0])
    return torch.stack(outputs), state'''


@rule(rnn.Sequencer)
def sequencer(m, x, w):
    if not isinstance(x, list):
        return over(m.module, x, w, m._remembers())
    if any(isinstance(part, list) for part in x) or len({part.shape for part in x}) > 1:
        return unrolled(m.module, x, w)
    y = over(m.module, w.let(f"torch.stack([{joined(x)}])"), w, m._remembers())
    return w.let(f"{w.let(y) if isinstance(y, str) else y}.unbind()", len(x))


@rule(rnn.Repeater)
def repeater(m, x, w):
    if isinstance(x, list):
        return unrolled(m.module, [x] * m.rho, w)
    y = over(m.module, w.let(f"{x}.expand({joined([m.rho, *['-1'] * x.ndim])})"), w)
    return w.let(f"{w.let(y) if isinstance(y, str) else y}.unbind()", m.rho)


def recurs(module):
    """Has it a state from step to step?"""
    return any(isinstance(part, rnn.AbstractRecurrent) for part in module.listModules())


def over(module, x, w, remembers=False):
    """The outputs of a module for all steps of an array, steps first."""
    if isinstance(module, rnn.Recursor):
        return over(module.modules[0], x, w, remembers)
    if not recurs(module):
        return all_steps(module, x, w)
    if type(module) is nn.Sequential:
        for part in module.modules:
            x = over(part, x, w, remembers)
            x = w.let(x) if isinstance(x, str) else x
        return x
    if isinstance(module, rnn.NormStabilizer):
        return x
    if isinstance(module, rnn.FastLSTM) and _is_plain(module) and x.ndim == 3:
        order = (0, 2, 1, 3)  # i g f o
        weights = gates(module.i2g.weight, order), gates(module.o2g.weight, order), gates(module.i2g.bias, order)
        return run(w, layer(w, "LSTM", *weights), x, remembers=remembers)
    if isinstance(module, (rnn.LSTM, rnn.GRU)):
        return looped(module, x, w, remembers)
    if isinstance(module, rnn.Recurrent) and not isinstance(module.startModule, nn.Identity):
        return recurrent(module, x, w)
    if x.shape[0] is None:
        raise lacks(module, "its steps are written one by one; give examples with as many steps")
    steps = unrolled(module, w.let(f"{x}.unbind()", x.shape[0]), w)
    return w.let(f"torch.stack([{joined(steps)}])")


def _is_plain(m):
    """Is it what nn.LSTM computes?"""
    more = (nn.BatchNormalization, nn.Dropout, rnn.MaskZero)
    linear = isinstance(m.i2g, nn.Linear) and isinstance(m.o2g, nn.Linear)
    return linear and not any(isinstance(part, more) for part in m.recurrentModule.listModules())


def all_steps(module, x, w):
    """A module without a state runs on all steps at once."""
    if x.ndim < 3:
        return w.convert(module, x, 0)
    y = w.convert(module, w.let(f"{x}.flatten(0, 1)"), 0)
    return tree(lambda value: w.let(f"{value}.unflatten(0, {x}.shape[:2])"), y)


def looped(m, x, w, remembers=False):
    """A step class and a loop."""
    first = w.let(f"{x}[0]")
    zero = w.let(f"{x}.new_zeros({joined([f'{x}.size(1)'] * (x.ndim - 2) + [m.outputSize])})")
    count = len(m._states)
    step = w.step("step", f"{type(m).__name__}Step", m.recurrentModule, [first, *[zero] * count], 0)
    initial = f"({joined([zero] * count)}{',' if count == 1 else ''})"
    text = f"{w.helper(RUN_STEPS)}({step}, {x}, "
    if not remembers:
        return f"{text}{initial})[0]"
    place, state = w.state()
    w.note("the old layer kept its state from call to call")
    outputs, kept = w.let(f"{text}{state} or {initial})", 2)
    w.keep(place, kept)
    return outputs


def recurrent(m, x, w):
    """nn.Recurrent: the first step has a module of its own."""
    first = w.let(f"{x}[0]")
    start = w.convert(m.initialModule, first, "initialModule")
    step = w.step("step", "RecurrentStep", m.recurrentModule, [first, start], "recurrentModule")
    rest = w.let(f"{w.helper(RUN_STEPS)}({step}, {x}[1:], ({start},))[0]") if x.shapes[0][0] > 1 else None
    return f"torch.cat([{start}[None], {rest}])" if rest else f"{start}[None]"


def unrolled(module, steps, w):
    """The outputs of a module for each of its inputs, one by one."""
    step = stepping(module, w)
    return [step(part) for part in steps]


def stepping(module, w):
    """A function that writes the next step of a module, which it calls with its input."""
    if isinstance(module, rnn.Recursor):
        return stepping(module.modules[0], w)
    if not recurs(module):
        return lambda part: w.convert(module, part, 0)
    if type(module) is nn.Sequential:
        return _chained([stepping(part, w) for part in module.modules])
    if isinstance(module, rnn.NormStabilizer):
        return lambda part: part
    if isinstance(module, (rnn.LSTM, rnn.GRU)):

        def first(part):
            x = flat([part])[0]
            zero = w.let(f"{x}.new_zeros({joined([f'{x}.size(0)'] * (x.ndim - 1) + [module.outputSize])})")
            return [zero] * len(module._states)

        def gated(part, state):
            after = w.convert(module.recurrentModule, [part, *state], 0)
            return after if isinstance(after, list) else [after]

        return _remembering(first, gated, lambda state: state[0])
    if isinstance(module, rnn.Recurrent):
        return _remembering(
            None,
            lambda part, state: (
                w.convert(module.recurrentModule, [part, state], "recurrentModule")
                if state is not None
                else w.convert(module.initialModule, part, "initialModule")
            ),
        )
    if isinstance(module, rnn.Recurrence):

        def zeros(part):
            x = flat([part])[0]
            return _zeros(w, x, [f"{x}.size(0)"] * (x.ndim - module.nInputDim), module.outputSize)

        return _remembering(zeros, lambda part, state: w.convert(module.module, [part, state], 0))
    raise lacks(module, "runs step by step in a way that is not written")


def _chained(steps):
    def step(part):
        for one in steps:
            part = one(part)
        return part

    return step


def _remembering(first, step, output=lambda state: state):
    """Calls ``step(part, state)``, which gives the next state, from ``first(part)`` on."""
    kept = []

    def write(part):
        state = kept.pop() if kept else first(part) if first else None
        kept.append(step(part, state))
        return output(kept[0])

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


def _zeros(w, x, batch, sizes):
    """Zeros in the shapes of a table of sizes."""
    if sizes and isinstance(sizes[0], list):
        return [_zeros(w, x, batch, entry) for entry in sizes]
    return w.let(f"{x}.new_zeros({joined([*batch, *sizes])})")


@rule(rnn.AbstractRecurrent)
def one_step(m, x, w):
    """A recurrent layer outside of a sequencer: its first step."""
    return unrolled(m, [x], w)[0]


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
    """Which samples are not zero: the first array counts."""
    first = flat([x])[0]
    batch = first.ndim - m.nInputDim
    return w.let(f"({first} != 0){f'.flatten({batch})' if m.nInputDim > 1 else ''}.any(-1)")


@rule(rnn.MaskZero)
def mask_zero(m, x, w):
    there = _there(m, x, w)
    y = w.convert(m.modules[0], x, 0)

    def masked(value):
        more = value.ndim - there.ndim
        spread = "" if not more else ".unsqueeze(-1)" if more == 1 else f"[(..., *[None] * {more})]"
        w.note("samples of zeros give zeros")
        return w.let(f"torch.where({there}{spread}, {value}, 0)")

    return tree(masked, y)


@rule(rnn.TrimZero)
def trim_zero(m, x, w):
    return mask_zero(m, x, w)  # which gives the same: the samples of zeros are left out there
