"""Recurrent layers over whole sequences: nn.LSTM, nn.GRU and nn.RNN where these compute the same.

What sequencers run step by step is in ``steps.py``.
"""

import numpy as np

from pytorch_legacy import authors, cudnn, rnn

from ..registry import rule
from ..texts import lacks, number, options, unfolded


def gates(array, order):
    """Blocks of rows in another order."""
    blocks = np.split(array, len(order))
    return np.concatenate([blocks[i] for i in order])


def layer(w, kind, weight_ih, weight_hh, bias, projection=None, **more):
    """``self.lstm1`` of nn.LSTM or nn.RNN. PyTorch has two biases; the second one is zero, and does not learn."""
    size = weight_hh.shape[0] // {"LSTM": 4, "RNN": 1}[kind]
    texts = options(
        batch_first=(more.get("batch_first", False), False), proj_size=(0 if projection is None else len(projection), 0)
    )
    arrays = {"weight_ih_l0": weight_ih, "weight_hh_l0": weight_hh, "bias_ih_l0": bias, "bias_hh_l0": np.zeros_like(bias)}
    constructor = f"nn.{kind}({weight_ih.shape[1]}, {size}{texts})"
    return w.layer(kind.lower(), constructor, frozen=["bias_hh_l0"], **arrays, weight_hr_l0=projection)


def run(w, text, x, initial=None, remembers=False):
    """The outputs of a recurrent layer, which may remember its state from call to call."""
    if not remembers:
        return f"{text}({x}{'' if initial is None else f', {initial}'})[0]"
    place, state = w.state()
    w.note("the old layer kept its state from call to call")
    outputs, kept = w.let(f"{text}({x}, {state if initial is None else initial})", 2)
    w.keep(place, kept)
    return outputs


def states(x, kind="LSTM"):
    """The input, and the initial state that comes with it in a table: h0 or c0 and h0 before the input."""
    if not isinstance(x, list):
        return x, None
    *given, x = x
    h = f"{given[-1]}[None]"
    if kind != "LSTM":
        return x, h
    return x, f"({h}, {f'{given[0]}[None]' if len(given) == 2 else f'torch.zeros_like({h})'})"


RUN_STEPS = '''
def run_steps(step, x, state, *beside):
    """Calls the step with each part of x, and of what is beside it, along the first dimension, and with the state.

    The step gives the next state, whose first entry is the output.
    """
    outputs = []
    for parts in zip(x, *beside):
        state = step(*parts, *state)
        state = state if isinstance(state, tuple) else (state,)
        outputs.append(state[0])
    return torch.stack(outputs), state'''

_MASKED = '''
class MaskedLSTM(nn.Module):
    """An LSTM that starts anew at samples of zeros, for which it gives zeros; its output may be projected."""

    def __init__(self, inputs, size, outputs, project=False, batch_first=False, masked=True):
        super().__init__()
        self.i2g = nn.Linear(inputs, 4 * size)
        self.h2g = nn.Linear(outputs, 4 * size, bias=False)
        self.projection = nn.Linear(size, outputs, bias=False) if project else nn.Identity()
        self.batch_first, self.masked = batch_first, masked

    def forward(self, x, state=None):
        x = x.transpose(0, 1).clone(memory_format=torch.contiguous_format) if self.batch_first else x
        state = state or (x.new_zeros(x.shape[1], self.h2g.in_features), x.new_zeros(x.shape[1], self.h2g.out_features // 4))
        y, state = run_steps(self.step, x, state, self.i2g(x))
        return y.transpose(0, 1) if self.batch_first else y, state

    def step(self, x, sums, h, c):
        i, f, o, g = (sums + self.h2g(h)).chunk(4, -1)
        c = f.sigmoid() * c + i.sigmoid() * g.tanh()
        h = self.projection(o.sigmoid() * c.tanh())
        if self.masked:
            there = (x != 0).any(-1, keepdim=True)
            h, c = torch.where(there, h, 0), torch.where(there, c, 0)
        return h, c'''


