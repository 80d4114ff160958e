"""Draws the pictures of the book into docs/book/images.

python docs/book/pictures.py [NAME ...]
"""

from __future__ import annotations

import runpy
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import pytorch_legacy as pl
from pytorch_legacy import nn, optim, rnn
from pytorch_legacy.explain import plot

HERE = Path(__file__).resolve().parent
IMAGES = HERE / "images"
BLUE, ORANGE, GRAY = "#4878a8", "#e08030", "#707070"


def _box(axes: Any, x: float, y: float, text: str, colour: str = BLUE, width: float = 1.0, height: float = 0.5) -> None:
    from matplotlib.patches import FancyBboxPatch

    corner = x - width / 2, y - height / 2
    axes.add_patch(
        FancyBboxPatch(
            corner, width, height, "round,pad=0,rounding_size=0.06", facecolor="white", edgecolor=colour, linewidth=1.5
        )
    )
    axes.text(x, y, text, ha="center", va="center", fontsize=9)


def _arrow(axes: Any, tail: tuple[float, float], head: tuple[float, float], text: str = "", colour: str = GRAY) -> None:
    style = {"arrowstyle": "->", "color": colour, "linewidth": 1.5}
    axes.annotate("", head, tail, arrowprops=style)
    axes.text((tail[0] + head[0]) / 2, (tail[1] + head[1]) / 2 + 0.05, text, ha="center", va="bottom", fontsize=8, color=colour)


def _canvas(width: float, height: float, right: float, top: float) -> tuple[Any, Any]:
    """A figure of that size in inches with axes from 0 to `right` and 0 to `top`, which are not drawn."""
    figure = plot.new_figure(width, height)
    axes = figure.subplots()
    axes.set(xlim=(0, right), ylim=(0, top))
    axes.set_axis_off()
    return figure, axes


def contract() -> Any:
    """Forward, and the two halves of backward, in a chain of three."""
    figure, axes = _canvas(8, 2.7, 8, 2.6)
    names = ("layer 1", "layer 2", "criterion")
    for i, name in enumerate(names):
        x = 1.6 + 2.4 * i
        _box(axes, x, 1.5, name, width=1.1, height=0.7)
        _arrow(axes, (x - 1.75, 1.7), (x - 0.6, 1.7), ("input", "output", "output")[i])
        if i:
            _arrow(axes, (x - 0.6, 1.25), (x - 1.75, 1.25), colour=ORANGE)
            axes.text(x - 1.2, 1.18, "gradOutput", ha="center", va="top", fontsize=8, color=ORANGE)
        if i < 2:
            _arrow(axes, (x, 1.1), (x, 0.45), colour=ORANGE)
            axes.text(x, 0.4, "accGradParameters\nadds to gradWeight, gradBias", ha="center", va="top", fontsize=8, color=ORANGE)
    _arrow(axes, (7.0, 1.7), (7.8, 1.7), "loss")
    _arrow(axes, (1.0, 1.25), (0.2, 1.25), colour=ORANGE)
    axes.text(0.55, 1.18, "gradInput", ha="center", va="top", fontsize=8, color=ORANGE)
    axes.text(2.8, 2.2, "forward: updateOutput", ha="center", fontsize=9, color=GRAY)
    axes.text(5.2, 2.2, "backward: updateGradInput", ha="center", fontsize=9, color=ORANGE)
    return figure


def fork() -> Any:
    """A fork and a sum are each other's way back."""
    figure, axes = _canvas(8, 2.2, 8, 2.2)
    for left, isFork in ((0.0, True), (4.2, False)):
        one, other = (left + 0.5, left + 3.0) if isFork else (left + 3.0, left + 0.5)
        for y, name in ((1.7, "a"), (0.5, "b")):
            ends = ((one + 0.3, 1.1), (other - 0.3, y)) if isFork else ((other + 0.3, y), (one - 0.3, 1.1))
            _arrow(axes, *ends)
            back = [(x, height - 0.13) for x, height in reversed(ends)]
            _arrow(axes, back[0], back[1], colour=ORANGE)
            axes.text(other, y, f"{name}\nd{name}", ha="center", va="center", fontsize=10)
        axes.text(one, 1.1, "x\nda + db" if isFork else "a + b\ng, to both", ha="center", va="center", fontsize=10)
        axes.text(left + 1.75, 2.1, "ConcatTable" if isFork else "CAddTable", ha="center", va="center", fontsize=10)
    return figure


