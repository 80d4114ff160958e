"""Layers and criterions that authors wrote for models which they published."""

from math import isqrt

import numpy as np

from pytorch_legacy import authors
from pytorch_legacy.authors.FoldedSequential import FoldedSequential
from pytorch_legacy.nn import check

from ..registry import rule
from ..texts import joined, lacks, limits, number, options, sizes, unfolded
from .container import decorator
from .convolution import convolution
from .criterion import alike
from .linear import fully_connected
from .normalization import STRAIGHT_THROUGH


@rule(authors.SpatialCircularPadding, authors.SpatialSymmetricPadding)
def padding_of_cells(m, x, w):
    name = w.helper('''
def pad_with_cells(x, left, right, top, bottom, mirrored):
    """A border of cells of the image: mirrored at the edge, its outermost cells included, or continued periodically."""
    for axis, before, after in ((-2, top, bottom), (-1, left, right)):
        size = x.shape[axis]
        parts = [x.narrow(axis, max(-before, 0), size + min(before, 0) + min(after, 0))]
        if before > 0:
            parts.insert(0, x.narrow(axis, 0, before).flip(axis) if mirrored else x.narrow(axis, size - before, before))
        if after > 0:
            parts.append(x.narrow(axis, size - after, after).flip(axis) if mirrored else x.narrow(axis, 0, after))
        x = torch.cat(parts, axis)
    return x''')
    mirrored = isinstance(m, authors.SpatialSymmetricPadding)
    return f"{name}({x}, {m.pad_l}, {m.pad_r}, {m.pad_t}, {m.pad_b}, {mirrored})"


# ------------------------------------------------------------------------------------------------ noise


@rule(authors.GenNoise)
def gen_noise(m, x, w):
    w.trust("it draws noise")
    if m.num_planes is not None:
        noise = f"torch.randn({x}.size(0), {m.num_planes}, *{x}.shape[2:], dtype={x}.dtype, device={x}.device)"
        return noise if m.mult == 1 else f"{noise} * {number(float(m.mult))}"
    if m.action == "fix":
        raise lacks(m, 'its action is "fix": the noise of its first pass is not written')
    return f"torch.zeros_like({x})" if m.action == "zero" else f"torch.rand_like({x})"


@rule(authors.NoiseFill)
def noise_fill(m, x, w):
    if not m.num_noise_channels:
        return x
    w.trust("it draws noise")
    kept = f"{x}.size(1) - {m.num_noise_channels}"
    noise = f"torch.rand_like({x}[:, {kept} :])"
    if m.mult != 1:
        noise += f" * {number(float(m.mult))}"
    return f"torch.cat([{x}[:, : {kept}], {noise}], 1)"


@rule(authors.GaussianSampler)
def gaussian_sampler(m, x, w):
    w.trust("it draws noise")
    return f"{x[0]} + ({x[1]} / 2).exp() * torch.randn_like({x[0]})"


# ------------------------------------------------------------------------------------------------ sequences


@rule(FoldedSequential)
def folded_sequential(m, x, w):
    sequences = x
    for i, module in enumerate(m.modules):
        if module is m.view_in:  # the sizes of the views change from call to call
            x = w.let(f"{x}.flatten(0, 1)")
        elif module is m.view_out:
            x = w.let(unfolded(x, f"{sequences}.size(0)", f"{sequences}.size(1)"))
        else:
            x = w.convert(module, x, i)
    return x


_UNTIL_ENDS = '''
def until_ends(x, lengths, reverse=False):
    """Steps of sequences, each one until its end and zero after it; in reverse, each from its end to its start."""
    steps, lengths = torch.arange(x.shape[0], device=x.device)[:, None, None], lengths.long()[:, None]
    if reverse:
        x = x.gather(0, (lengths - 1 - steps).clamp(min=0).expand_as(x))
    return torch.where(steps < lengths, x, 0)'''


@rule(authors.MaskRNN)
def mask_rnn(m, x, w):
    rows, lengths = x
    steps = w.let(unfolded(rows, -1, f"{lengths}.size(0)"))
    name = w.helper(_UNTIL_ENDS)
    backwards = ", True" if isinstance(m, authors.ReverseMaskRNN) else ""
    if backwards:
        steps = w.let(f"{name}({steps}, {lengths}{backwards})")
    y = w.convert(m.modules[0], steps, 0)
    return w.let(f"{name}({y}, {lengths}{backwards}).flatten(0, 1)")


