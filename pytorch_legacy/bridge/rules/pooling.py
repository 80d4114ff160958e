"""Pooling: windows, adaptive, global, over time; our own layers are written out."""

from math import inf, prod

from pytorch_legacy import nn

from ..registry import rule
from ..texts import field, lacks, number, options, sizes, unbatched

WINDOWS = '''
def windows(x, kernel, stride, padding, ceil_mode=False, value=0.0):
    """The windows over the last dimensions of x, each as one dimension at the end. Cells outside have the value."""
    pads = []
    for k, d, p in zip(kernel, stride, padding):
        pads = [p, min(p + d - 1, k - 1) if ceil_mode else p, *pads]  # no window starts behind the input
    x = F.pad(x, pads, value=value)
    for k, d in zip(kernel, stride):
        x = x.unfold(-len(kernel), k, d)
    x = x.clone(memory_format=torch.contiguous_format)  # flatten, which copies too, has torch.export note that no size be 1
    return x.flatten(-len(kernel))'''


PADS = '''
def pool_pads(kernel, stride, padding, ceil_mode=False, dilation=(1, 1, 1)):
    """What F.pad puts around the last dimensions so that all windows lie within."""
    pads = []
    for k, d, p, apart in zip(kernel, stride, padding, dilation):
        pads = [p, min(p + d - 1, apart * (k - 1)) if ceil_mode else p, *pads]  # no window starts behind the input
    return pads'''

DILATED = '''
def dilated_max_pool(x, kernel, stride, padding, dilation, ceil_mode=False):
    """F.max_pool2d or 3d; the maximum of a window that has no cell of x is 0."""
    pads, pool = pool_pads(kernel, stride, padding, ceil_mode, dilation), {2: F.max_pool2d, 3: F.max_pool3d}[len(kernel)]
    seen = pool(F.pad(torch.ones_like(x.narrow(-1 - len(kernel), 0, 1)), pads), kernel, stride, 0, dilation)
    y = pool(F.pad(x, pads, value=float("-inf")), kernel, stride, 0, dilation)
    return torch.where(seen > 0, y, 0.0)'''

SMALL_VOLUMES = '''
def small_avg_pool3d(x, kernel, stride, padding, ceil_mode=False, count_include_pad=True):
    """F.avg_pool3d, of volumes that are smaller than the kernel, too."""
    pads, border = pool_pads(kernel, stride, padding, ceil_mode), pool_pads(kernel, (1, 1, 1), padding)
    ones = torch.ones_like(x.narrow(-4, 0, 1))
    if count_include_pad:
        ones, rest = F.pad(ones, border, value=1.0), [pad - p for pad, p in zip(pads, border)]
    else:
        rest = pads
    return F.avg_pool3d(F.pad(x, pads), kernel, stride) / F.avg_pool3d(F.pad(ones, rest), kernel, stride)'''


def window(m):
    """Kernel and stride, padding and ceil_mode where they are not usual."""
    kernel = sizes(field(m, "k"))
    padding = sizes(field(m, "pad") or [0])
    return kernel + options(
        stride=(sizes(field(m, "d")), kernel), padding=(padding, "0"), ceil_mode=(bool(getattr(m, "ceil_mode", False)), False)
    )


def arguments(m):
    """The same for functions of ours, which take tuples: kernel, stride, padding, and ceil_mode where it is not usual."""
    tuples = (tuple(field(m, "k")), tuple(field(m, "d")), tuple(field(m, "pad")))
    return ", ".join(map(str, tuples)) + options(ceil_mode=(bool(m.ceil_mode), False))


def sums(m, x, w):
    """The sums of windows. (PyTorch has ``divisor_override`` for them, which its exporter to ONNX leaves out.)"""
    kernel = field(m, "k")
    if not m.ceil_mode:
        return f"F.avg_pool{len(kernel)}d({x}, {window(m)}) * {number(float(prod(kernel)))}"
    w.helper(WINDOWS)
    return f"windows({x}, {arguments(m)}).sum(-1)"


