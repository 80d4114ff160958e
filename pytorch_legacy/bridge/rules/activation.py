"""Functions of each element, and softmax."""

from typing import Any

from pytorch_legacy import authors, cudnn, nn
from pytorch_legacy.cudnn.softmax import INSTANCE, Channels

from ..registry import rule
from ..texts import cat, limits, number, options
from ..values import Value

_SIMPLE = {
    nn.Abs: "torch.where({0} < 0, -{0}, {0})",  # its gradient is 1 at 0, as Torch7's
    nn.Exp: "{}.exp()",
    nn.Log: "{}.log()",
    nn.LogSigmoid: "F.logsigmoid({})",
    nn.ReLU6: "F.relu6({})",
    nn.Sigmoid: "torch.sigmoid({})",
    nn.SoftSign: "F.softsign({})",
    nn.Sqrt: "torch.where({0} == 0, 0, {0}).sqrt()",  # its gradient is 0 at 0, as Torch7's
    nn.Square: "{}.square()",
    nn.Tanh: "torch.tanh({})",
    nn.TanhShrink: "F.tanhshrink({})",
    cudnn.ReLU: "F.relu({})",
    cudnn.Sigmoid: "torch.sigmoid({})",
    cudnn.Tanh: "torch.tanh({})",
}


def _simple(text: str) -> Any:
    return lambda m, x, w: text.format(x)


for _cls, _text in _SIMPLE.items():
    rule(_cls)(_simple(_text))


@rule(nn.Threshold)
def threshold(m, x, w):
    return f"F.relu({x})" if m.threshold == m.val == 0 else f"F.threshold({x}, {number(m.threshold)}, {number(m.val)})"


@rule(nn.LeakyReLU)
def leaky_relu(m, x, w):
    return f"F.leaky_relu({x}, {number(m.negval)})"


@rule(nn.RReLU)
def rrelu(m, x, w):
    return f"F.rrelu({x}, {number(m.lower)}, {number(m.upper)}, self.training)"


@rule(nn.ELU)
def elu(m, x, w):
    return f"F.elu({x}{options(alpha=(number(m.alpha), number(1.0)))})"


@rule(nn.PReLU)
def prelu(m, x, w):
    size = m.weight.size
    layer = w.layer("prelu", f"nn.PReLU({size if size > 1 else ''})", weight=m.weight.reshape(-1))
    isSample = x.ndim in (1, m.numInputDims)  # without a batch: its first dimension has the channels
    return f"{layer}({x}[None])[0]" if size > 1 and isSample else f"{layer}({x})"


@rule(nn.HardTanh)
def hard_tanh(m, x, w):
    return f"F.hardtanh({x}, {limits(m.min_val, m.max_val)})"


@rule(cudnn.ClippedReLU)
def clipped_relu(m, x, w):
    return f"F.hardtanh({x}, {limits(0, m.ceiling)})"


@rule(nn.HardShrink)
def hard_shrink(m, x, w):
    return f"F.hardshrink({x}, {number(m.lambda_)})"


@rule(nn.SoftShrink)
def soft_shrink(m, x, w):
    return f"F.softshrink({x}, {number(m.lambda_)})"


@rule(nn.SoftPlus)
def soft_plus(m, x, w):
    return f"F.softplus({x}{options(beta=(number(m.beta), '1'), threshold=(number(m.threshold), '20'))})"


@rule(nn.Power)
def power(m, x, w):
    return f"{x}.pow({number(m.pow)})"


@rule(nn.CReLU)
def crelu(m, x, w):
    return cat([f"F.relu({x})", f"F.relu(-{x})"], _resized(m, x, w))


@rule(nn.GatedLinearUnit)
def gated_linear_unit(m, x, w):
    return f"F.glu({x}, {_resized(m, x, w)})"


def _resized(m, x, w):
    """The dimension that has another size afterwards."""
    sizes = zip(x.shapes[0], w.shapes_after(m, x)[0], strict=True)
    return next(i for i, (before, after) in enumerate(sizes) if before != after)


def channels(x: Value) -> int:
    """The dimension that Torch7 takes softmax over: the channels, the first of 1-D and 3-D inputs, the second of others."""
    return 0 if x.ndim in (1, 3) else 1


@rule(nn.SoftMax)
def softmax(m, x, w):
    return f"F.softmax({x}, {channels(x)})"


@rule(nn.SoftMin)
def softmin(m, x, w):
    return f"F.softmin({x}, {channels(x)})"


@rule(nn.LogSoftMax)
def log_softmax(m, x, w):
    return f"F.log_softmax({x}, {channels(x)})"


@rule(Channels)
def cudnn_softmax(m, x, w):
    function = "F.log_softmax" if isinstance(m, (nn.LogSoftMax, nn.SpatialLogSoftMax)) else "F.softmax"
    first = x.ndim - m._ranks[-2]  # the first dimension of a sample with places
    if first < 0 or m.mode != INSTANCE:
        return f"{function}({x}, {x.ndim - 1 if first < 0 else first})"
    w.note("cuDNN took channels and places together")
    return f"{function}({x}.flatten({first}), {first}).reshape({x}.shape)"


@rule(authors.W2nnLeakyReLU)
def w2nn_leaky_relu(m, x, w):
    return f"F.leaky_relu({x}, {number(m.negative_scale)})"