@rule(authors.LstmLayer)
def lstm_layer(m, x, w):
    arrays = m.lstmUnit.parameters()[0]
    H = m.nHidden
    if [array.shape for array in arrays[1:]] != [(4 * H,), (4 * H, H), (4 * H,)]:
        raise lacks(m, "its unit is another one than that of crnn")
    inputs = arrays[0].shape[1]
    swapped = [np.concatenate([array[: 2 * H], array[3 * H :], array[2 * H : 3 * H]]) for array in arrays]
    names = "weight_ih_l0", "bias_ih_l0", "weight_hh_l0", "bias_hh_l0"
    layer = w.layer("lstm", f"nn.LSTM({inputs}, {H})", **dict(zip(names, swapped, strict=True)))
    flip = ".flip(0)" if m.reverse else ""
    steps = f"torch.stack([{joined(x)}]){flip}"
    if m.dropout:
        steps = f"F.dropout({steps}, {number(float(m.dropout))}, self.training)"
    return w.let(f"{layer}({steps})[0]{flip}.unbind(0)", len(x))


@rule(authors.BiRnnJoin)
def bi_rnn_join(m, x, w):
    arrays = m.joinUnit.parameters()[0]
    if [array.ndim for array in arrays] != [2, 1, 2, 1]:
        raise lacks(m, "its unit is another one than that of crnn")
    layers = fully_connected(w, *arrays[:2]), fully_connected(w, *arrays[2:])
    one, other = (f"{layer}(torch.stack([{joined(side)}]))" for layer, side in zip(layers, x, strict=True))
    return w.let(f"({one} + {other}).unbind(0)", len(x[0]))


@rule(authors.SharedParallelTable)
def shared_parallel_table(m, x, w):
    return [w.convert(m.unit, part, 0) for part in x]


# ------------------------------------------------------------------------------------------------ optical flow


def channels_last(x, text):
    """`text`, an expression in ``{x}`` for planes of channels, for images whose channels are the last dimension."""
    if x.ndim == 4:
        return f"{text.replace('{x}', f'{x}.permute(0, 3, 1, 2)')}.permute(0, 2, 3, 1)"
    return f"{text.replace('{x}', f'{x}[None].permute(0, 3, 1, 2)')}.permute(0, 2, 3, 1)[0]"


@rule(authors.ScaleBHWD)
def scale_bhwd(m, x, w):
    w.note("the corners of input and output coincide")
    return channels_last(x, f'F.interpolate({{x}}, scale_factor={number(float(m.scale))}, mode="bilinear", align_corners=True)')


@rule(authors.FlowSamplerBHWD)
def flow_sampler(m, x, w):
    name = w.helper('''
def sample_along(images, flow):
    """Images, channels last, at places that are offsets (x, y) in cells from each cell; the cells at the edge continue."""
    height, width = images.shape[1:3]
    x = (flow[..., 0] + torch.arange(flow.shape[2], device=flow.device)).clamp(0, width - 1)
    y = (flow[..., 1] + torch.arange(flow.shape[1], device=flow.device)[:, None]).clamp(0, height - 1)
    left = x.detach().floor().nan_to_num().clamp(max=width - 2).long()  # -1 is the one column of a narrow image
    top = y.detach().floor().nan_to_num().clamp(max=height - 2).long()
    right, bottom = (left + 1).clamp(max=width - 1), (top + 1).clamp(max=height - 1)
    u, v = (x - left)[..., None], (y - top)[..., None]
    samples = torch.arange(images.shape[0], device=flow.device)[:, None, None]
    upper = images[samples, top, left] * (1 - u) + images[samples, top, right] * u
    lower = images[samples, bottom, left] * (1 - u) + images[samples, bottom, right] * u
    return upper * (1 - v) + lower * v''')
    return f"{name}({joined(x)})" if x[0].ndim == 4 else f"{name}({x[0]}[None], {x[1]}[None])[0]"