def over_frames(x, text):
    """Torch7 has frames before features: `text` is an expression in ``{x}`` with frames at the end."""
    return f"{text.replace('{x}', f'{x}.transpose(-1, -2)')}.transpose(-1, -2)"


@rule(nn.SpatialMaxPooling, nn.SpatialDilatedMaxPooling, nn.VolumetricMaxPooling, nn.VolumetricDilatedMaxPooling)
def max_pool(m, x, w):
    dilation = field(m, "dilation") or [1]
    if id(m) not in w.unpooled and any(p and apart > 1 for p, apart in zip(field(m, "pad"), dilation, strict=False)):
        w.helper(PADS)  # there, the cells of a window may lie on both sides of a small input
        kernel, _, ceil_mode = arguments(m).partition(", ceil_mode")
        return f"{w.helper(DILATED)}({x}, {kernel}, {tuple(dilation)}{_}{ceil_mode})"
    text = f"F.max_pool{len(field(m, 'k'))}d({x}, {window(m)}{options(dilation=(sizes(dilation), '1'))}"
    if id(m) not in w.unpooled:
        return f"{text})"
    y, indices = w.let(f"{text}, return_indices=True)", 2)
    w.pooled[id(m)] = x, indices
    return y


@rule(nn.SpatialMaxUnpooling, nn.VolumetricMaxUnpooling)
def max_unpool(m, x, w):
    if id(m.pooling) not in w.pooled:
        raise lacks(m, "its pooling layer does not run before it in this network")
    before, indices = w.pooled[id(m.pooling)]
    ours = []
    for i, array in enumerate(before.arrays):
        m.pooling.forward(array)
        ours.append(m.forward(x.arrays[i].copy()).copy())
    p, rank = m.pooling, len(field(m.pooling, "k"))
    kernel = sizes(field(p, "k"))
    more = options(stride=(sizes(field(p, "d")), kernel), padding=(sizes(field(p, "pad")), "0"))
    return w.checked(ours, f"F.max_unpool{rank}d({x}, {indices}, {kernel}{more}, output_size={before}.shape[-{rank}:])")


@rule(nn.SpatialAveragePooling, nn.VolumetricAveragePooling)
def average_pool(m, x, w):
    counted = bool(getattr(m, "count_include_pad", True))
    kernel, counting = field(m, "k"), options(count_include_pad=(counted, True))
    average = f"F.avg_pool{len(kernel)}d({x}, {window(m)}{counting})"
    if len(kernel) == 3 and any(size < k for array in x.arrays for size, k in zip(array.shape[-3:], kernel, strict=True)):
        w.helper(PADS)  # PyTorch refuses such volumes, even where their padding makes up for it
        average = f"{w.helper(SMALL_VOLUMES)}({x}, {arguments(m)}{counting})"
    # Torch7 multiplies by the size of a whole window at the edge too, where there is a part of one: that is no sum.
    return average if len(kernel) == 3 or getattr(m, "divide", True) else f"{average} * {number(float(prod(kernel)))}"


@rule(nn.TemporalMaxPooling)
def temporal_max_pool(m, x, w):
    return over_frames(x, f"F.max_pool1d({{x}}, {sizes([m.kW])}{options(stride=(m.dW, m.kW))})")


@rule(nn.TemporalAveragePooling)
def temporal_average_pool(m, x, w):
    return over_frames(
        x, f"F.avg_pool1d({{x}}, {window(m)}{options(count_include_pad=(bool(getattr(m, 'count_include_pad', True)), True))})"
    )


