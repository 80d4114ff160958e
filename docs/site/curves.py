"""Curves: what a layer or a criterion makes of one number, for many numbers."""

from __future__ import annotations

import warnings
from contextlib import redirect_stdout
from html import escape
from io import StringIO
from typing import Any

import numpy as np

import pytorch_legacy as pl
from docs.site.catalog import Entry
from docs.site.example import Example

WIDTH, HEIGHT, REACH = 300, 220, 3.0
LOW, HIGH = -3.2, 3.2  # the range of the vertical axis
# Criterions whose loss of one number is a curve: the targets to show.
TARGETS: dict[str, tuple[float, ...]] = {
    "AbsCriterion": (1.0,),
    "BCECriterion": (1.0, 0.0),
    "HingeEmbeddingCriterion": (1.0, -1.0),
    "MSECriterion": (1.0,),
    "MarginCriterion": (1.0, -1.0),
    "MultiLabelSoftMarginCriterion": (1.0, 0.0),
    "SmoothL1Criterion": (1.0,),
    "SoftMarginCriterion": (1.0, -1.0),
}


def of(entry: Entry, one: Example) -> str:
    """The curves of a class, or nothing if it does not go element by element."""
    with warnings.catch_warnings(), np.errstate(all="ignore"), redirect_stdout(StringIO()):
        warnings.simplefilter("ignore")
        if entry.name in TARGETS and entry.isNn:
            return "".join(_losses(one.module, target) for target in TARGETS[entry.name])
        found = _elementwise(one.module) if isinstance(one.input, np.ndarray) else None
    if found is None:
        return ""
    x, y, slope = found
    return _figure(x, y, "output for an input") + _figure(x, slope, "gradInput, where gradOutput is 1")


def _elementwise(module: Any) -> tuple[Any, Any, Any] | None:
    """Places, values and slopes, if each element of the output is a function of that of the input."""
    x = np.linspace(-REACH, REACH, 121)
    if getattr(module, "modules", None):
        return None
    try:
        results: list[tuple[Any, Any]] = []
        for input in (x, x, x[40:]):
            pl.manualSeed(len(results))  # random layers differ
            y = np.copy(module.forward(np.copy(input)))
            results.append((y, np.copy(module.backward(np.copy(input), np.ones_like(input)))))
    except Exception:
        return None
    (y, slope), again, (part, partSlope) = results
    isSame = y.shape == x.shape == slope.shape and np.array_equal(y, again[0], True) and np.array_equal(y[40:], part, True)
    isSame = isSame and np.array_equal(slope[40:], partSlope, True)
    return (x, y, slope) if isSame and np.isfinite(y).sum() > 20 else None


def _losses(criterion: Any, target: float) -> str:
    isProbability = type(criterion).__name__ == "BCECriterion"
    x = np.linspace(0.01, 0.99, 99) if isProbability else np.linspace(-REACH, REACH, 121)
    wanted = np.array([target])
    losses = np.array([criterion.forward(np.array([place]), wanted) for place in x])
    slopes = np.array([np.copy(criterion.backward(np.array([place]), wanted))[0] for place in x])
    told = f"the target is {target:g}"
    return _figure(x, losses, f"loss for an input; {told}") + _figure(x, slopes, f"gradInput; {told}")


def _figure(x: Any, y: Any, caption: str) -> str:
    left, right = float(x[0]), float(x[-1])

    def across(a: float) -> float:
        return (a - left) / (right - left) * WIDTH

    def down(b: float) -> float:
        return (HIGH - b) / (HIGH - LOW) * HEIGHT

    def line(kind: str, x1: float, y1: float, x2: float, y2: float) -> str:
        return f'<line class="{kind}" x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"/>'

    marks = []
    for mark in range(-3, 4):
        if left <= mark <= right:
            marks.append(line("axis" if mark == 0 else "grid", across(mark), 0, across(mark), HEIGHT))
            marks.append(f'<text x="{across(mark):.1f}" y="{HEIGHT + 14}">{mark}</text>')
        if LOW <= mark <= HIGH:
            marks.append(line("axis" if mark == 0 else "grid", 0, down(mark), WIDTH, down(mark)))
            marks.append(f'<text x="-10" y="{down(mark) + 4:.1f}">{mark}</text>')
    drawn = ""
    for run in _runs(x, y):
        drawn += f'<polyline class="curve" points="{" ".join(f"{across(a):.1f},{down(b):.1f}" for a, b in run)}"/>'
    told = ", ".join(f"{a:g}: {b:.3g}" for a, b in list(zip(x, y, strict=True))[:: max(1, len(x) // 6)])
    size = f'viewBox="-24 -4 {WIDTH + 36} {HEIGHT + 24}" width="{WIDTH + 36}" height="{HEIGHT + 24}"'
    picture = f'<svg class="curve-of" role="img" aria-label="{escape(caption)}; {told}" {size}>{"".join(marks)}'
    picture += f'<svg x="0" y="0" width="{WIDTH}" height="{HEIGHT}" overflow="hidden">{drawn}</svg></svg>'
    return f"<figure>{picture}<figcaption>{escape(caption)}</figcaption></figure>"


def _runs(x: Any, y: Any) -> list[list[tuple[float, float]]]:
    """The points of a curve, in pieces: it is broken where it jumps, and where it is not finite or far out of the picture."""
    runs: list[list[tuple[float, float]]] = [[]]
    isShown = np.isfinite(y) & (np.abs(y) < 2 * HIGH)
    jumps = np.abs(np.diff(y, prepend=y[0])) > 0.5
    for a, b, shown, jump in zip(x, y, isShown, jumps, strict=True):
        if jump or not shown:
            runs.append([])
        if shown:
            runs[-1].append((float(a), float(b)))
    return [run for run in runs if len(run) > 1]
