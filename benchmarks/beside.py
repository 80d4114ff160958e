"""Puts what `python -m benchmarks` printed on several machines side by side: ratios to PyTorch, and shares of the copy bandwidth.

python -m benchmarks.beside docs/benchmarks/*.txt
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

# Layer, input and direction; milliseconds of ours and of PyTorch; ratio; rate; share.
ROW = re.compile(r"(\S+) +(.*?) +(forward|backward) +[\d.]+ +[\d.]+ +([\d.]+) +[\d.]+ GB/s +(\d+) %")


def figures(lines: Iterable[str]) -> dict[tuple[str, ...], tuple[str, str]]:
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
    yield f"{'layer':31} {'input':38} {'direction':9}{heads}"
    for layer, size, direction in columns[0]:
        cells = [column.get((layer, size, direction)) for column in columns]
        if all(cells):
            yield f"{layer:31} {size:38} {direction:9}" + "".join(f"  {cell[0]:>7} {cell[1]:>4} %" for cell in cells if cell)


if __name__ == "__main__":
    print(*beside([Path(name).read_text().splitlines() for name in sys.argv[1:]]), sep="\n")