@rule(
    nn.SpatialAdaptiveAveragePooling,
    nn.VolumetricAdaptiveAveragePooling,
    nn.SpatialAdaptiveMaxPooling,
    nn.VolumetricAdaptiveMaxPooling,
)
def adaptive_pool(m, x, w):
    kind = "max" if "Max" in type(m).__name__ else "avg"
    wanted = [getattr(m, axis) for axis in "THW" if axis in m._axes]
    text = str(wanted[0]) if len(set(wanted)) == 1 and wanted[0] is not None else str(tuple(wanted))
    return f"F.adaptive_{kind}_pool{len(wanted)}d({x}, {text})"


def over_time(m, x, text):
    """`text`, an expression in ``{x}`` with frames at the end, for layers whose files of version 1 had them there."""
    return over_frames(x, text) if m._version == 2 else text.replace("{x}", str(x))


@rule(nn.TemporalAdaptiveAveragePooling, nn.TemporalAdaptiveMaxPooling)
def temporal_adaptive_pool(m, x, w):
    kind = "max" if isinstance(m, nn.TemporalAdaptiveMaxPooling) else "avg"
    return over_time(m, x, f"F.adaptive_{kind}_pool1d({{x}}, {w.shape_after(m, x)[-m._version]})")


@rule(
    nn.SpatialGlobalAveragePooling, nn.VolumetricGlobalAveragePooling, nn.SpatialGlobalMaxPooling, nn.VolumetricGlobalMaxPooling
)
def global_pool(m, x, w):
    dims = "(-2, -1)" if "Spatial" in type(m).__name__ else "(-3, -2, -1)"
    return _over(m, x, w, dims)


@rule(nn.TemporalGlobalAveragePooling, nn.TemporalGlobalMaxPooling)
def temporal_global_pool(m, x, w):
    return _over(m, x, w, f"-{int(m._version)}")


def _over(m, x, w, dims):
    kept = ", keepdim=True" if len(w.shape_after(m, x)) == x.ndim else ""
    if "Max" not in type(m).__name__:
        return f"{x}.mean({dims}{kept})"
    w.note("equal maxima share the gradient")
    return f"{x}.amax({dims}{kept})"


@rule(nn.TemporalDynamicKMaxPooling)
def k_max_pool(m, x, w):
    k = w.shape_after(m, x)[-2]
    if k is None:
        raise lacks(m, "how many frames are kept varies with the input; give examples of one length")
    name = w.helper('''
def k_largest(x, k):
    """The k largest frames of each feature, of equal ones the first, in the order in which they came."""
    places = x.sort(dim=-2, descending=True, stable=True).indices  # topk takes any of those that are equal
    return x.gather(-2, places.narrow(-2, 0, k).sort(-2).values)''')
    return f"{name}({x}, {k})"


@rule(nn.SpatialLPPooling, nn.SpatialPowerAveragePooling)
def power_pool(m, x, w):
    if m.p == inf:
        return f"F.max_pool2d({x}.abs(), {window(m)})"
    signed = isinstance(m, nn.SpatialLPPooling)
    powers = {1: str(x) if signed else f"{x}.abs()", 2: f"{x}.square()"}
    power = powers.get(m.p, f"{x if signed else f'{x}.abs()'}.pow({number(m.p)})")
    total = sums(m, power, w)
    return {1: total, 2: f"({total}).sqrt()"}.get(m.p, f"({total}).pow({number(1 / m.p)})")


@rule(nn.FeatureLPPooling)
def feature_power_pool(m, x, w):
    terms = f"{x}.unfold({int(m.batch_mode)}, {m.width}, {m.stride})"
    if m.power == 2:
        return f"{terms}.square().sum(-1).sqrt()"
    return f"{terms}.pow({number(m.power)}).sum(-1).pow({number(1 / m.power)})"


@rule(nn.SpatialSubSampling)
def sub_sampling(m, x, w):
    scale, shift = w.parameter("scale", m.weight.reshape(-1, 1, 1)), w.parameter("shift", m.bias.reshape(-1, 1, 1))
    kernel = sizes((m.kH, m.kW))
    more = options(stride=(sizes((m.dH, m.dW)), kernel))
    return f"F.avg_pool2d({x}, {kernel}{more}) * {number(float(m.kH * m.kW))} * {scale} + {shift}"


