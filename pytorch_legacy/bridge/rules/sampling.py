"""Planes of another size, and planes looked at in other places."""

from pytorch_legacy import authors, nn, nnx

from ..registry import rule
from ..texts import axis, number, sizes, unbatched


@rule(nn.SpatialUpSamplingNearest, nn.VolumetricUpSamplingNearest)
def nearest(m, x, w):
    rank = 4 if isinstance(m, nn.SpatialUpSamplingNearest) else 5
    return unbatched(x, rank, f"F.interpolate({{x}}, scale_factor={number(m.scale_factor)})")


@rule(nn.SpatialUpSamplingBilinear, nn.VolumetricUpSamplingTrilinear)
def linear(m, x, w):
    rank = 2 if isinstance(m, nn.SpatialUpSamplingBilinear) else 3
    return unbatched(x, rank + 2, f"F.interpolate({{x}}, {_stretched(m, x, w, rank)})")


def _stretched(m, x, w, rank):
    scale = getattr(m, "scale_factor", None)
    how = f"scale_factor={number(scale)}" if scale else f"size={w.shape_after(m, x)[-rank:]}"
    w.note("corners stay corners")
    return f'{how}, mode="{"bilinear" if rank == 2 else "trilinear"}", align_corners=True'


@rule(nn.UpSampling)
def up_sampling(m, x, w):
    if m.mode == "nearest":
        return f"F.interpolate({x}, scale_factor={number(m.scale_factor)})"
    return f"F.interpolate({x}, {_stretched(m, x, w, x.ndim - 2)})"


@rule(nn.SpatialGridSamplerBilinear)
def grid_sampler(m, x, w):
    return f"F.grid_sample({x[0]}, {x[1]}, align_corners=True)"


@rule(nnx.SpatialUpSampling)
def repeated(m, x, w):
    return f"{x}.repeat_interleave({m.dH}, {axis(m, m.yDim, x)}).repeat_interleave({m.dW}, {axis(m, m.xDim, x)})"


@rule(nnx.SpatialDownSampling)
def down_sampling(m, x, w):
    return f"F.avg_pool2d({x}, {sizes((m.rH, m.rW))})"


@rule(authors.BilinearSamplerBHWD)
def bilinear_sampler_bhwd(m, x, w):
    w.note("planes last, and y before x in the grid")
    text = "F.grid_sample({0}.permute(0, 3, 1, 2), {1}.flip(-1), align_corners=True).permute(0, 2, 3, 1)"
    return text.format(*x) if x[0].ndim == 4 else f"{text.format(*(f'{part}[None]' for part in x))}[0]"


@rule(authors.AffineGridGeneratorBHWD)
def affine_grid_bhwd(m, x, w):
    w.note("places (y, x, 1) of a grid, mapped by 2 x 3 matrices")
    return f'torch.einsum("hwk,...jk->...hwj", {w.buffer("grid", m.baseGrid)}, {x})'


@rule(authors.AffineTransformMatrixGenerator)
def affine_matrix(m, x, w):
    if not (m.useRotation or m.useScale or m.useTranslation):
        return f"{x}.unflatten(-1, (2, 3))"
    name = w.helper('''
def affine_matrix(angle, scale, y, x):
    """2 x 3 matrices that turn, scale and shift (y, x)."""
    c, s = angle.cos() * scale, angle.sin() * scale
    return torch.stack([c, -s, c * y - s * x, s, c, s * y + c * x], -1).unflatten(-1, (2, 3))''')
    parts = w.let(f"{x}.unbind(-1)", x.shape[-1])
    zero = f"torch.zeros_like({x}[..., 0])"
    angle = str(parts.pop(0)) if m.useRotation else zero
    scale = str(parts.pop(0)) if m.useScale else f"torch.ones_like({x}[..., 0])"
    y, x = map(str, parts) if m.useTranslation else (zero, zero)
    return f"{name}({angle}, {scale}, {y}, {x})"
