"""Layers of inn, nnx, dpnn and of authors that belong to no other family."""

import numpy as np

from pytorch_legacy import authors, dpnn, inn, nn, nnx
from pytorch_legacy.authors.Loss import Loss
from pytorch_legacy.cudnn.SpatialDivisiveNormalization import SpatialDivisiveNormalization as CudnnDivisive
from pytorch_legacy.dpnn.ColorTransform import ColorTransform

from ..registry import rule
from ..texts import axis, cat, joined, lacks, limits, number, options, trimmed, whole
from .linear import fully_connected
from .normalization import STRAIGHT_THROUGH, WITH_LOSS, instance_normalization

_LOSS = "adds the gradient of a loss"


@rule(inn.ConstAffine)
def const_affine(m, x, w):
    shape = (-1, *[1] * (x.ndim - 2))
    return f"{x} * {w.buffer('scale', m.a.reshape(shape))} + {w.buffer('shift', m.b.reshape(shape))}"


@rule(inn.MeanSubtraction)
def mean_subtraction(m, x, w):
    return f"{x} - {w.buffer('mean', m.mean.reshape(-1, 1, 1) if m.mean.ndim == 1 else m.mean)}"


@rule(inn.SpatialPyramidPooling)
def pyramid_pooling(m, x, w):
    parts = [w.convert(module, x, i) for i, module in enumerate(m.modules)]
    return w.let(cat(parts, x.ndim - 3))


@rule(inn.ROIPooling)
def roi_pooling(m, x, w):
    name = w.helper('''
def roi_pool(x, boxes, size, scale, shared_edges):
    """Maxima of a grid of bins over each box, a row of sample, left, upper, right and lower edge."""
    planes = []
    for sample, *edges in boxes.tolist():
        left, top, right, bottom = (int(math.copysign(math.floor(abs(edge * scale) + 0.5), edge)) for edge in edges)
        bins = []
        for first, last, count, cells in ((top, bottom, size[0], x.shape[-2]), (left, right, size[1], x.shape[-1])):
            length = max(last - first + shared_edges, 1)
            if shared_edges:
                starts = [n * length // count for n in range(count)]
                ends = [-(-(n + 1) * length // count) for n in range(count)]
            else:
                starts = [(2 * n * length + count) // (2 * count) for n in range(count)]
                ends = [(2 * n * length + 2 * length + count) // (2 * count) for n in range(count)]
            bins.append([[min(max(first + end, 0), cells) for end in pair] for pair in zip(starts, ends)])
        rows = []
        for up, down in bins[0]:
            parts = [x[int(sample), :, up:down, start:end] for start, end in bins[1]]
            rows.append(torch.stack([part.amax((-2, -1)) if part.numel() else x.new_zeros(x.shape[1]) for part in parts], -1))
        planes.append(torch.stack(rows, -2))
    return torch.stack(planes)''')
    w.note("samples and edges count from 0")
    return f"{name}({x[0]}, {x[1]}, {(m.H, m.W)}, {number(float(m.spatial_scale))}, {not m.v2})"


@rule(nnx.Minus)
def minus(m, x, w):
    return f"-{x}"


@rule(nnx.MultiSoftMax)
def multi_softmax(m, x, w):
    return f"F.softmax({x}, -1)"


@rule(nnx.SaturatedLU)
def saturated(m, x, w):
    if m.val == m.threshold and m.val2 == m.threshold2:
        return f"{x}.clamp({number(float(m.threshold))}, {number(float(m.threshold2))})"
    low = w.let(f"torch.where({x} < {number(float(m.threshold))}, {number(float(m.val))}, {x})")
    return f"torch.where({low} > {number(float(m.threshold2))}, {number(float(m.val2))}, {low})"


@rule(nnx.Balance)
def balance(m, x, w):
    w.note("in training it kept counts of classes, which is not written")
    return x


