"""Normalization, dropout, noise, and layers that only change the gradient."""

from math import isinf

import numpy as np

from pytorch_legacy import nn

from ..registry import rule
from ..texts import number, options, unbatched
from ..values import tree


def batch_norm(w, m, rank):
    """``self.bn1`` for a layer with weight, bias, running_mean and running_var; rank as in nn.BatchNorm2d."""
    affine = m.weight is not None or m.bias is not None
    size = m.running_mean.size
    ones, zeros = (np.full(size, value, m.running_mean.dtype) if affine else None for value in (1, 0))
    momentum = number(m.momentum)
    more = options(eps=(number(m.eps), "1e-05"), momentum=(momentum, "0.1"), affine=(affine, True))
    return w.layer(
        "bn",
        f"nn.BatchNorm{rank}d({size}{more})",
        frozen=[name for name in ("weight", "bias") if affine and getattr(m, name) is None],
        weight=ones if m.weight is None else m.weight,
        bias=zeros if m.bias is None else m.bias,
        running_mean=m.running_mean,
        running_var=m.running_var,
    )


@rule(nn.BatchNormalization)
def batch_normalization(m, x, w):
    return unbatched(x, m.nDim, f"{batch_norm(w, m, {2: 1, 4: 2, 5: 3}[m.nDim])}({{x}})")


@rule(nn.SpatialInstanceNormalization)
def instance_normalization(m, x, w):
    constructor = f"nn.InstanceNorm2d({m.weight.size}{options(eps=(number(m.eps), '1e-05'))}, affine=True)"
    return f"{w.layer('norm', constructor, weight=m.weight, bias=m.bias)}({x})"


@rule(nn.SpatialCrossMapLRN)
def cross_map_lrn(m, x, w):
    size, numbers = m.size, ", ".join(map(number, (float(m.alpha), float(m.beta), float(m.k))))
    if size % 2:
        return unbatched(x, 4, f"F.local_response_norm({{x}}, {size}, {numbers})")
    w.note("of an even number of planes Torch7 has one more behind, PyTorch before")
    return unbatched(x, 4, f"F.local_response_norm({{x}}.flip(-3), {size}, {numbers}).flip(-3)")


@rule(nn.Normalize)
def normalize(m, x, w):
    eps = number(m.eps)
    if isinf(m.p):
        return f"{x} / ({x}.abs().amax(-1, keepdim=True) + {eps})"
    w.note("eps is under the root")
    if m.p == 2:
        return f"{x} / ({x}.square().sum(-1, keepdim=True) + {eps}).sqrt()"
    return f"{x} / ({x}.abs().pow({number(m.p)}).sum(-1, keepdim=True) + {eps}).pow({number(1 / m.p)})"


@rule(nn.Dropout)
def dropout(m, x, w):
    if not m.p:
        return x
    name = "F.dropout"
    if m.mono and x.ndim > 1:
        name = w.helper('''
def dropout_alike(x, p, training):
    """Dropout with one draw for all samples."""
    return x * F.dropout(torch.ones_like(x[:1]), p, training)''')
    if m.stochastic_inference:
        w.trust("it drops in evaluation too")
    return _scaled(m, w, f"{name}({x}, {number(m.p)}, {'True' if m.stochastic_inference else 'self.training'})")


@rule(nn.SpatialDropout, nn.VolumetricDropout)
def plane_dropout(m, x, w):
    if m.stochastic_inference:
        w.trust("it drops in evaluation too")
    rank = 2 if isinstance(m, nn.SpatialDropout) else 3
    training = "True" if m.stochastic_inference else "self.training"
    return _scaled(m, w, unbatched(x, rank + 2, f"F.dropout{rank}d({{x}}, {number(m.p)}, {training})"))


def _scaled(m, w, text):
    """The older dropout is scaled in evaluation."""
    if m.v2:
        return text
    w.note("Torch7 scales in evaluation, not while training")
    return f"{text} * {number(1 - m.p)}"