@rule(rnn.SeqLSTM)
def seq_lstm(m, x, w):
    D, H, outputs = m.inputsize, m.hiddensize, m.outputsize
    projection = m.weightO.T if isinstance(m, rnn.SeqLSTMP) else None
    batch_first, remembers = bool(m.batchfirst), m._remembers()
    if m.maskzero or (projection is not None and outputs >= H):  # nn.LSTM projects to fewer numbers only
        w.helper(RUN_STEPS)
        name = w.helper(_MASKED)
        more = options(project=(projection is not None, False), batch_first=(batch_first, False), masked=(bool(m.maskzero), True))
        arrays = {"i2g.weight": m.weight[:D].T, "i2g.bias": m.bias, "h2g.weight": m.weight[D:].T, "projection.weight": projection}
        text = w.layer("lstm", f"{name}({D}, {H}, {outputs}{more})", **arrays)
        x, initial = states(x)
        return run(w, text, x, initial and initial.replace("[None]", ""), remembers)
    order = (0, 1, 3, 2)  # i f o g
    weights = gates(m.weight[:D].T, order), gates(m.weight[D:].T, order), gates(m.bias, order)
    text = layer(w, "LSTM", *weights, projection, batch_first=batch_first)
    return run(w, text, *states(x), remembers)


_OLD_GRU = '''
class OldGRU(nn.Module):
    """A GRU whose reset gate comes before the product, g = tanh(W x + U (r h)); that of nn.GRU comes after it.

    Where it is masked, it starts anew at samples of zeros, for which it gives zeros.
    """

    def __init__(self, inputs, size, batch_first=False, masked=False):
        super().__init__()
        self.i2h = nn.Linear(inputs, 3 * size)
        self.h2g = nn.Linear(size, 2 * size, bias=False)
        self.h2h = nn.Linear(size, size, bias=False)
        self.batch_first, self.masked = batch_first, masked

    def forward(self, x, h=None):
        x = x.transpose(0, 1).clone(memory_format=torch.contiguous_format) if self.batch_first else x
        h = x.new_zeros(x.shape[1], self.h2h.in_features) if h is None else h
        y, (h,) = run_steps(self.step, x, (h,), self.i2h(x))
        return y.transpose(0, 1) if self.batch_first else y, h

    def step(self, x, sums, h):
        size = self.h2h.in_features
        r, z = (sums[..., : 2 * size] + self.h2g(h)).sigmoid().chunk(2, -1)
        h = (1 - z) * torch.tanh(sums[..., 2 * size :] + self.h2h(r * h)) + z * h
        return torch.where((x != 0).any(-1, keepdim=True), h, 0) if self.masked else h'''


@rule(rnn.SeqGRU)
def seq_gru(m, x, w):
    D, H = m.inputSize, m.outputSize
    more = options(batch_first=(bool(m.batchfirst), False), masked=(bool(m.maskzero), False))
    into, within = m.weight[:D].T, m.weight[D:].T
    arrays = {"i2h.weight": into, "i2h.bias": m.bias, "h2g.weight": within[: 2 * H], "h2h.weight": within[2 * H :]}
    w.helper(RUN_STEPS)
    text = w.layer("gru", f"{w.helper(_OLD_GRU)}({D}, {H}{more})", **arrays)
    x, h = states(x, "GRU")
    return run(w, text, x, h and h.replace("[None]", ""), m._remembers())


@rule(authors.TorchRnnLSTM)
def torch_rnn_lstm(m, x, w):
    D, order = m.input_dim, (0, 1, 3, 2)
    weights = gates(m.weight[:D].T, order), gates(m.weight[D:].T, order), gates(m.bias, order)
    return run(w, layer(w, "LSTM", *weights, batch_first=True), *states(x), m.remember_states)


@rule(authors.VanillaRNN)
def vanilla_rnn(m, x, w):
    weights = m.weight[: m.input_dim].T, m.weight[m.input_dim :].T, m.bias
    return run(w, layer(w, "RNN", *weights, batch_first=True), *states(x, "RNN"), m.remember_states)


@rule(authors.LanguageModel)
def language_model(m, x, w):
    tokens = x
    folding, unfolding = ({id(view) for view in views} for views in ([m.view1, *m.bn_view_in], [m.view2, *m.bn_view_out]))
    for i, module in enumerate(m.net.modules):
        if id(module) in folding:  # their sizes change from call to call
            x = w.let(f"{x}.flatten(0, 1)")
        elif id(module) in unfolding:
            x = w.let(unfolded(x, f"{tokens}.size(0)", -1))
        else:
            x = w.convert(module, x, "net", i)
    return x