@rule(dpnn.SpatialUniformCrop)
def uniform_crop(m, x, w):
    rows, columns = int(m.oheight), int(m.owidth)
    top, left = (f"max(({x}.size({axis}) - {size - 1}) // 2, 1) - 1" for axis, size in ((-2, rows), (-1, columns)))
    w.note("in training it cropped at random, which is not written")
    return f"{x}.narrow(-2, {top}, {rows}).narrow(-1, {left}, {columns})"


@rule(nnx.PushTable)
def push_table(m, x, w):
    place = m._place(x)
    for pull in m._pulls:
        w.pooled[id(pull)] = x[place]
    return [*x[:place], *x[place + 1 :]]


@rule(nnx.PullTable)
def pull_table(m, x, w):
    if id(m) not in w.pooled:
        raise lacks(m, "the layer that has its entry does not run before it in this network")
    entries = x if isinstance(x, list) else [x]
    w.trust("it takes an entry that is compared where it comes from")
    return [*entries[: m._index], w.pooled[id(m)], *entries[m._index :]]


@rule(nnx.SpatialClassifier)
def spatial_classifier(m, x, w):
    scores = w.convert(m.classifier, w.let(f"{x}.flatten(1).T"), 0)
    return w.let(f"{scores}.T.unflatten(1, {x}.shape[1:])") if m.spatialOutput else scores


@rule(nnx.SpatialPadding)
def spatial_padding(m, x, w):
    sides = {axis(m, m.y_dim, x): (m.pad_t, m.pad_b), axis(m, m.x_dim, x): (m.pad_l, m.pad_r)}
    pads = trimmed(tuple(side for i in reversed(range(x.ndim)) for side in sides.get(i, (0, 0))))
    return f"F.pad({x}, {pads}{options(value=(number(float(m.val)), '0.0'))})"


@rule(nnx.SpatialReSampling)
def resampling(m, x, w):
    size = w.shape_after(m, x)[-2:]
    if None in size:
        raise lacks(m, "the size of its output varies; give examples of one height and width")
    batch = f"{x}[None]" if x.ndim == 3 else str(x)
    w.note("corners stay corners")
    text = f'F.interpolate({batch}, size={size}, mode="bilinear", align_corners=True)'
    return f"{text}[0]" if x.ndim == 3 else text


@rule(dpnn.ArgMax)
def argmax(m, x, w):
    dimension = axis(m, m.dim, x) if x.ndim <= m.nInputDim else axis(m, m.dim, x, x.ndim - 1)
    kind = "" if m.asLong else ".double()" if m._dtype == "float64" else ".float()"
    w.note("places count from 0")
    return f"{x}.argmax({dimension}{options(keepdim=(x.ndim == 1, False))}){kind}"


@rule(dpnn.Clip, authors.InplaceClip01)
def clip(m, x, w):
    both = limits(0, 1) if isinstance(m, authors.InplaceClip01) else limits(m.minval, m.maxval)
    w.note("the gradient passes everywhere")
    return f"{w.helper(STRAIGHT_THROUGH)}({x}.clamp({both}), {x})"


@rule(dpnn.ReverseTable)
def reverse_table(m, x, w):
    return x[::-1]


@rule(dpnn.SpatialFeatNormalization)
def feat_normalization(m, x, w):
    mean, std = w.buffer("mean", m.mean.reshape(-1, 1, 1)), w.buffer("std", m.std.reshape(-1, 1, 1))
    return f"({x} - {mean}) / {std}"


@rule(ColorTransform)
def color_transform(m, x, w):
    w.note("in training it changed the colours at random, which is not written")
    return x


@rule(dpnn.TotalDropout)
def total_dropout(m, x, w):
    name = w.helper('''
def total_dropout(x, p, training):
    """All or nothing."""
    return x * (torch.rand(()) >= p) / (1 - p) if training else x''')
    return f"{name}({x}, {number(m.p)}, self.training)"


