"""Pictures of what a training has shown, for notebooks: they need matplotlib and open no window."""

from __future__ import annotations

import base64
import io
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

import numpy as np

from pytorch_legacy.arrays import Tensor
from pytorch_legacy.explain.plot import new_figure

MOST_NUMBERS = 30  # classes, with which the counts can still be read
MOST_NAMES = 60


def plain(text: str) -> str:
    """A text that matplotlib shows as it is: no formula, and a name of a legend."""
    text = " ".join(text.split()).replace("$", r"\$")
    return f"\u200b{text}" if text.startswith("_") else text


def matrix(counts: Tensor, names: Sequence[str], title: str) -> Any:
    """The counts of each class' samples as a row of shares of grey."""
    n = len(counts)
    side = min(max(3.0, 0.45 * n), 14.0)
    figure = new_figure(side + 1.5, side + 1)
    axes = figure.add_subplot()
    shares = counts / np.maximum(counts.sum(1, keepdims=True), 1)
    axes.imshow(shares, cmap="Blues", vmin=0, vmax=1)
    axes.set_xlabel("prediction")
    axes.set_ylabel("target")
    axes.set_title(plain(title))
    if n <= MOST_NAMES:
        labels = [plain(name) for name in names]
        axes.set_xticks(range(n), labels, rotation=90 if max(map(len, labels)) > 2 else 0)
        axes.set_yticks(range(n), labels)
    if n <= MOST_NUMBERS:
        for (row, column), count in np.ndenumerate(counts):
            if count:
                colour = "white" if shares[row, column] > 0.5 else "black"
                axes.text(column, row, str(count), ha="center", va="center", color=colour, fontsize=8)
    return figure


def curves(columns: Mapping[str, Sequence[float]], title: str, logscale: bool) -> Any:
    """The columns as lines, over the number of the row."""
    figure = new_figure(6.5, 3.6)
    axes = figure.add_subplot()
    for name, column in columns.items():
        axes.plot(range(1, len(column) + 1), column, "-" if len(column) > 1 else "o", label=plain(name))
    axes.set_yscale("log" if logscale else "linear")
    axes.grid(True, alpha=0.3)
    axes.set_title(plain(title))
    if columns:
        axes.legend()
    return figure


def html(figure: Any, words: str) -> str:
    """The figure as a picture in a page; `words` say what it shows to those who do not see it."""
    memory = io.BytesIO()
    figure.savefig(memory, format="png", bbox_inches="tight")
    data = base64.b64encode(memory.getvalue()).decode("ascii")
    return f'<img alt="{escape(words)}" src="data:image/png;base64,{data}">'