def _matrix(axes: Any, matrix: Any, title: str) -> None:
    from matplotlib.colors import ListedColormap

    rows, columns = matrix.shape
    axes.imshow(matrix, ListedColormap(["#ffffff", "#a8c4e0", BLUE, ORANGE]), vmin=0, vmax=3)
    axes.set(title=title, xticks=[], yticks=[])
    for (row, column), value in np.ndenumerate(matrix):
        if value:
            axes.text(column, row, f"w{int(value) - 1}", ha="center", va="center", fontsize=9)
    axes.set_xticks(np.arange(columns + 1) - 0.5, minor=True)
    axes.set_yticks(np.arange(rows + 1) - 0.5, minor=True)
    axes.grid(which="minor", color="#c8c8c8", linewidth=0.7)
    axes.tick_params(which="minor", length=0)


def convolution() -> Any:
    """The matrix of a kernel of three with stride two, and its transpose."""
    matrix = np.zeros((3, 7))
    for output in range(3):
        matrix[output, 2 * output : 2 * output + 3] = 1, 2, 3
    figure = plot.new_figure(7, 3)
    left, right = figure.subplots(1, 2, width_ratios=[7, 3])
    _matrix(left, matrix, "forward: y = A x")
    _matrix(right, matrix.T, "back: dx = A^T g")
    left.set(xlabel="cells", ylabel="outputs")
    right.set(xlabel="outputs", ylabel="cells")
    return figure


def pools() -> Any:
    """A signal through three pooling layers, and the gradient of the sum of their outputs."""
    signal = np.random.default_rng(3).normal(size=(24, 1)).cumsum(0)
    layers = {"average": nn.TemporalAveragePooling(4), "SoftPool": nn.TemporalSoftPool(4), "maximum": nn.TemporalMaxPooling(4)}
    figure = plot.new_figure(9, 3.4)
    panels = figure.subplots(2, 3, sharex=True, sharey="row", height_ratios=[3, 2])
    for (name, layer), above, below in zip(layers.items(), *panels, strict=True):
        output = layer.double().forward(signal).copy()
        counts = layer.backward(signal, np.ones_like(output))
        above.plot(signal, ".-", color="#c8c8c8")
        above.step(np.arange(0, 25, 4) - 0.5, np.append(output, output[-1]), where="post", color=BLUE)
        above.set_title(name, fontsize="medium")
        below.bar(np.arange(24), counts[:, 0], color=ORANGE)
        below.axhline(0, color=GRAY, linewidth=0.7)
    panels[0, 0].set_ylabel("input, output")
    panels[1, 0].set_ylabel("gradient")
    return figure