@rule(dpnn.CategoricalEntropy)
def categorical_entropy(m, x, w):
    w.helper(WITH_LOSS)
    name = w.helper('''
def more_entropy(x, scale, least, mean):
    """Returns x. The gradient of -scale times the entropy of the mean of its rows is added, if the entropy is below a bound."""
    p = x.sum(0) / x.detach().sum()
    entropy = -(p * (p + 1e-6).log()).sum()
    entropy = entropy * (entropy.detach() < least) / (len(x) if mean else 1)
    return with_loss(x, -scale * entropy)''')
    w.note(_LOSS)
    least = number(float("inf") if m.minEntropy is None else float(m.minEntropy))
    return f"{name}({x}, {number(float(m.scale))}, {least}, {bool(m.sizeAverage)})"


@rule(authors.TotalVariation)
def total_variation(m, x, w):
    w.helper(WITH_LOSS)
    name = w.helper('''
def smoothed(x, strength):
    """Returns x. The gradient of its total variation is added."""
    across, down = x.diff(dim=-1)[..., :-1, :], x.diff(dim=-2)[..., :-1]
    return with_loss(x, strength / 2 * (across.square().sum() + down.square().sum()))''')
    w.note(_LOSS)
    return f"{name}({x}, {number(float(m.strength))})"


@rule(Loss)
def loss_inside(m, x, w):
    ours = w.ours(m, x)
    if m.mode != "loss" or (isinstance(m, authors.ContentLoss) and any(array.size != m.target.size for array in x.arrays)):
        return x
    seen = x
    if m.normalize:
        seen = w.let(f"{w.helper(_NORMALIZED_GRADIENT)}({x}, {number(float(m.strength))})")
    if isinstance(m, authors.StyleLoss):
        seen = w.let(f"{gram_matrix(m.gram, seen, w)} / {x}.numel()")
    loss = w.convert(m.crit, [seen, w.let(w.buffer("target", m.target))], "crit")
    w.note(_LOSS)
    return w.checked(ours, f"{w.helper(WITH_LOSS)}({x}, {number(float(m.strength))} * {loss})")


_NORMALIZED_GRADIENT = '''
def with_normalized_gradient(x, strength):
    """Returns x. Its gradient is divided by the sum of its magnitudes, and multiplied by the strength again."""
    x = x.view_as(x)
    if x.requires_grad:
        x.register_hook(lambda gradient: gradient / ((gradient / strength).abs().sum() + 1e-8))
    return x'''


@rule(dpnn.Reinforce)
def reinforce(m, x, w):
    if m.stochastic:
        raise lacks(m, "it draws in evaluation too; draw from what comes before it, by torch.distributions")
    w.note("in training it drew, and learned from a reward, which is not written")
    return x[0] if isinstance(x, list) else x


@rule(authors.InstanceNormalization)
def author_instance_normalization(m, x, w):
    return x if m.disabled else instance_normalization(m, x, w)


@rule(authors.AdaptiveInstanceNormalization)
def adaptive_instance_normalization(m, x, w):
    if m.disabled:
        return x[0]
    name = w.helper('''
def adaptive_instance_norm(content, style, eps):
    """The planes of content with the means and deviations of those of style."""
    deviation, mean = torch.std_mean(style, (-2, -1), keepdim=True)
    return F.instance_norm(content, eps=eps) * deviation + mean''')
    return f"{name}({x[0]}, {x[1]}, {number(m.eps)})"


@rule(authors.GramMatrix)
def gram_matrix(m, x, w):
    planes = w.let(f"{x}.flatten(-2)")
    return f"{planes} @ {planes}.transpose(-1, -2)"


@rule(authors.ScaleTable)
def scale_table(m, x, w):
    return f"{x[0]} * {x[1]}"


@rule(authors.ShakeShakeTable)
def shake_shake(m, x, w):
    name = w.helper('''
def shake_shake(x, y, training):
    """The sum of two branches; in training a random blend of each sample, and another one backward."""
    if not training:
        return x + y
    shape = (len(x), *[1] * (x.ndim - 1))
    alpha, beta = torch.rand(2, *shape, dtype=x.dtype, device=x.device)
    back = 2 * ((1 - beta) * x + beta * y)
    return back + (2 * ((1 - alpha) * x + alpha * y) - back).detach()''')
    return f"{name}({joined(x)}, self.training)"