@rule(nn.WhiteNoise)
def white_noise(m, x, w):
    name = w.helper('''
def white_noise(x, mean, std, training):
    """x with normal noise, of which evaluation has the mean."""
    return x + mean + std * torch.randn_like(x) if training else x + mean''')
    return f"{name}({x}, {number(float(m.mean))}, {number(float(m.std))}, self.training)"


WITH_LOSS = '''
def with_loss(y, loss):
    """Returns y. In backward the gradient of the loss is added, whatever the gradient of y is."""
    return WithLoss.apply(y, loss)


class WithLoss(torch.autograd.Function):
    @staticmethod
    def forward(ctx, y, loss):
        return y.view_as(y)

    @staticmethod
    def backward(ctx, gradient):
        return gradient, gradient.new_ones(())'''


@rule(nn.L1Penalty)
def l1_penalty(m, x, w):
    w.note("adds the gradient of a loss")
    given = x if m.provideOutput else f"{x}.detach()"
    loss = f"{number(float(m.l1weight))} * {x}.abs().{'mean' if m.sizeAverage else 'sum'}()"
    return f"{w.helper(WITH_LOSS)}({given}, {loss})"


@rule(nn.ZeroGrad)
def zero_grad(m, x, w):
    w.note("no gradient passes")
    return tree(lambda value: w.let(f"{value}.detach()"), x)


STRAIGHT_THROUGH = '''
def straight_through(y, like):
    """The numbers of y, with the gradient of another value, which leaves no trace in them however large it is."""
    return y.detach() + (like - like.detach()).nan_to_num()'''


@rule(nn.GradientReversal)
def gradient_reversal(m, x, w):
    w.note("the gradient passes with another sign")
    return f"{w.helper(STRAIGHT_THROUGH)}({x}, {x} * {number(-float(m.lambda_))})"


_NEIGHBOURS = '''
def neighbour_mean(x, kernel):
    """Weighted mean over all planes, and the neighbours that exist."""
    height, width = kernel.shape[-2:]
    pads = (width // 2, width // 2, height // 2, height // 2)
    weight = F.conv2d(F.pad(torch.ones_like(x[:, :1]), pads), kernel)
    return F.conv2d(F.pad(x.sum(1, keepdim=True), pads), kernel) / weight'''


def _kernel(m, w):
    """The weights of neighbours; those of a vector are its product with itself."""
    kernel = np.asarray(m.kernel, m._dtype)
    kernel = np.outer(kernel, kernel) if kernel.ndim == 1 else kernel
    return w.buffer("kernel", kernel[None, None] / kernel.sum())


@rule(nn.SpatialSubtractiveNormalization)
def subtractive_normalization(m, x, w):
    return unbatched(x, 4, f"{{x}} - {w.helper(_NEIGHBOURS)}({{x}} / {m.nInputPlane}, {_kernel(m, w)})")


@rule(nn.SpatialDivisiveNormalization)
def divisive_normalization(m, x, w):
    name = w.helper('''
def neighbour_deviation(x, kernel):
    """Root of the weighted sum of squares over all planes and the neighbours that exist, divided by their weight."""
    height, width = kernel.shape[-2:]
    pads = (width // 2, width // 2, height // 2, height // 2)
    weight = F.conv2d(F.pad(torch.ones_like(x[:, :1]), pads), kernel)
    return F.conv2d(F.pad(x.square().mean(1, keepdim=True), pads), kernel).sqrt() / weight''')
    deviation = f"{name}({{x}}, {_kernel(m, w)})"
    return unbatched(x, 4, f"{{x}} / F.threshold({deviation}, {number(m.threshold)}, {number(m.thresval)})")


@rule(nn.SpatialContrastiveNormalization)
def contrastive_normalization(m, x, w):
    return w.convert(m.normalizer, x, "normalizer")