@rule(authors.TemporalAdapter)
def temporal_adapter(m, x, w):
    y = w.convert(m.net.modules[1], w.let(f"{x}.flatten(0, 1)"), 0, 1)
    return w.let(unfolded(y, f"{x}.size(0)", -1))


@rule(cudnn.RNN)
def cudnn_rnn(m, x, w):
    kind = {"CUDNN_LSTM": "LSTM", "CUDNN_GRU": "GRU"}.get(m.mode, "RNN")
    if m.inputMode == "CUDNN_SKIP_INPUT":
        return skip_input_rnn(m, x, w)
    arrays = {}
    for i, (weights, biases) in enumerate(zip(m.weights(), m.biases(), strict=True)):
        suffix = f"_l{i // m.numDirections}{'_reverse' * (i % m.numDirections)}"
        half = len(weights) // 2
        for name, parts in (("weight_ih", weights[:half]), ("weight_hh", weights[half:])):
            arrays[name + suffix] = np.concatenate([part.reshape(m.hiddenSize, -1) for part in parts])
        arrays |= {f"bias_ih{suffix}": np.concatenate(biases[:half]), f"bias_hh{suffix}": np.concatenate(biases[half:])}
    more = options(
        num_layers=(m.numLayers, 1),
        batch_first=(bool(m.batchFirst), False),
        dropout=(number(float(m.dropout)), "0.0"),
        bidirectional=(m.numDirections == 2, False),
        nonlinearity=('"relu"' if m.mode == "CUDNN_RNN_RELU" else '"tanh"', '"tanh"'),
    )
    text = w.layer(kind.lower(), f"nn.{kind}({m.inputSize}, {m.hiddenSize}{more})", **arrays)
    return run(w, text, x, remembers=m.rememberStates)


_SKIP_INPUT_RNN = '''
class SkipInputRNN(nn.Module):
    """One layer of nn.RNN, in one or both directions, without weights for its input: h = f(x + b + h2h(h))."""

    def __init__(self, size, directions, nonlinearity):
        super().__init__()
        self.bias_ih = nn.ParameterList([nn.Parameter(torch.zeros(size)) for _ in range(directions)])
        self.h2h = nn.ModuleList([nn.Linear(size, size) for _ in range(directions)])
        self.nonlinearity = getattr(torch, nonlinearity)

    def forward(self, x):
        start, outputs = (torch.zeros_like(x[0]),), []
        for bias, h2h in zip(self.bias_ih, self.h2h):
            steps = x.flip(0) if outputs else x
            y, _ = run_steps(lambda part, h: self.nonlinearity(part + bias + h2h(h)), steps, start)
            outputs.append(y.flip(0) if outputs else y)
        return torch.cat(outputs, -1)'''


def skip_input_rnn(m, x, w):
    """Writes a cudnn.RNN whose first layer adds its input to the sums as it is. nn.RNN has no such option."""
    nonlinearity = {"CUDNN_RNN_RELU": "relu", "CUDNN_RNN_TANH": "tanh"}.get(m.mode)
    if nonlinearity is None or m.numLayers > 1 or m.rememberStates or m.batchFirst or m.hiddenInput is not None:
        raise lacks(m, "its first layer has no weights for the input; this is written for one layer of a simple RNN alone")
    w.helper(RUN_STEPS)
    name = w.helper(_SKIP_INPUT_RNN)
    arrays = {}
    for i, ((_, matrix), biases) in enumerate(zip(m.weights(), m.biases(), strict=True)):
        arrays |= {f"bias_ih.{i}": biases[0], f"h2h.{i}.weight": matrix, f"h2h.{i}.bias": biases[1]}
    return f'{w.layer("rnn", f"""{name}({m.hiddenSize}, {m.numDirections}, "{nonlinearity}")""", **arrays)}({x})'


@rule(rnn.SeqBRNN)
def seq_brnn(m, x, w):
    return w.convert(m.module, x, 0)


@rule(rnn.SeqReverseSequence)
def reverse_sequence(m, x, w):
    return f"{x}.flip({m.dim})"


@rule(rnn.SAdd)
def scalar_add(m, x, w):
    return f"-({x} + {number(float(m.addend))})" if m.negate else f"{x} + {number(float(m.addend))}"


@rule(rnn.CopyGrad)
def copy_grad(m, x, w):
    return x


@rule(rnn.ExpandAs)
def expand_as(m, x, w):
    return [x[0], w.let(f"{x[1]}.expand_as({x[0]})")]
