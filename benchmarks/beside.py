"""Puts what `python -m benchmarks` printed on several machines side by side: ratios to PyTorch, and shares of the copy bandwidth.

python -m benchmarks.beside docs/benchmarks/*.txt
"""

from __future__ import annotations

import argparse
import re
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
    yield f"{'layer':32} {'input':38} {'direction':9}{heads}"
    for layer, size, direction in columns[0]:
        if all((layer, size, direction) in column for column in columns):
            cells = (column[layer, size, direction] for column in columns)
            yield f"{layer:32} {size:38} {direction:9}" + "".join(f"  {ratio:>7} {share:>4} %" for ratio, share in cells)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("runs", nargs="+", type=Path, help="files with the output of `python -m benchmarks`")
    runs = parser.parse_args().runs
    for run in runs:
        if not run.is_file():
            parser.error(f"{run}: there is no such file")
    print(*beside([run.read_text().splitlines() for run in runs]), sep="\n")


if __name__ == "__main__":
    main()