@rule(nn.TemporalSubSampling)
def temporal_sub_sampling(m, x, w):
    scale, shift = w.parameter("scale", m.weight), w.parameter("shift", m.bias)
    mean = over_frames(x, f"F.avg_pool1d({{x}}, {m.kW}{options(stride=(m.dW, m.kW))})")
    return f"{mean} * {number(float(m.kW))} * {scale} + {shift}"


@rule(nn.SpatialSoftPool, nn.TemporalSoftPool, nn.VolumetricSoftPool)
def soft_pool(m, x, w):
    w.helper(WINDOWS)
    name = w.helper('''
def soft_pool(x, kernel, stride, padding, beta=1.0, ceil_mode=False, exact=True):
    """Returns the mean of each window, in which a cell weighs exp(beta * x). Unless exact, weights get no gradient."""
    weights = windows(beta * x, kernel, stride, padding, ceil_mode, float("-inf")).softmax(-1)
    weights = weights if exact else weights.detach()
    return (weights * windows(x, kernel, stride, padding, ceil_mode)).sum(-1)''')
    more = options(beta=(number(float(m.beta)), "1.0"), exact=(m.gradient == "exact", True))
    text = f"{name}({{x}}, {arguments(m)}{more})"
    return over_time(m, x, text) if isinstance(m, nn.TemporalSoftPool) else text.replace("{x}", str(x))


@rule(nn.SpatialLocalImportancePooling)
def local_importance_pool(m, x, w):
    w.helper(WINDOWS)
    name = w.helper('''
def importance_pool(x, logit, kernel, stride, padding, ceil_mode=False):
    """Mean of each window, in which a cell weighs exp(logit)."""
    weights = windows(logit, kernel, stride, padding, ceil_mode, float("-inf")).softmax(-1)
    return (weights * windows(x, kernel, stride, padding, ceil_mode)).sum(-1)''')
    return f"{name}({x[0]}, {x[1]}, {arguments(m)})"


@rule(nn.SoftGate)
def soft_gate(m, x, w):
    return f"{number(m.coefficient)} * torch.sigmoid({x})"


@rule(nn.SpatialGaussianPooling)
def gaussian_pool(m, x, w):
    w.helper(WINDOWS)
    name = w.helper('''
def gaussian_pool(x, mean, precision, kernel, stride, padding, ceil_mode=False, count_include_pad=False):
    """Mean of each window, weighted by Gaussians of each plane: mean and precision are planes x Gaussians x (width, height)."""
    h, w = (torch.arange(k, dtype=x.dtype, device=x.device) - (k - 1) / 2 for k in kernel)
    squares = [p[..., None] * (u - m[..., None]).square() for u, m, p in zip((w, h), mean.unbind(-1), precision.unbind(-1))]
    logits = (-0.5 * (squares[0][..., None, :] + squares[1][..., :, None])).flatten(-2)[..., None, None, :]
    cells = windows(x, kernel, stride, padding, ceil_mode)
    outside = []
    for size, k, d, p, count in zip(x.shape[-2:], kernel, stride, padding, cells.shape[-3:-1]):
        places = torch.arange(count, device=x.device)[:, None] * d - p + torch.arange(k, device=x.device)
        outside.append(places >= size + p if count_include_pad else (places < 0) | (places >= size))
    beyond = (outside[0][:, None, :, None] | outside[1][:, None]).flatten(-2)
    weights = torch.where(beyond, float("-inf"), logits).softmax(-1)
    return (weights * cells[..., None, :, :, :]).sum(-1).flatten(-4, -3)''')
    mean, precision = w.parameter("mean", m.mean), w.parameter("precision", m.precision)
    return f"{name}({x}, {mean}, {precision}, {arguments(m)}{options(count_include_pad=(bool(m.count_include_pad), False))})"


