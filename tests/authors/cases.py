"""The case table of the classes of authors: see tests/case.py. References are computed in plain NumPy, from the definitions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import pytorch_legacy as pl
from pytorch_legacy import authors, nn, random
from tests.case import Array, Case, Generator, normal, normals
from tests.trial import SEED


def sigmoid(x: Array) -> Array:
    return 1 / (1 + np.exp(-x))


# ------------------------------------------------------------------------------------------------ borders


def circular(module: Any, x: Array) -> Array:
    for axis, before, after in ((-2, module.pad_t, module.pad_b), (-1, module.pad_l, module.pad_r)):
        x = np.take(x, np.arange(-before, x.shape[axis] + after), axis, mode="wrap")
    return x


def symmetric(module: Any, x: Array) -> Array:
    pads = [(0, 0)] * (x.ndim - 2) + [(module.pad_t, module.pad_b), (module.pad_l, module.pad_r)]
    padded = np.pad(x, [(max(before, 0), max(after, 0)) for before, after in pads], "symmetric")
    cuts = [slice(max(-before, 0), size - max(-after, 0)) for (before, after), size in zip(pads, padded.shape, strict=True)]
    return padded[tuple(cuts)]


def borders(cls: Any, reference: Any) -> list[Case]:
    return [
        Case("all_sides", lambda: cls(2, 1, 0, 3), normal(2, 3, 4, 5), reference),
        Case("one_width", lambda: cls(1), normal(2, 1, 2, 2), reference),
        Case("as_wide_as_the_image", lambda: cls(3, 3, 2, 2), normal(2, 2, 2, 3), reference),
        Case("cropped", lambda: cls(-1, 2, 1, -1), normal(2, 2, 3, 4), reference),
        Case("planes", lambda: cls(1, 0, 2, 1), normal(2, 3, 4), reference, batched=False),
    ]


# ------------------------------------------------------------------------------------------------ noise


def gaussian(module: Any, x: Array) -> Array:
    pl.manualSeed(SEED)
    return module.mult * random.normal(0, 1, (len(x), module.num_planes, *x.shape[2:]), np.float64)


def filled(module: Any, x: Array) -> Array:
    pl.manualSeed(SEED)
    count = module.num_noise_channels
    noise = random.uniform(0, 1, (len(x), count, *x.shape[2:]), np.float64)
    return np.concatenate([x[:, : x.shape[1] - count], module.mult * noise], 1)


def sampled(module: Any, x: list[Array]) -> Array:
    pl.manualSeed(SEED)
    return x[0] + np.exp(x[1] / 2) * random.normal(0, 1, x[0].shape, np.float64)


def louder(cls: Any, count: int) -> Any:
    layer = cls(count)
    layer.mult = 0.3
    return layer


# ------------------------------------------------------------------------------------------------ sequences


def sequence_wise(module: Any, x: Array) -> Array:
    linear = module.modules[1]
    return x @ linear.weight.T + linear.bias


def batch_rnn(module: Any, x: Array) -> Array:
    sums = x @ module.modules[1].weight.T
    norm, rnn = module.modules[2], module.rnn
    rows = sums.reshape(-1, sums.shape[-1])
    normed = (sums - rows.mean(0)) / np.sqrt(rows.var(0) + norm.eps) * norm.weight + norm.bias
    outputs = []
    for (_, matrix), (bias, bias2) in zip(rnn.weights(), rnn.biases(), strict=True):
        steps = normed[::-1] if outputs else normed
        h, states = np.zeros_like(normed[0]), []
        for step in steps:
            h = np.maximum(step + bias + h @ matrix.T + bias2, 0)
            states.append(h)
        outputs.append(np.array(states[::-1] if outputs else states))
    if "ReLU" in module._typename:
        outputs = [np.minimum(output, 20) for output in outputs]
    return sum(outputs[1:], start=outputs[0])


def lstm_gates(sums: Array, c: Array) -> tuple[Array, Array]:
    i, f, o, g = np.split(sums, 4, 1)
    c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
    return c, sigmoid(o) * np.tanh(c)


def lstm_layer(module: Any, x: list[Array]) -> list[Array]:
    W, b, R, d = module.lstmUnit.parameters()[0]
    c = h = np.zeros((len(x[0]), module.nHidden))
    outputs = []
    for step in x[::-1] if module.reverse else x:
        c, h = lstm_gates(step @ W.T + b + h @ R.T + d, c)
        outputs.append(h)
    return outputs[::-1] if module.reverse else outputs


def joined_steps(module: Any, x: list[list[Array]]) -> list[Array]:
    W, b, V, d = module.joinUnit.parameters()[0]
    return [one @ W.T + b + other @ V.T + d for one, other in zip(*x, strict=True)]


def shared_linear(module: Any, x: list[Array]) -> list[Array]:
    weight, bias = module.unit.weight, module.unit.bias
    return [entry @ weight.T + bias for entry in x]


def steps(count: int, *shape: int) -> Callable[[Generator], list[Array]]:
    return normals(*[shape] * count)


# ------------------------------------------------------------------------------------------------ optical flow


def enlarged(module: Any, x: Array) -> Array:
    """Linear interpolation along one axis after the other, by matrices."""
    for axis in (-3, -2):
        size = x.shape[axis]
        target = int(module.scale * size)
        places = np.arange(target) * ((size - 1) / (target - 1) if target > 1 else 0)
        matrix = np.maximum(0, 1 - np.abs(places[:, None] - np.arange(size)))
        x = np.moveaxis(np.tensordot(matrix, x, (1, axis)), 0, axis)
    return x


def moved(module: Any, x: list[Array]) -> Array:
    images, flows = (array[None] if array.ndim == 3 else array for array in x)
    _, H, W, _ = images.shape
    output = np.zeros((*flows.shape[:-1], images.shape[-1]))
    for n, h, w in np.ndindex(flows.shape[:-1]):
        u, v = flows[n, h, w]
        row, column = min(max(h + v, 0), H - 1), min(max(w + u, 0), W - 1)
        for i in range(H):
            for j in range(W):
                output[n, h, w] += max(0, 1 - abs(row - i)) * max(0, 1 - abs(column - j)) * images[n, i, j]
    return output if x[0].ndim == 4 else output[0]


def cost_volume(module: Any, x: list[Array]) -> Array:
    first, *others = x
    N, C, H, W = first.shape
    reach, sign = module.win // 2, 1 if module.fwd else -1
    planes = []
    for a in range(-reach, reach + 1):
        for b in range(-reach, reach + 1):
            plane = np.zeros((N, H, W))
            for f, other in enumerate(others, 1):
                for h, w in np.ndindex(H, W):
                    i, j = h - sign * f * b, w - sign * f * a
                    if 0 <= i < H and 0 <= j < W:
                        plane[:, h, w] += (first[:, :, h, w] * other[:, :, i, j]).sum(1)
            planes.append(plane / (C * len(others)))
    return np.stack(planes, 1)


# ------------------------------------------------------------------------------------------------ first GPU layers


def convolved_last(module: Any, x: Array) -> Array:
    before = module.padding // 2
    padded = np.pad(x, ((0, 0), (before, module.padding - before), (before, module.padding - before), (0, 0)))
    kH, kW, dH, dW = module.kH, module.kW, module.dH, module.dW
    oH, oW = (padded.shape[1] - kH) // dH + 1, (padded.shape[2] - kW) // dW + 1
    output = np.empty((module.nOutputPlane, oH, oW, x.shape[3]))
    for h, w in np.ndindex(oH, oW):
        window = padded[:, h * dH : h * dH + kH, w * dW : w * dW + kW]
        output[:, h, w] = np.tensordot(module.weight, window, ((0, 1, 2), (0, 1, 2))) + module.bias[:, None]
    return output


def pooled_last(module: Any, x: Array) -> Array:
    kH, kW, dH, dW = module.kH, module.kW, module.dH, module.dW
    oH, oW = (x.shape[1] - kH) // dH + 1, (x.shape[2] - kW) // dW + 1
    output = np.empty((len(x), oH, oW, x.shape[3]))
    for h, w in np.ndindex(oH, oW):
        output[:, h, w] = x[:, h * dH : h * dH + kH, w * dW : w * dW + kW].max((1, 2))
    return output


# ------------------------------------------------------------------------------------------------ learned units


def pelu(module: Any, x: Array) -> Array:
    a, b = module.weight.astype(np.float64)
    return np.where(x >= 0, a / b * x, a * (np.exp(np.minimum(x, 0) / b) - 1))


def biased(module: Any, x: Array) -> Array:
    bias = module.bias.astype(np.float64)
    if module.size == 1:
        return x + bias[0]
    return x + (bias[:, None, None] if module.numInputDims == 3 or x.ndim == 3 else bias.reshape(-1, *[1] * (x.ndim - 2)))


FIXED = ("gradParameters", "accumulate", "halves")  # its weight is not learned
OWN = ("own_results",)  # one module's result may lie where the next one's input does
GRAPH = (
    *OWN,
    "strided",
    "expanded",
    "history",
    "nan_arrives",
    "nonfinite",
    "wrong_rank",
    "wrong_batch",
    "wrong_width",
    "readonly",
    "overwrite",
    "untouched",
)  # its modules have cases of their own
LARGE_GRAPH = (*GRAPH, "batch", "copies", "accumulate")  # another case of the class has them
FORWARD_SETS_WEIGHT = ("accumulate", "halves")  # its weight is outside the range before the first pass, and inside it after


# ------------------------------------------------------------------------------------------------ OpenNMT


def onmt_lstm(module: Any, x: list[Array]) -> list[Array]:
    *states, y = x
    parameters, outputs = module.parameters()[0], []
    for i in range(len(states) // 2):
        W, b, R, d = parameters[4 * i : 4 * i + 4]
        if i:
            isAdded = hasattr(module, "residual") and (i > 1 or x[-1].shape == outputs[-1].shape)
            y = outputs[-1] + y if isAdded else outputs[-1]
        c, h = states[2 * i : 2 * i + 2]
        outputs += lstm_gates(y @ W.T + b + h @ R.T + d, c)
    return outputs


def residual(cls: Any, *sizes: int) -> Any:
    module = cls(*sizes, residual=True)
    module.residual = True  # for the reference
    return module


def onmt_gru(module: Any, x: list[Array]) -> list[Array] | Array:
    *states, y = x
    parameters, outputs = module.parameters()[0], []
    for i, h in enumerate(states):
        W, b, R, d = parameters[4 * i : 4 * i + 4]
        (xr, xi, xn), (hr, hi, hn) = np.split(y @ W.T + b, 3, 1), np.split(h @ R.T + d, 3, 1)
        r, gate = sigmoid(xr + hr), sigmoid(xi + hi)
        n = np.tanh(xn + r * hn)
        isAdded = hasattr(module, "residual") and (i > 0 or x[-1].shape == h.shape)
        outputs.append((1 - gate) * n + gate * h)
        y = outputs[-1] + y if isAdded else outputs[-1]
    return outputs if len(outputs) > 1 else outputs[0]


def softmax(x: Array) -> Array:
    powers = np.exp(x - x.max(-1, keepdims=True))
    return powers / powers.sum(-1, keepdims=True)


def generated(module: Any, x: Array) -> list[Array]:
    parameters = module.parameters()[0]
    return [np.log(softmax(x @ W.T + b)) for W, b in zip(parameters[::2], parameters[1::2], strict=True)]


def attended(module: Any, x: list[Array]) -> Array:
    query, context = x
    first, second = module.parameters()[0]
    weights = softmax(np.einsum("ntd,nd->nt", context, query @ first.T))
    mean = np.einsum("nt,ntd->nd", weights, context)
    return np.tanh(np.concatenate([mean, query], 1) @ second.T)


def last_of_context(module: Any, x: list[Array]) -> Array:
    return np.tanh(np.concatenate([x[1][:, -1], x[0]], 1) @ module.parameters()[0][0].T)


def masked_softmax(*lengths: int) -> Callable[[Any, Array], Array]:
    def reference(module: Any, x: Array) -> Array:
        output = np.zeros_like(x)
        for row, length in enumerate(lengths):
            output[row, -length:] = softmax(x[row])[-length:]
        return output / (output.sum(1, keepdims=True) + 1e-10)

    return reference


def bridged(module: Any, x: list[Array]) -> list[Array]:
    linear = module.net.modules[1]
    sums = np.concatenate(x, 1) @ linear.weight.T
    made = np.tanh(sums) if len(module.net.modules) == 5 else sums
    return np.split(made, len(linear.weight) // 4, 1)


def repeated(across: int, axis: int) -> Callable[[Any, list[Array]], Array]:
    def reference(module: Any, x: list[Array]) -> Array:
        size = max(array.shape[across] for array in x)
        return np.concatenate([np.repeat(array, size if array.shape[across] == 1 else 1, across) for array in x], axis)

    return reference


# ------------------------------------------------------------------------------------------------ criterions


def clipped_mse(module: Any, x: Array, target: Array) -> float:
    return float(((np.clip(x, module.min, module.max) - target.reshape(x.shape)) ** 2).mean())


def huber(difference: Array, gamma: float) -> float:
    size = np.abs(difference)
    return float(np.where(size < gamma, difference**2 / 2, gamma * (size - gamma / 2)).mean())


WEIGHTS = np.linspace(-1, 2, 12).reshape(3, 4)


def weighted_huber(module: Any, x: Array, target: Array) -> float:
    clip = getattr(module, "clip", (-np.inf, np.inf))
    return huber((np.clip(x, *clip) - target) * WEIGHTS.astype("f"), module.gamma)


def weighted_squares(module: Any, x: Array, target: Array) -> float:
    return float((((x - target) * WEIGHTS.astype("f")) ** 2).mean())


def convolved(x: Array, weight: Array) -> Array:
    windows = np.lib.stride_tricks.sliding_window_view(x, weight.shape[-2:], (2, 3))
    return np.einsum("ncijhw,ochw->noij", windows, weight)


def local_patterns(module: Any, x: Array, target: Array) -> float:
    filters = module.filter1.modules if hasattr(module.filter1, "modules") else [module.filter1]
    images = [np.clip(image.reshape(-1, module.ch, 5, 5), 0, 1) for image in (x, target)]
    for layer in filters:
        images = [convolved(image, layer.weight) for image in images]
    return huber(images[0] - images[1], module.gamma)


def divergence(module: Any, x: Any, target: Any) -> float:
    if not isinstance(x, list):
        return float(0.5 * (np.exp(target) + x**2 - 1 - target).sum())
    (mean, log), (otherMean, otherLog) = x, target
    return float(0.5 * (log - otherLog - 1 + (np.exp(otherLog) + (mean - otherMean) ** 2) / np.exp(log)).sum())


def endpoint_error(module: Any, x: Array, target: Array) -> float:
    return float(np.sqrt(((x - target) ** 2).sum(1)).mean())


def mean_of_losses(module: Any, x: Any, target: Array) -> float:
    entries = x if isinstance(x, list) else [x]
    return float(np.mean([(np.abs(entry - target)).mean() for entry in entries]))


def auxiliary() -> Any:
    loss = authors.AuxiliaryLossCriterion(nn.AbsCriterion)
    loss.sizeAverage = True
    return loss


def inside(*shape: int) -> Callable[[Generator], Array]:
    """An input in the range: outside of it, gradients are those of an unlimited input."""
    return lambda rng: rng.uniform(0.05, 0.95, shape)


SETS: dict[str, list[Case]] = {
    "SpatialCircularPadding": borders(authors.SpatialCircularPadding, circular),
    "SpatialSymmetricPadding": borders(authors.SpatialSymmetricPadding, symmetric),
    "GenNoise": [Case("scaled", lambda: louder(authors.GenNoise, 3), normal(2, 2, 3, 4), gaussian, batched=False)],
    "NoiseFill": [
        Case("one_channel", lambda: louder(authors.NoiseFill, 1), normal(2, 3, 2, 4), filled, batched=False),
        Case("no_channel", lambda: authors.NoiseFill(0), normal(2, 3, 2, 4), filled, singleSample=False),
        Case("all_channels", lambda: authors.NoiseFill(2), normal(2, 2, 2, 4), filled, batched=False),
    ],
    "GaussianSampler": [
        Case("matrix", authors.GaussianSampler, normals((3, 4), (3, 4)), sampled, batched=False),
        Case("images", authors.GaussianSampler, normals((2, 2, 3, 1), (2, 2, 3, 1)), sampled, batched=False),
    ],
    "SequenceWise": [
        Case("linear", lambda: authors.SequenceWise(nn.Linear(3, 2)), normal(4, 2, 3), sequence_wise, batched=False),
        Case("one_step", lambda: authors.SequenceWise(nn.Linear(3, 2)), normal(1, 3, 3), sequence_wise, batched=False),
    ],
    **{
        cls.__name__: [Case("training", lambda cls=cls: cls(3, 2), normal(4, 3, 3), batch_rnn, batched=False,
                             skip=("nonfinite",))]  # a ReLU hides from the check what the batch normalization reaches
        for cls in (authors.BatchRNN, authors.BatchRNNReLU, authors.BatchBRNN, authors.BatchBRNNReLU)
    },
    "LstmLayer": [
        Case("forward", lambda: authors.LstmLayer(3, 2, 9), steps(4, 3, 3), lstm_layer, singleSample=False, skip=GRAPH),
        Case("reverse", lambda: authors.LstmLayer(3, 2, 9, 0, True), steps(4, 3, 3), lstm_layer, singleSample=False,
             skip=LARGE_GRAPH),
        Case("one_step", lambda: authors.LstmLayer(3, 2, 9), steps(1, 3, 3), lstm_layer, singleSample=False,
             skip=LARGE_GRAPH),
    ],
    "BiRnnJoin": [
        Case(
            "three_steps",
            lambda: authors.BiRnnJoin(3, 2, 9),
            lambda rng: [steps(3, 2, 3)(rng), steps(3, 2, 3)(rng)],
            joined_steps,
            singleSample=False,
            skip=GRAPH,
        )
    ],
    "SharedParallelTable": [
        Case("linear", lambda: authors.SharedParallelTable(nn.Linear(3, 2), 9), steps(3, 2, 3), shared_linear, skip=OWN),
        Case("sizes", lambda: authors.SharedParallelTable(nn.Linear(3, 2), 9), normals((2, 3), (4, 3)), shared_linear,
             batched=False, skip=OWN),
    ],
    "ScaleBHWD": [
        Case("twice", lambda: authors.ScaleBHWD(2), normal(2, 3, 4, 2), enlarged),
        Case("half", lambda: authors.ScaleBHWD(0.5), normal(2, 4, 5, 2), enlarged),
        Case("one_cell", lambda: authors.ScaleBHWD(3), normal(2, 1, 1, 2), enlarged),
        Case("fraction", lambda: authors.ScaleBHWD(1.7), normal(2, 3, 4, 1), enlarged),
    ],
    "FlowSamplerBHWD": [
        Case("near_and_far", authors.FlowSamplerBHWD,
             lambda rng: [rng.standard_normal((2, 3, 4, 2)), 2 * rng.standard_normal((2, 3, 4, 2))], moved),
        Case("larger_grid", authors.FlowSamplerBHWD, normals((2, 3, 2, 1), (2, 5, 4, 2)), moved),
        Case("one_cell", authors.FlowSamplerBHWD, normals((2, 1, 1, 3), (2, 2, 2, 2)), moved,
             skip=("nonfinite",)),  # no offset has an effect, but that of NaN
    ],
    "CostVolMulti": [
        Case("two_frames", authors.CostVolMulti, normals((2, 3, 3, 4), (2, 3, 3, 4)), cost_volume, singleSample=False),
        Case("backward", lambda: authors.CostVolMulti(3, False), normals((2, 3, 3, 4), (2, 3, 3, 4)), cost_volume,
             singleSample=False),
        Case("three_frames", lambda: authors.CostVolMulti(5), normals(*[(1, 2, 4, 5)] * 3), cost_volume, singleSample=False),
        Case("wider_than_the_image", lambda: authors.CostVolMulti(7), normals(*[(1, 2, 2, 3)] * 2), cost_volume,
             singleSample=False),
    ],
    "SpatialConvolutionCUDA": [
        Case("plain", lambda: authors.SpatialConvolutionCUDA(3, 2, 2, 3), normal(3, 5, 4, 2), convolved_last, batched=False),
        Case("stride_and_padding", lambda: authors.SpatialConvolutionCUDA(2, 3, 3, 3, 2, 2, 3), normal(2, 5, 5, 2),
             convolved_last, batched=False),
    ],
    "SpatialMaxPoolingCUDA": [
        Case("plain", lambda: authors.SpatialMaxPoolingCUDA(2, 3), normal(2, 6, 5, 2), pooled_last, batched=False),
        Case("overlapping", lambda: authors.SpatialMaxPoolingCUDA(3, 2, 1, 2), normal(2, 5, 5, 2), pooled_last,
             batched=False),
    ],
    "ConstrainedMul": [
        Case("vector", authors.ConstrainedMul, normal(3, 4), lambda m, x: x * m.weight[0], skip=FORWARD_SETS_WEIGHT),
        Case("inplace", lambda: authors.ConstrainedMul(True), normal(3, 4), lambda m, x: x * m.weight[0], inplace=True,
             skip=(*FORWARD_SETS_WEIGHT, "inplace", "readonly")),  # gradInput is no view; the restored input is rounded
    ],
    "ConstrainedDiv": [
        Case("vector", authors.ConstrainedDiv, normal(3, 4), lambda m, x: x / m.weight[0], skip=FORWARD_SETS_WEIGHT),
    ],
    "PELU": [Case("matrix", authors.PELU, normal(3, 4), pelu, skip=FORWARD_SETS_WEIGHT)],
    "FReLU": [Case("matrix", authors.FReLU, normal(3, 4), lambda m, x: np.maximum(x, 0) + m.bias[0])],
    "MyAdd": [
        Case("one", authors.MyAdd, normal(3, 4), biased),
        Case("channels", lambda: authors.MyAdd(3), normal(2, 3, 2, 2), biased, singleSample=False),
        Case("samples", lambda: authors.MyAdd(3, 0).setNumInputDims(3), normal(2, 3, 2, 2), biased),
        Case("inplace", lambda: authors.MyAdd(3, inplace=True), normal(2, 3), biased, inplace=True, singleSample=False),
    ],
    "GradWeight": [Case("plain", lambda: authors.GradWeight(0.5), normal(3, 4), lambda m, x: x, jacobian=False)],
    "EdgeFilter": [
        Case("fixed", lambda: authors.EdgeFilter(2), normal(2, 2, 4, 5), lambda m, x: convolved(x, m.weight), skip=FIXED),
    ],
    "RandomBinaryConvolution": [
        Case("fixed", lambda: authors.RandomBinaryConvolution(2, 5, 3, 2), normal(2, 2, 4, 5),
             lambda m, x: convolved(x, m.weight), skip=FIXED),
    ],
    "OnmtNetwork": [
        Case("linear", lambda: authors.OnmtNetwork(nn.Linear(3, 2)), normal(4, 3),
             lambda m, x: x @ m.net.weight.T + m.net.bias),
    ],
    "OnmtLSTM": [
        Case("one_layer", lambda: authors.OnmtLSTM(1, 3, 2), normals((4, 2), (4, 2), (4, 3)), onmt_lstm,
             singleSample=False, skip=GRAPH),
        Case("three_layers", lambda: authors.OnmtLSTM(3, 2, 4), normals(*[(3, 4)] * 6, (3, 2)), onmt_lstm,
             singleSample=False, skip=LARGE_GRAPH),
        Case("residual", lambda: residual(authors.OnmtLSTM, 3, 2, 4), normals(*[(3, 4)] * 6, (3, 2)), onmt_lstm,
             singleSample=False, skip=LARGE_GRAPH),
        Case("residual_of_the_input", lambda: residual(authors.OnmtLSTM, 2, 4, 4), normals(*[(3, 4)] * 5), onmt_lstm,
             singleSample=False, skip=LARGE_GRAPH),
    ],
    "OnmtGRU": [
        Case("one_layer", lambda: authors.OnmtGRU(1, 3, 2), normals((4, 2), (4, 3)), onmt_gru, singleSample=False,
             skip=GRAPH),
        Case("residual", lambda: residual(authors.OnmtGRU, 3, 2, 4), normals(*[(3, 4)] * 3, (3, 2)), onmt_gru,
             singleSample=False, skip=LARGE_GRAPH),
    ],
    "OnmtGenerator": [
        Case("words", lambda: authors.OnmtGenerator(3, 5), normal(4, 3), generated, skip=OWN),
        Case("features", lambda: authors.OnmtGenerator(3, [5, 2]), normal(4, 3), generated, skip=OWN),
    ],
    "OnmtFeaturesGenerator": [
        Case("features", lambda: authors.OnmtFeaturesGenerator(3, [5, 2]), normal(4, 3), generated, skip=OWN),
    ],
    "OnmtGlobalAttention": [
        Case("four_steps", lambda: authors.OnmtGlobalAttention(3), normals((2, 3), (2, 4, 3)), attended, singleSample=False),
        Case("one_step", lambda: authors.OnmtGlobalAttention(3), normals((2, 3), (2, 1, 3)), attended, singleSample=False),
    ],
    "OnmtNoAttention": [
        Case("four_steps", lambda: authors.OnmtNoAttention(3), normals((2, 3), (2, 4, 3)), last_of_context,
             singleSample=False),
    ],
    "OnmtMaskedSoftmax": [
        Case("three_rows", lambda: authors.OnmtMaskedSoftmax([2, 4, 1], 4), normal(3, 4), masked_softmax(2, 4, 1),
             batched=False, skip=("nonfinite",)),  # the softmax is that of the whole row
    ],
    "OnmtBridge": [
        Case("copy", lambda: authors.OnmtBridge("copy", 3, 2, 3, 2), steps(2, 4, 3), lambda m, x: x,
             skip=("wrong_rank", "wrong_batch", "wrong_width", "wrong_dtype", "untouched")),  # it takes anything
        Case("dense", lambda: authors.OnmtBridge("dense", 3, 2, 4, 3), steps(2, 2, 3), bridged, singleSample=False,
             skip=OWN),
        Case("dense_nonlinear", lambda: authors.OnmtBridge("dense_nonlinear", 3, 2, 4, 1), steps(2, 2, 3), bridged,
             singleSample=False, skip=OWN),
        Case("last", lambda: authors.OnmtBridge("last", 3, 3, 3, 2), steps(3, 2, 3), lambda m, x: x[1:],
             skip=(*OWN, "wrong_dtype")),  # nn.NarrowTable hands on arrays of every type
    ],
    "OnmtJoinReplicateTable": [
        Case("repeated", lambda: authors.OnmtJoinReplicateTable(1, 2), normals((2, 1, 3), (2, 4, 2)), repeated(1, 2),
             singleSample=False),
        Case("none_to_repeat", lambda: authors.OnmtJoinReplicateTable(1, 2), normals((2, 4, 3), (2, 4, 2)),
             repeated(1, 2), singleSample=False),
        Case("samples", lambda: authors.OnmtJoinReplicateTable(0, 1, 2), normals((2, 1, 3), (2, 4, 2), (2, 1, 1)),
             repeated(-2, -1)),
        Case("from_the_end", lambda: authors.OnmtJoinReplicateTable(-2, -1), normals((3, 1, 3), (3, 1, 2)),
             repeated(-2, -1)),
    ],
    "ClippedMSECriterion": [
        Case("inside", authors.ClippedMSECriterion, inside(4, 3), clipped_mse, target=normal(4, 3)),
        Case("outside", lambda: authors.ClippedMSECriterion(-0.5, 0.5), normal(4, 3), clipped_mse, target=normal(12),
             jacobian=False),
    ],
    "L1Criterion": [
        Case("matrix", authors.L1Criterion, normal(4, 3), lambda m, x, t: np.abs(x - t).mean(), target=normal(4, 3)),
    ],
    "WeightedHuberCriterion": [
        Case("mixed", lambda: authors.WeightedHuberCriterion(WEIGHTS, 0.7), normal(5, 3, 4), weighted_huber,
             target=normal(5, 3, 4)),
    ],
    "ClippedWeightedHuberCriterion": [
        Case("inside", lambda: authors.ClippedWeightedHuberCriterion(WEIGHTS, 0.5), inside(5, 3, 4), weighted_huber,
             target=normal(5, 3, 4)),
        Case("outside", lambda: authors.ClippedWeightedHuberCriterion(WEIGHTS, 0.5, [-1, 0.5]), normal(5, 3, 4),
             weighted_huber, target=normal(5, 3, 4), jacobian=False),
    ],
    "W2nnWeightedMSECriterion": [
        Case("plain", lambda: authors.W2nnWeightedMSECriterion(WEIGHTS), normal(5, 3, 4), weighted_squares,
             target=normal(5, 3, 4)),
    ],
    "LBPCriterion": [
        Case("one_layer", lambda: authors.LBPCriterion(2, 4), inside(2, 2, 5, 5), local_patterns, target=inside(2, 2, 5, 5)),
        Case("two_layers", lambda: authors.LBPCriterion(1, 3, 2, 2), inside(2, 1, 5, 5), local_patterns,
             target=inside(2, 1, 5, 5)),
        Case("rows", lambda: authors.LBPCriterion(2, 4), inside(2, 50), local_patterns, target=inside(2, 50)),
        Case("outside", lambda: authors.LBPCriterion(2, 4), normal(2, 2, 5, 5), local_patterns, target=normal(2, 2, 5, 5),
             jacobian=False),
    ],
    "RandomBinaryCriterion": [
        Case("plain", lambda: authors.RandomBinaryCriterion(2, 4), inside(2, 2, 5, 5), local_patterns,
             target=inside(2, 2, 5, 5)),
    ],
    "KLDCriterion": [
        Case("from_the_standard", authors.KLDCriterion, normal(3, 4), divergence, target=normal(3, 4),
             skip=("directions", "large_loss")),
        Case("of_two", authors.KLDCriterion, normals((3, 2), (3, 2)), divergence, target=normals((3, 2), (3, 2)),
             skip=("directions", "large_loss")),
    ],
    "EPECriterion": [
        Case("images", authors.EPECriterion, normal(2, 2, 3, 4), endpoint_error, target=normal(2, 2, 3, 4)),
        Case("vectors", authors.EPECriterion, normal(3, 2), endpoint_error, target=normal(3, 2)),
    ],
    "AuxiliaryLossCriterion": [
        Case("table", auxiliary, normals((3, 4), (3, 4), (3, 4)), mean_of_losses, target=normal(3, 4)),
        Case("one_output", auxiliary, normal(3, 4), mean_of_losses, target=normal(3, 4)),
    ],
}  # fmt: skip

CASES: list[tuple[str, Case]] = [(name, case) for name, cases in SETS.items() for case in cases]
