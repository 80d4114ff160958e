"""The same elements in another shape or order, parts of them, and borders around them."""

from pytorch_legacy import authors, nn
from pytorch_legacy.nn import check
from pytorch_legacy.nn.padding.BorderPadding import BorderPadding

from ..registry import rule
from ..texts import axis, joined, number, options, reshaped, trimmed, whole


@rule(nn.View, nn.Reshape, nn.Collapse)
def view(m, x, w):
    shapes = w.shapes_after(m, x)
    return reshaped(x, shapes)


@rule(nn.Squeeze)
def squeeze(m, x, w):
    after = w.shapes_after(m, x)
    if len({len(shape) for shape in after}) > 1:
        return reshaped(x, after)  # our layer raises an error here
    if m.dim is not None:
        asked = [axis(m, m.dim, x, m.numInputDims)]
    else:
        keeps_batch = x.shape[0] is None or check.batched(x.ndim, m.numInputDims)
        asked = [*range(keeps_batch, x.ndim)]
        if keeps_batch and m.numInputDims is None:
            w.note("a batch of one stays a batch")
    gone = [i for i in asked if x.shape[i] in (1, None)]  # sizes that vary may come to be 1
    if any(x.shape[i] is None for i in gone):  # one after the other: exporters to ONNX take no several that vary
        text = str(x) + "".join(f".squeeze({i})" for i in reversed(gone))
        return f"torch.atleast_1d({text})" if len(gone) == x.ndim else text
    left = [tuple(size for i, size in enumerate(shape) if i not in gone) for shape in x.shapes]
    return f"{x}.squeeze({sizes_or_one(gone)})" if gone and left == after else reshaped(x, after)


def sizes_or_one(numbers):
    return str(numbers[0]) if len(numbers) == 1 else str(tuple(numbers))


@rule(nn.Unsqueeze)
def unsqueeze(m, x, w):
    return f"{x}.unsqueeze({m._axis(x.arrays[0])})"


@rule(nn.Identity, nn.Contiguous, nn.PrintSize)
def identity(m, x, w):
    return x


@rule(nn.Copy)
def copy(m, x, w):
    kinds = {"float32": "float", "float64": "double", "int64": "long", "int32": "int", "uint8": "byte"}
    after = str(w.ours(m, x)[0].dtype)
    return x if str(x.held[0].dtype) == f"torch.{after}" else f"{x}.{kinds[after]}()"


@rule(nn.Transpose)
def transpose(m, x, w):
    order = m._order(x.arrays[0])
    moved = [i for i, source in enumerate(order) if i != source]
    if not moved:
        return x
    return f"{x}.transpose({joined(moved)})" if len(moved) == 2 else f"{x}.permute({joined(order)})"


@rule(nn.Select)
def select(m, x, w):
    return f"{x}.select({axis(m, m.dimension, x)}, {m.index})"


@rule(nn.Narrow)
def narrow(m, x, w):
    windows = [m._window(array)[-1] for array in x.arrays]
    dimension = len(m._window(x.arrays[0])) - 1
    starts, lengths = {window.start for window in windows}, {window.stop - window.start for window in windows}
    size = f"{x}.size({dimension})"
    start = number(starts.pop()) if len(starts) == 1 else f"{size} - {x.shapes[0][dimension] - windows[0].start}"
    if len(lengths) == 1:
        return f"{x}.narrow({dimension}, {start}, {lengths.pop()})"
    return f"{x}.narrow({dimension}, {start}, {size} - {x.shapes[0][dimension] - windows[0].stop + windows[0].start})"


@rule(nn.Replicate)
def replicate(m, x, w):
    dimension = m._layout(x.arrays[0])[0]
    repeats = [m.nfeatures if i == dimension else -1 for i in range(x.ndim + 1)]
    return f"{x}.unsqueeze({dimension}).expand({joined(repeats)})"


@rule(nn.PixelShuffle)
def pixel_shuffle(m, x, w):
    return f"F.pixel_shuffle({x}, {m.upscaleFactor})"


@rule(nn.Index)
def index(m, x, w):
    w.note("indices count from 0")
    return f"{x[0]}.index_select({check.axis(m, m.dimension, x[0].ndim)}, {whole(x[1])})"


@rule(nn.MaskedSelect)
def masked_select(m, x, w):
    return f"{x[0]}.masked_select({x[1]}.bool())"


@rule(nn.OneHot)
def one_hot(m, x, w):
    w.note("indices count from 0")
    kind = "double" if m._dtype == "float64" else "float"
    return f"F.one_hot({whole(x)}, {m.outputSize}).{kind}()"


@rule(nn.Padding)
def padding(m, x, w):
    batch = m.nInputDim is not None and x.ndim != m.nInputDim
    dimension = check.axis(m, m.dim, x.ndim, "dim", batch)
    count = abs(m.pad)
    if m.index == 0:
        sides = (0, count) if m.pad > 0 else (count, 0)
        pads = trimmed((0, 0) * (x.ndim - 1 - dimension) + sides)
        return f"F.pad({x}, {pads}{options(value=(number(float(m.value)), '0.0'))})"
    split = f"{x}.size({dimension}) - {m.index}" if m.pad > 0 else str(m.index)
    before = w.let(f"{x}.narrow({dimension}, 0, {split})")
    after = w.let(f"{x}.narrow({dimension}, {split}, {x}.size({dimension}) - {before}.size({dimension}))")
    shape = joined(count if i == dimension else f"{x}.size({i})" for i in range(x.ndim))
    return f"torch.cat([{before}, {x}.new_full(({shape},), {number(float(m.value))}), {after}], {dimension})"


@rule(nn.SpatialZeroPadding)
def zero_padding(m, x, w):
    return f"F.pad({x}, {(m.pad_l, m.pad_r, m.pad_t, m.pad_b)})"


@rule(BorderPadding)
def border_padding(m, x, w):
    mode = "reflect" if isinstance(m, nn.SpatialReflectionPadding) else "replicate"
    return f"F.pad({x}, {tuple(getattr(m, side) for side in m._sides)}, {mode!r})".replace("'", '"')


@rule(authors.ShaveImage)
def shave_image(m, x, w):
    return f"F.pad({x}, {(-m.size,) * 4})"
