"""Puts what `python -m benchmarks` printed on several machines side by side: ratios to PyTorch, and shares of the copy bandwidth.

python -m benchmarks.beside docs/benchmarks/*.txt                          every row
python -m benchmarks.beside docs/benchmarks/*.txt --families               a line for each family of layers
python -m benchmarks.beside docs/benchmarks/*.txt --plot docs/benchmarks/speed.png   every ratio as a dot
"""

from __future__ import annotations

import argparse
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from statistics import median

from pytorch_legacy import nn

# Layer, input and direction; milliseconds of ours and of PyTorch; ratio; rate; share.
ROW = re.compile(r"(\S+) +(.*?) +(forward|backward) +[\d.]+ +[\d.]+ +([\d.]+) +[\d.]+ GB/s +(\d+) %")
Run = dict[tuple[str, ...], tuple[str, str]]


def figures(lines: Iterable[str]) -> Run:
    """Ratio and share of each layer, input and direction."""
    found = (ROW.match(line) for line in lines)
    return {match.group(1, 2, 3): match.group(4, 5) for match in found if match}


def beside(runs: list[list[str]]) -> Iterator[str]:
    """The lines of a table: the rows of the first run that all others have, too."""
    for number, run in enumerate(runs, 1):
        yield f"{number}: {run[0]}"
    columns = [figures(run) for run in runs]
    yield ""
    heads = "".join(f"  {f'ratio {number}':>7}  share" for number in range(1, len(runs) + 1))
    yield f"{'layer':32} {'input':38} {'direction':9}{heads}"
    for layer, size, direction in columns[0]:
        if all((layer, size, direction) in column for column in columns):
            cells = (column[layer, size, direction] for column in columns)
            yield f"{layer:32} {size:38} {direction:9}" + "".join(f"  {ratio:>7} {share:>4} %" for ratio, share in cells)


def by_family(run: Run) -> dict[str, dict[str, list[tuple[float, float]]]]:
    """Ratios and shares of each family of nn and direction, a pair for each row."""
    found: dict[str, dict[str, list[tuple[float, float]]]] = defaultdict(lambda: defaultdict(list))
    for (layer, _, direction), (ratio, share) in run.items():
        family = getattr(nn, layer).__module__.split(".")[2]
        found[family][direction].append((float(ratio), float(share)))
    return found


def families(runs: list[list[str]]) -> Iterator[str]:
    """A table in Markdown: the median ratio of a family in each run, and the lowest and highest one of all runs."""
    columns = [by_family(figures(run)) for run in runs]
    yield "| family | rows | forward | lowest, highest | backward | lowest, highest |"
    yield "|---|---:|---|---|---|---|"
    for family, directions in columns[0].items():
        cells = [family, str(len(directions["forward"]))]
        for direction in ("forward", "backward"):
            ratios = [[ratio for ratio, _ in column[family][direction]] for column in columns]
            every = [ratio for column in ratios for ratio in column]
            cells += [", ".join(f"{median(column):.1f}" for column in ratios), f"{min(every):.1f}, {max(every):.1f}"]
        yield f"| {' | '.join(cells)} |"


def plot(runs: list[list[str]], path: Path) -> None:
    """Draws every ratio of every run as a dot, family by family."""
    import matplotlib.pyplot as plt

    columns = [by_family(figures(run)) for run in runs]
    names = list(columns[0])[::-1]
    figure, axes = plt.subplots(figsize=(8, 0.32 * len(names) + 1.2))
    for height, color, direction in ((0.15, "tab:blue", "forward"), (-0.15, "tab:orange", "backward")):
        dots = [(ratio, at + height) for at, name in enumerate(names) for run in columns for ratio, _ in run[name][direction]]
        x, y = zip(*dots, strict=True)
        axes.plot([max(value, 0.05) for value in x], y, ".", color=color, alpha=0.5, label=direction)
    axes.axvline(1, color="black", linewidth=0.8)
    axes.set_xscale("log")
    axes.set_xticks([0.1, 0.5, 1, 2, 5, 10, 20, 50], ["0.1", "0.5", "1", "2", "5", "10", "20", "50"])
    axes.set_yticks(range(len(names)), names)
    axes.set_xlabel("times as fast as PyTorch")
    axes.legend(loc="lower left")
    figure.savefig(path, bbox_inches="tight")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("runs", nargs="+", type=Path, help="files with the output of `python -m benchmarks`")
    parser.add_argument("--families", action="store_true", help="a line for each family of layers")
    parser.add_argument("--plot", type=Path, metavar="IMAGE", help="draw the ratios instead")
    options = parser.parse_args()
    for run in options.runs:
        if not run.is_file():
            parser.error(f"{run}: there is no such file")
    runs = [run.read_text().splitlines() for run in options.runs]
    if options.plot:
        plot(runs, options.plot)
    else:
        print(*(families if options.families else beside)(runs), sep="\n")


if __name__ == "__main__":
    main()