@rule(authors.CostVolMulti)
def cost_volume(m, x, w):
    name = w.helper('''
def cost_volume(first, others, window, sign):
    """The mean product of the features of a frame and those of others, moved by each displacement of a window."""
    reach, planes = range(-(window // 2), window // 2 + 1), []
    for a in reach:
        for b in reach:
            total = torch.zeros_like(first[:, 0])
            for f, other in enumerate(others, 1):
                y, x = sign * f * b, sign * f * a
                if abs(y) < first.shape[2] and abs(x) < first.shape[3]:
                    total = total + (first * F.pad(other, (x, -x, y, -y))).sum(1)
            planes.append(total / (first.shape[1] * len(others)))
    return torch.stack(planes, 1)''')
    return f"{name}({x[0]}, [{joined(x[1:])}], {m.win}, {1 if m.fwd else -1})"


# ------------------------------------------------------------------------------------------------ first GPU layers


@rule(authors.SpatialConvolutionCUDA)
def convolution_cuda(m, x, w):
    before, after = m.padding // 2, m.padding - m.padding // 2
    named = {"stride": sizes((m.dH, m.dW)), "padding": str(before if before == after else 0)}
    planes = f"{x}.permute(3, 0, 1, 2)"
    if before != after:
        planes = f"F.pad({planes}, {(before, after) * 2})"
    weight = np.moveaxis(m.weight, -1, 0)
    layer = convolution(w, 2, (m.nInputPlane, m.nOutputPlane), weight, m.bias, **named)
    w.note("the batch is the last dimension")
    return f"{layer}({planes}).permute(1, 2, 3, 0)"


@rule(authors.SpatialMaxPoolingCUDA)
def max_pooling_cuda(m, x, w):
    w.note("the batch is the last dimension")
    return f"F.max_pool2d({x}.permute(3, 0, 1, 2), {(m.kH, m.kW)}, {(m.dH, m.dW)}).permute(1, 2, 3, 0)"


# ------------------------------------------------------------------------------------------------ learned units


def _constrained(m, w):
    """The weight of a factor. The range that each pass keeps it in is not written."""
    m.constrain()  # as each of its passes does
    w.note("in training it kept its number in a range, which is not written")
    return w.parameter("factor", m.weight)


@rule(authors.ConstrainedMul)
def constrained_mul(m, x, w):
    return f"{x} * {_constrained(m, w)}"


@rule(authors.ConstrainedDiv)
def constrained_div(m, x, w):
    return f"{x} / {_constrained(m, w)}"


@rule(authors.PELU)
def pelu(m, x, w):
    name = w.helper('''
def pelu(x, weight):
    """An exponential linear unit with two learned numbers a and b: a / b * x, and a * (exp(x / b) - 1) below 0."""
    a, b = weight.unbind()
    return torch.where(x < 0, a * torch.expm1(x.clamp(max=0) / b), a / b * x)''')
    m.constrain()  # as each of its passes does
    w.note("in training it kept its numbers in a range, which is not written")
    return f"{name}({x}, {w.parameter('weight', m.weight)})"


@rule(authors.FReLU)
def frelu(m, x, w):
    return f"F.relu({x}) + {w.parameter('bias', m.bias)}"


@rule(authors.MyAdd)
def my_add(m, x, w):
    m.constrain()  # as each of its passes does
    if m.isConstrained:
        w.note("in training it kept its numbers below 0, which is not written")
    text = w.parameter("bias", m.bias)
    if m.lr_decay_ != 1:
        text = f"{w.helper(STRAIGHT_THROUGH)}({text}, {text} * {number(float(m.lr_decay_))})"
    behind = x.ndim - 1 - next((axis for axis, size in enumerate(m._shape(x.held[0].numpy())) if size > 1), x.ndim - 1)
    axes = ", None" * behind
    return f"{x} + {text}[:{axes}]" if behind else f"{x} + {text}"


@rule(authors.GradWeight)
def grad_weight(m, x, w):
    w.note("the gradient is multiplied by a number")
    return f"{w.helper(STRAIGHT_THROUGH)}({x}, {x} * {number(float(m.constant_scalar))})"


@rule(authors.EdgeFilter, authors.RandomBinaryConvolution)
def fixed_convolution(m, x, w):
    texts = options(stride=(sizes((m.dH, m.dW)), "1"), padding=(sizes((m.padH, m.padW)), "0"))
    w.note("its weights are not learned")
    return f"F.conv2d({x}, {w.buffer('filters', m.weight)}{texts})"