@rule(authors.AuxiliaryLossTable)
def auxiliary_loss(m, x, w):
    w.note("in training it gave the whole table")
    return x[m.i]


@rule(authors.FeatExpander)
def feat_expander(m, x, w):
    return f"{x}.repeat_interleave({m.n}, 0)"


@rule(authors.SequentialSplitBatch)
def sequential_split_batch(m, x, w):
    for i, module in enumerate(m.modules):
        x = w.convert(module, x, i)
    return x


@rule(dpnn.NCEModule)
def nce_module(m, x, w):
    rows = x[0] if isinstance(x, list) else x
    layer = fully_connected(w, m.weight, m.bias)
    if m.normalized:
        return f"{'F.log_softmax' if m.logsoftmax else 'F.softmax'}({layer}({rows}), 1)"
    if not m.Z[0] > 0:
        raise lacks(m, "its divisor Z is not known before a first batch; run one, or set normalized")
    name = w.helper('''
def against_noise(layer, x, target, unigrams, k, Z, shared):
    """Probabilities of the target and of k random classes, by the model and as noise; the classes are `shared` by all rows."""
    weight, bias = layer.weight, layer.bias
    samples = torch.multinomial(unigrams, k if shared else k * len(x), True).reshape(-1, k).expand(len(x), k)
    of_target = ((x * weight[target]).sum(-1) + bias[target]).exp() / Z
    of_samples = ((x[:, None] * weight[samples]).sum(-1) + bias[samples]).exp() / Z
    return of_target, of_samples, unigrams[target].to(x.dtype), unigrams[samples].to(x.dtype)''')
    w.trust("it draws classes")
    w.note("labels count from 0")
    unigrams = w.buffer("unigrams", m.unigrams.astype(m._dtype))
    Z, shared = number(float(m.Z[0])), bool(m.batchnoise)
    return w.let(f"{name}({layer}, {rows}, {whole(x[1])}, {unigrams}, {m.k}, {Z}, {shared})", 4)


@rule(nnx.SoftMaxTree)
def softmax_tree(m, x, w):
    name = w.helper('''
def tree_log_probability(scores, ways, families, largest):
    """The sum over the way to each target; a row of `ways` ends with -1, `families` has first row and size for each row."""
    there, rows = ways >= 0, ways.clamp(min=0)
    first, size = families[rows].unbind(-1)
    places = torch.arange(largest, device=scores.device)
    siblings = (first[..., None] + places).clamp(max=scores.shape[1] - 1)
    beside = scores.gather(1, siblings.flatten(1)).reshape(siblings.shape)
    totals = torch.where(places < size[..., None], beside, float("-inf")).logsumexp(-1)
    return torch.where(there, scores.gather(1, rows) - totals, 0).sum(1)''')
    ways = np.full((len(m.childParent), int(m.maxDept)), -1)
    families = np.zeros((m.nChildNode, 2), np.int64)
    for node in m.childIds.tolist():
        step, child = 0, node
        while child != m.rootId:
            parent, place = m.childParent[child].tolist()
            first, size = m.parentChildren[parent].tolist()
            ways[node, step] = first + place
            families[first + place] = first, size
            step, child = step + 1, parent
    ways_text, families_text = w.buffer("ways", ways), w.buffer("families", families)
    scores = w.let(f"{fully_connected(w, m.weight, m.bias)}({x[0]})")
    return f"{name}({scores}, {ways_text}[{whole(x[1])}], {families_text}, {int(families[:, 1].max())})"


