"""Convolutions. Torch7's numbers go from width to height, PyTorch's from height to width."""

import numpy as np

from pytorch_legacy import cudnn, dpnn, nn, nnx

from ..registry import rule
from ..texts import field, options, sizes


def convolution(w, rank, planes, weight, bias, transposed=False, **named):
    """``self.conv1`` of ``nn.Conv<rank>d(...)`` for a weight as PyTorch has it; `named` are options as texts."""
    usual = {"stride": "1", "padding": "0", "output_padding": "0", "dilation": "1", "groups": "1"}
    texts = options(**{name: (named.get(name, text), text) for name, text in usual.items()}, bias=(bias is not None, True))
    name = f"nn.Conv{'Transpose' if transposed else ''}{rank}d"
    constructor = f"{name}({planes[0]}, {planes[1]}, {sizes(weight.shape[2:])}{texts})"
    return w.layer("up" if transposed else "conv", constructor, weight=weight, bias=bias)


def geometry(m):
    """The options of a convolution."""
    named = {"stride": sizes(field(m, "d")), "padding": sizes(field(m, "pad") or [0]), "groups": getattr(m, "groups", 1)}
    return named | ({"dilation": sizes(dilation)} if (dilation := field(m, "dilation")) else {})


def over_frames(x, layer):
    """Torch7 has frames before features, PyTorch features before frames."""
    return f"{layer}({x}.transpose(-1, -2)).transpose(-1, -2)"


@rule(nn.SpatialConvolution, nn.VolumetricConvolution)
def convolve(m, x, w):
    rank = len(field(m, "k"))
    weight = m.weight.reshape(m.nOutputPlane, -1, *field(m, "k"))
    return f"{convolution(w, rank, (m.nInputPlane, m.nOutputPlane), weight, m.bias, **geometry(m))}({x})"


@rule(nn.SpatialFullConvolution, nn.VolumetricFullConvolution)
def full_convolve(m, x, w):
    rank = len(field(m, "k"))
    named = geometry(m) | {"output_padding": sizes(field(m, "adj"))}
    layer = convolution(w, rank, (m.nInputPlane, m.nOutputPlane), m.weight, m.bias, transposed=True, **named)
    if isinstance(x, list):
        return f"{layer}({x[0]}, output_size={x[1]}.shape[-{rank}:])"
    return f"{layer}({x})"


@rule(nn.SpatialDepthWiseConvolution)
def depth_wise(m, x, w):
    weight = m.weight.reshape(m.nOutputPlane, m.nInputPlane, m.kH, m.kW).swapaxes(0, 1).reshape(-1, 1, m.kH, m.kW)
    bias = None if m.bias is None else m.bias.T.reshape(-1)
    planes = m.nInputPlane, m.nInputPlane * m.nOutputPlane
    return f"{convolution(w, 2, planes, weight, bias, **geometry(m) | {'groups': m.nInputPlane})}({x})"


@rule(nn.TemporalConvolution)
def temporal(m, x, w):
    weight = m.weight.reshape(m.outputFrameSize, m.kW, m.inputFrameSize).swapaxes(1, 2)
    return over_frames(x, convolution(w, 1, (m.inputFrameSize, m.outputFrameSize), weight, m.bias, stride=m.dW))


@rule(cudnn.TemporalConvolution)
def cudnn_temporal(m, x, w):
    weight = m.weight.reshape(m.outputFrameSize, m.kH, m.inputFrameSize).swapaxes(1, 2)
    return over_frames(x, convolution(w, 1, (m.inputFrameSize, m.outputFrameSize), weight, m.bias, stride=m.dH, padding=m.padH))


@rule(nn.TemporalRowConvolution)
def temporal_row(m, x, w):
    size = m.inputFrameSize
    layer = convolution(w, 1, (size, size), m.weight, m.bias, stride=m.dW, groups=size)
    return f"{layer}({x})" if m.featFirst else over_frames(x, layer)


_CONNECTED = '''
def connected(kernels, rows, columns, shape):
    """Returns the weight of a convolution, with a kernel for each pair of connected planes and zeros for all others."""
    return kernels.new_zeros(*shape, *kernels.shape[1:]).index_put((rows, columns), kernels, accumulate=True)'''


@rule(nn.SpatialConvolutionMap, nn.SpatialFullConvolutionMap)
def mapped(m, x, w):
    full = isinstance(m, nn.SpatialFullConvolutionMap)
    planes = m.nInputPlane, m.nOutputPlane
    shape = planes if full else planes[::-1]
    rows, columns = np.asarray(m.connTable, np.int64).T[:: 1 if full else -1]
    stride = sizes([m.dH, m.dW])
    if len({*zip(rows, columns, strict=True)}) == len(m.connTable) == shape[0] * shape[1]:
        weight = np.zeros((*shape, m.kH, m.kW), m.weight.dtype)
        weight[rows, columns] = m.weight
        return f"{convolution(w, 2, planes, weight, m.bias, full, stride=stride)}({x})"
    w.note("a kernel for each pair of planes that is connected")
    weight = f"{w.helper(_CONNECTED)}({w.parameter('kernels', m.weight)}"
    weight += f", {w.buffer('rows', rows)}, {w.buffer('columns', columns)}, {shape})"
    named = options(stride=(stride, "1"))
    return f"F.conv{'_transpose' * full}2d({x}, {weight}, {w.parameter('bias', m.bias)}{named})"


@rule(nn.SpatialConvolutionLocal)
def local(m, x, w):
    rows, columns, planes, inputs, height, width = m.weight.shape
    weight = w.parameter("weight", m.weight.reshape(rows * columns, planes, inputs * height * width))
    patches = f"F.unfold({x}, {(height, width)}{options(padding=((m.padH, m.padW), (0, 0)), stride=((m.dH, m.dW), (1, 1)))})"
    w.note("filters of their own for each place")
    products = f'torch.einsum("...kp,pok->...op", {patches}, {weight})'
    return f"{products}.unflatten(-1, {(rows, columns)}) + {w.parameter('bias', m.bias)}"


@rule(dpnn.SpatialBinaryConvolution)
def binary(m, x, w):
    name = w.helper('''
def binary_conv2d(x, weight, bias=None, **options):
    """Filters of signs, scaled by their mean magnitudes. The gradients are those of XNOR-Net, not the derivatives."""
    sign = torch.where(weight >= 0, 1.0, -1.0).to(x.dtype)
    magnitude = weight.detach().abs()
    y = F.conv2d(x, sign, bias, **options) * magnitude.mean((1, 2, 3))[:, None, None]
    scaled = x * magnitude.mean((0, 2, 3))[:, None, None]
    passed = F.conv2d(x.detach(), weight, bias, **options) + F.conv2d(scaled, sign, **options)
    return y.detach() + (passed - passed.detach())''')
    bias = "" if m.bias is None else f", {w.parameter('bias', m.bias)}"
    named = options(stride=(sizes(field(m, "d")), "1"), padding=(sizes(field(m, "pad")), "0"))
    return f"{name}({x}, {w.parameter('weight', m.weight)}{bias}{named})"


@rule(nnx.SpatialLinear)
def spatial_linear(m, x, w):
    outputs, inputs = m.weight.shape
    return f"{convolution(w, 2, (inputs, outputs), m.weight.reshape(outputs, inputs, 1, 1), m.bias)}({x})"