# ------------------------------------------------------------------------------------------------ OpenNMT


@rule(authors.OnmtGenerator)
def onmt_generator(m, x, w):
    y = decorator(m, x, w)
    return y if isinstance(y, list) else [y]


@rule(authors.OnmtBridge)
def onmt_bridge(m, x, w):
    if not m.modules:
        raise lacks(m, "it gives no states")
    return decorator(m, x, w)


@rule(authors.OnmtJoinReplicateTable)
def join_replicate_table(m, x, w):
    name = w.helper('''
def cat_repeated(parts, across, dim):
    """One part after the other along dim; those of size 1 along another dimension are repeated there."""
    size = max(part.size(across) for part in parts)
    return torch.cat([part.expand([size if i == across else -1 for i in range(part.ndim)]) for part in parts], dim)''')
    rank = x[0].ndim
    batch = check.batched(rank, m.nInputDims)
    across, dim = (check.axis(m, dimension, rank, batch=batch) for dimension in (m.dimensionReplicate, m.dimensionJoin))
    return f"{name}([{joined(x)}], {across}, {dim})"


# ------------------------------------------------------------------------------------------------ criterions


def _clamped(w, x, low, high):
    """`x` in a range, with the gradient that `x` has without it."""
    w.note("the gradient passes everywhere")
    return f"{w.helper(STRAIGHT_THROUGH)}({x}.clamp({limits(low, high)}), {x})"


@rule(authors.ClippedMSECriterion)
def clipped_mse(m, x, w):
    return f"F.mse_loss({_clamped(w, x[0], m.min, m.max)}, {alike(*x)})"


@rule(authors.WeightedHuberCriterion)
def weighted_huber(m, x, w):
    weights = w.buffer("weights", m.weight)
    clip = getattr(m, "clip", None)
    input = x[0] if clip is None else _clamped(w, x[0], *clip)
    return f"F.huber_loss({weights} * {input}, {weights} * {alike(*x)}, delta={number(float(m.gamma))})"


@rule(authors.W2nnWeightedMSECriterion)
def weighted_squares(m, x, w):
    weights = w.buffer("weights", m.weight)
    return f"F.mse_loss({weights} * {x[0]}, {weights} * {alike(*x)})"


@rule(authors.LBPCriterion)
def local_patterns(m, x, w):
    images = [w.let(_clamped(w, x[0], 0, 1)), w.let(f"{x[1]}.clamp({limits(0, 1)})")]
    if x[0].ndim == 2:
        if x[0].shape[1] is None:
            raise lacks(m, "the size of its images varies; give examples of one size")
        size = isqrt(x[0].shape[1] // m.ch)
        images = [w.let(f"{image}.unflatten(1, {(m.ch, size, size)})") for image in images]
    of_input, of_target = (w.convert(m.filter1, image, place) for image, place in zip(images, ("input", "target"), strict=True))
    return f"F.huber_loss({of_input}, {of_target}, delta={number(float(m.gamma))})"


@rule(authors.KLDCriterion)
def divergence(m, x, w):
    name = w.helper('''
def normal_divergence(mean, log, other_mean, other_log):
    """The Kullback-Leibler divergence of the second from the first normal distribution; logarithms of variances."""
    distances = ((other_log - log).exp() + (mean - other_mean) ** 2 * (-log).exp()).sum()
    return (distances + (log - other_log - 1).sum()) / 2''')
    if isinstance(x[0], list):
        return f"{name}({joined([*x[0], *x[1]])})"
    zeros = w.let(f"torch.zeros_like({x[0]})")
    return f"{name}({zeros}, {zeros}, {joined(x)})"


@rule(authors.EPECriterion)
def endpoint_error(m, x, w):
    return f"torch.linalg.vector_norm({x[0]} - {alike(*x)}, dim=1).mean()"


@rule(authors.AuxiliaryLossCriterion)
def auxiliary_loss_criterion(m, x, w):
    entries = x[0] if isinstance(x[0], list) else [x[0]]
    losses = [w.convert(m._criterion(i), [entry, x[1]], "criterions", i) for i, entry in enumerate(entries)]
    total = " + ".join(map(str, losses))
    return f"({total}) / {len(losses)}" if len(losses) > 1 else total