def _both(m, x):
    """The maximum and the mean of each window."""
    return (
        f"F.max_pool2d({x}, {window(m)})",
        f"F.avg_pool2d({x}, {window(m)}{options(count_include_pad=(False, any(field(m, 'pad'))))})",
    )


@rule(nn.SpatialMixedPooling)
def mixed_pool(m, x, w):
    share = (w.parameter if m.learn else w.buffer)("share", m.weight.reshape(-1, 1, 1))
    largest, mean = _both(m, x)
    return f"{share} * {largest} + (1 - {share}) * {mean}"


@rule(nn.SpatialGatedPooling)
def gated_pool(m, x, w):
    w.helper(WINDOWS)
    mask = w.parameter("mask", m.weight.reshape(len(m.weight), 1, 1, -1))
    gate = w.let(f"torch.sigmoid((windows({x}, {arguments(m)}) * {mask}).sum(-1))")
    largest, mean = _both(m, x)
    return f"{gate} * {largest} + (1 - {gate}) * {mean}"


@rule(nn.SpatialStochasticPooling)
def stochastic_pool(m, x, w):
    w.helper(WINDOWS)
    name = w.helper('''
def stochastic_pool(x, kernel, stride, padding, training, ceil_mode=False):
    """One cell of each window, drawn in proportion to its positive value; in evaluation their average."""
    cells = windows(x.relu(), kernel, stride, padding, ceil_mode)
    total = cells.sum(-1)
    if training:
        drawn = (cells.cumsum(-1) > (torch.rand_like(total) * total).unsqueeze(-1)).int().argmax(-1, keepdim=True)
        return cells.gather(-1, drawn).squeeze(-1)
    return cells.square().sum(-1) / torch.where(total > 0, total, 1)''')
    kernel, _, ceil_mode = arguments(m).partition(", ceil_mode")
    return f"{name}({x}, {kernel}, self.training{_}{ceil_mode})"


@rule(nn.SpatialS3Pooling)
def s3_pool(m, x, w):
    name = w.helper('''
def s3_pool(x, p, grid, training):
    """Maxima of p x p cells at every place, of which one row in p and one column in p of each grid cell is kept at random.

    In evaluation they are averaged with the probabilities of being kept.
    """
    x = F.max_pool2d(F.pad(x, (0, p - 1, 0, p - 1), value=float("-inf")), p, 1)
    for axis, size in ((-2, grid[0]), (-1, grid[1])):
        rows = []
        for start in range(0, x.shape[axis], size):
            n = min(size, x.shape[axis] - start)
            kept = n // p
            if training:
                rows.append(start + torch.randperm(n)[:kept].sort().values)
                continue
            for k in range(kept):
                chances = [math.comb(i, k) * math.comb(n - 1 - i, kept - 1 - k) / math.comb(n, kept) for i in range(n)]
                rows.append(F.pad(x.new_tensor(chances), (start, x.shape[axis] - start - n)))
        if training:
            x = x.index_select(axis, torch.cat(rows).to(x.device))
        else:
            x = (x.transpose(axis, -1) @ torch.stack(rows).T).transpose(axis, -1)
    return x''')
    return f"{name}({x}, {m.p}, {(m.gridH, m.gridW)}, self.training)"


@rule(nn.SpatialFractionalMaxPooling, nn.VolumetricFractionalMaxPooling)
def fractional_max_pool(m, x, w):
    axes = [axis for axis in "THW" if axis in m._axes]
    rank = len(axes)
    pool = sizes(getattr(m, f"poolSize{axis}") for axis in axes)
    after = w.shape_after(m, x)[-rank:]
    if None in after:
        raise lacks(m, "the size of the output varies; give examples of one height and width")
    w.trust("its windows are drawn at random, in evaluation too")
    return unbatched(x, rank + 2, f"F.fractional_max_pool{rank}d({{x}}, {pool}, output_size={sizes(after)})")