@rule(nnx.SpatialReSamplingEx)
def resampling_ex(m, x, w):
    axis_y = axis(m, m.yDim, x)
    sizes = []
    for place, given, ratio in ((axis_y, m.oheight, m.rheight), (axis_y + 1, m.owidth, m.rwidth)):
        sizes.append(str(int(given)) if given is not None else f"int({number(float(ratio))} * {x}.size({place}) + 0.5)")
    if m.mode == "bilinear":
        name = w.helper('''
def stretched(x, axis, size):
    """Two dimensions in another size, with straight lines between the cells; corners stay corners."""
    planes = x.movedim((axis, axis + 1), (-2, -1))
    made = F.interpolate(planes.reshape(1, -1, *planes.shape[-2:]), size=size, mode="bilinear", align_corners=True)
    return made.reshape(*planes.shape[:-2], *made.shape[-2:]).movedim((-2, -1), (axis, axis + 1))''')
        return f"{name}({x}, {axis_y}, ({joined(sizes)}))"
    name = w.helper('''
def resampled(x, axis, size, means):
    """Another size along an axis: each cell again and again, or the first cell, or the mean, of as many as make one."""
    if size >= x.shape[axis]:
        return x.repeat_interleave(-(-size // x.shape[axis]), axis).narrow(axis, 0, size)
    cells = x.narrow(axis, 0, x.shape[axis] // size * size).unflatten(axis, (size, x.shape[axis] // size))
    return cells.mean(axis + 1) if means else cells.select(axis + 1, 0)''')
    for place, size in enumerate(sizes):
        x = w.let(f"{name}({x}, {axis_y + place}, {size}, {m.mode == 'average'})")
    return x


@rule(dpnn.SpatialGlimpse)
def glimpse(m, x, w):
    name = w.helper('''
def glimpse(x, places, size, depth, scale, means):
    """Patches of growing size around a place of each picture, y and x from -1 to 1, all made as small as the first one."""
    patches = []
    for times in (scale**d for d in range(depth)):
        height, width = (side * times for side in size)
        top, left = (height - 1) // 2, (width - 1) // 2
        padded = F.pad(x, (left, left, top, top))
        most = torch.tensor([padded.shape[-2] - height, padded.shape[-1] - width], dtype=torch.float64, device=x.device)
        starts = ((places.double() + 1) / 2 * most).clamp(most * 0, most).long()
        rows = starts[:, :1] + torch.arange(height, device=x.device)
        columns = starts[:, 1:] + torch.arange(width, device=x.device)
        samples = torch.arange(x.shape[0], device=x.device)[:, None, None, None]
        planes = torch.arange(x.shape[1], device=x.device)[:, None, None]
        patch = padded[samples, planes, rows[:, None, :, None], columns[:, None, None, :]]
        if times > 1:
            corners = {"mode": "bilinear", "align_corners": True}
            patch = F.avg_pool2d(patch, times) if means else F.interpolate(patch, size=size, **corners)
        patches.append(patch)
    return torch.cat(patches, 1)''')
    w.note("no gradient for the place")
    means = isinstance(m.module, nn.SpatialAveragePooling)
    more = f"{(int(m.height), int(m.width))}, {int(m.depth)}, {int(m.scale)}, {means}"
    if x[0].ndim == 4:
        return f"{name}({x[0]}, {x[1]}, {more})"
    return f"{name}({x[0]}[None], {x[1]}[None], {more})[0]"


@rule(CudnnDivisive)
def cudnn_divisive(m, x, w):
    before, after = m.size // 2, (m.size - 1) // 2
    squares = f"F.pad({x}.square(), {(before, after) * 2})"
    sums = f"F.avg_pool2d({squares}, {m.size}, stride=1)"  # divided by size * size, as the old layer did
    return f"{x} * ({number(float(m.K))} + {number(float(m.alpha))} * {sums}).pow({number(-float(m.beta))})"


@rule(nnx.SpatialNormalization)
def spatial_normalization(m, x, w):
    planes = x if x.ndim == 3 else w.let(f"{x}[None]")
    with w.constants():
        weight = w.convert(m.convo, w.let(f"torch.ones_like({planes})"), "convo")
        centred = w.let(f"{planes} - {w.convert(m.convo, planes, 'convo')} / {weight}")
        spread = w.let(f"{w.convert(m.convostd, w.let(f'{centred}.square()'), 'convostd')}.sqrt() / {weight}")
    least = f"{spread}.detach().mean().clamp(min=1e-3)" if m.fixedThres is None else number(float(m.fixedThres))
    return w.checked(w.ours(m, x), f"{centred} / {spread}.clamp(min={least})")