def groups() -> Any:
    """Draws the cells of a batch of three samples with three channels that share mean and variance."""
    figure = plot.new_figure(8, 2.6)
    titles = ("SpatialBatchNormalization", "SpatialInstanceNormalization", "LayerNormalization")
    for axes, title in zip(figure.subplots(1, 3), titles, strict=True):
        chosen = np.zeros((3, 3, 4), int)  # sample, channel, place
        samples, channels = slice(None) if "Batch" in title else 1, slice(None) if "Layer" in title else 1
        chosen[samples, channels] = 1
        for sample, channel, place in np.ndindex(chosen.shape):
            colour = ORANGE if chosen[sample, channel, place] else "#dce6f0"
            axes.add_patch(_square(channel * 2.6 + place % 2, sample * 2.6 + place // 2, colour))
        axes.set(xlim=(-0.3, 7.5), ylim=(7.5, -0.3), aspect="equal", xticks=[1, 3.6, 6.2], yticks=[1, 3.6, 6.2])
        axes.set_xticklabels(["channel 0", "1", "2"])
        axes.set_yticklabels(["sample 0", "1", "2"])
        axes.set_title(title, fontsize="medium")
        axes.tick_params(length=0)
        for side in axes.spines.values():
            side.set_visible(False)
    return figure


def _square(x: float, y: float, colour: str) -> Any:
    from matplotlib.patches import Rectangle

    return Rectangle((x, y), 0.95, 0.95, facecolor=colour)


def losses() -> Any:
    """Three losses of one number whose target is 0, and their gradients."""
    x = np.linspace(-3, 3, 121)
    figure = plot.new_figure(8, 2.8)
    left, right = figure.subplots(1, 2)
    criterions = {
        "MSECriterion": nn.MSECriterion(),
        "AbsCriterion": nn.AbsCriterion(),
        "SmoothL1Criterion": nn.SmoothL1Criterion(),
    }
    for (name, criterion), colour in zip(criterions.items(), (BLUE, GRAY, ORANGE), strict=True):
        criterion.double()
        pairs = [(value[None], np.zeros(1)) for value in x]
        left.plot(x, [criterion.forward(*pair) for pair in pairs], color=colour, label=name)
        right.plot(x, [criterion.backward(*pair)[0] for pair in pairs], color=colour)
    left.set(title="loss", xlabel="input - target", ylim=(0, 4))
    right.set(title="gradient", xlabel="input - target", ylim=(-3, 3))
    left.legend(fontsize="small")
    return figure


def unrolled() -> Any:
    """A recurrent layer as a chain of three steps."""
    figure, axes = _canvas(8, 2.6, 8, 2.6)
    for t in range(3):
        x = 1.8 + 2.2 * t
        _box(axes, x, 1.3, "W, U, b", width=1.0, height=0.6)
        _arrow(axes, (x, 0.35), (x, 0.97))
        _arrow(axes, (x, 1.63), (x, 2.25))
        axes.text(x, 0.2, f"x{t + 1}", ha="center", va="center")
        axes.text(x, 2.4, f"h{t + 1}", ha="center", va="center")
        _arrow(axes, (x - 1.65, 1.4), (x - 0.53, 1.4), f"h{t}" if t else "0")
        if t:
            _arrow(axes, (x - 0.53, 1.2), (x - 1.65, 1.2), colour=ORANGE)
    return figure


def vanishing() -> Any:
    """The size of the gradient at the first step, for sequences of 1 to 60 steps."""
    pl.manualSeed(1)
    cell = nn.Sequential(nn.ParallelTable(nn.Linear(8, 8), nn.Linear(8, 8)), nn.CAddTable(), nn.Tanh())
    open_gate = rnn.SeqLSTM(8, 8)
    open_gate.bias[8:16] = 6
    layers = {
        "tanh": rnn.Sequencer(rnn.Recurrence(cell, 8, 1)),
        "LSTM": rnn.SeqLSTM(8, 8),
        "LSTM, forget gate wide open": open_gate,
    }
    steps = range(1, 61, 3)
    inputs = np.random.default_rng(0).normal(size=(60, 1, 8))
    figure = plot.new_figure(7, 3)
    axes = figure.subplots()
    for (name, layer), colour in zip(layers.items(), (GRAY, BLUE, ORANGE), strict=True):
        layer.double()
        sizes = []
        for count in steps:
            layer.forget()
            layer.forward(inputs[:count])
            last = np.zeros((count, 1, 8))
            last[-1] = 1
            sizes.append(np.linalg.norm(layer.backward(inputs[:count], last)[0]))
        axes.semilogy(steps, sizes, ".-", color=colour, label=name)
    axes.set(xlabel="steps", ylabel="gradient at the first step")
    axes.legend(fontsize="small")
    return figure


def sparse() -> Any:
    """Draws the rows of a sparse layer's gradient that are not zero."""
    layer = nn.SparseLinear(40, 6)
    batch = [np.float32([[3, 1], [17, 2]]), np.float32([[17, -1], [30, 1]]), np.float32([[8, 1], [31, -2], [36, 1]])]
    layer.forward(batch)
    layer.accGradParameters(batch, np.random.default_rng(0).normal(size=(3, 6)).astype(np.float32))
    figure = plot.new_figure(8, 1.7)
    axes = figure.subplots()
    limit = np.abs(layer.gradWeight).max()
    axes.imshow(layer.gradWeight, cmap="PuOr_r", vmin=-limit, vmax=limit)
    axes.set(xlabel="column", ylabel="output")
    return figure


def optimizers() -> Any:
    """The ways of three optimizers in a long valley."""
    scale = np.array([1.0, 30.0])
    configs: dict[str, tuple[Any, dict[str, float]]] = {
        "sgd": (optim.sgd, {"learningRate": 0.05}),
        "sgd, momentum 0.8": (optim.sgd, {"learningRate": 0.03, "momentum": 0.8}),
        "adam": (optim.adam, {"learningRate": 0.3}),
    }
    figure = plot.new_figure(7, 3)
    axes = figure.subplots()
    columns, rows = np.meshgrid(np.linspace(-5, 1.5, 120), np.linspace(-1.2, 1.2, 80))
    axes.contour(columns, rows, columns**2 + 30 * rows**2, levels=12, colors="#d0d0d0", linewidths=0.7)
    for (name, (step, config)), colour in zip(configs.items(), (GRAY, ORANGE, BLUE), strict=True):
        point = np.array([-4.5, 1.0])
        way = [point.copy()]
        for _ in range(40):
            point, _ = step(lambda x: (0.5 * float((scale * x * x).sum()), scale * x), point, config)
            way.append(point.copy())
        axes.plot(*np.transpose(way), ".-", color=colour, label=name, linewidth=1, markersize=3)
    axes.set(xlim=(-5, 1.5), ylim=(-1.2, 1.2), xticks=[], yticks=[])
    axes.legend(fontsize="small")
    return figure


def bytes_() -> Any:
    """The first bytes of a .t7 file, cut into fields."""
    data = (HERE.parents[1] / "examples" / "digits" / "digits_test.t7").read_bytes()
    fields = [(4, "tag 3: table"), (4, "index 1"), (4, "6 entries"), (4, "tag 2: string"), (4, "length 6"), (6, "'images'")]
    fields += [(4, "tag 4: object"), (4, "index 2"), (4, "length 3"), (3, "'V 1'"), (4, "length 16"), (16, "'torch.ByteTensor'")]
    figure, axes = _canvas(9, 2.6, 26, 5.2)
    at, x, y = 0, 0.0, 4.2
    for length, meaning in fields:
        if x + length > 26:
            x, y = 0.0, y - 2
        axes.text(x + length / 2, y + 0.75, meaning, ha="center", fontsize=7, color=GRAY)
        for byte in data[at : at + length]:
            text = f"{byte:02x}" if not meaning.startswith("'") else chr(byte)
            axes.add_patch(_square(x, y - 0.4, "#dce6f0" if meaning.startswith("'") else "#f6dcc4"))
            axes.text(x + 0.47, y, text, ha="center", va="center", fontsize=7, family="monospace")
            x += 1
        at += length
    return figure


def porting() -> Any:
    """Draws the errors of outputs against double precision, layer by layer: by rounding, and with a wrong epsilon."""
    examples = HERE.parents[1] / "examples" / "digits"
    checkpoint, test = pl.load(examples / "digits.t7"), pl.load(examples / "digits_test.t7")
    pictures = (test["images"][:50] / 255 - checkpoint["mean"]) / checkpoint["std"]
    right, rounded = checkpoint["model"].evaluate().double(), checkpoint["model"].evaluate().clone().float()
    wrong = right.clone()
    for module in wrong.findModules("nn.SpatialBatchNormalization")[0]:
        module.eps = 0.1
    right.forward(pictures)
    figure = plot.new_figure(7, 3)
    axes = figure.subplots()
    for net, name, colour in ((rounded, "single precision: rounding", BLUE), (wrong, "wrong epsilon: a fault", ORANGE)):
        net.forward(pictures.astype(net[0].weight.dtype))
        errors = [np.abs(one.output - other.output).max() for one, other in zip(net.modules, right.modules, strict=True)]
        axes.semilogy(np.arange(len(errors)), np.maximum(errors, 1e-9), ".-", color=colour, label=name)
    axes.set(xlabel="layer", ylabel="largest error", xticks=range(0, 18, 3))
    axes.legend(fontsize="small")
    return figure


def swish() -> Any:
    """Swish and its slope for three values of beta."""
    x = np.linspace(-5, 5, 201)
    figure = plot.new_figure(8, 2.8)
    left, right = figure.subplots(1, 2)
    for beta, colour in ((0.5, GRAY), (1.0, BLUE), (3.0, ORANGE)):
        layer = nn.Sequential(nn.ConcatTable(nn.Identity(), nn.Sequential(nn.MulConstant(beta), nn.Sigmoid())), nn.CMulTable())
        left.plot(x, layer.double().forward(x), color=colour, label=f"beta {beta:g}")
        right.plot(x, layer.backward(x, np.ones_like(x)), color=colour)
    left.set_title("output", fontsize="medium")
    right.set_title("slope", fontsize="medium")
    left.legend(fontsize="small")
    return figure


def coalescing() -> Any:
    """Draws the cells that eight threads read in one step: a cell of eight planes, or eight cells of one plane."""
    figure = plot.new_figure(8, 2.2)
    for axes, shares in zip(figure.subplots(1, 2), (False, True), strict=True):
        read = np.zeros((8, 24), int)
        read[(0, slice(8)) if shares else (slice(None), 0)] = 1
        for (plane, cell), isRead in np.ndenumerate(read):
            axes.add_patch(_square(cell, plane, ORANGE if isRead else "#dce6f0"))
        axes.set(
            xlim=(-0.2, 24.2), ylim=(8.2, -0.2), aspect="equal", xticks=[], yticks=[], xlabel="cells of a plane", ylabel="planes"
        )
        axes.set_title("a team shares a plane" if shares else "each thread has a plane", fontsize="medium")
    return figure


PICTURES: dict[str, Callable[[], Any]] = {
    "bytes": bytes_,
    "coalescing": coalescing,
    "contract": contract,
    "convolution": convolution,
    "fork": fork,
    "groups": groups,
    "losses": losses,
    "optimizers": optimizers,
    "pools": pools,
    "porting": porting,
    "sparse": sparse,
    "swish": swish,
    "unrolled": unrolled,
    "vanishing": vanishing,
}


if __name__ == "__main__":
    write = runpy.run_path(str(HERE.parent / "pictures.py"))["write"]
    IMAGES.mkdir(exist_ok=True)
    for name in sys.argv[1:] or PICTURES:
        write(PICTURES[name](), IMAGES / f"{name}.png")
