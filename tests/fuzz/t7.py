"""Coverage-guided fuzzing of the .t7 reader and of what stands above it.

    python tests/fuzz/t7.py --seconds 60                  from the corpus in the repository; new inputs are thrown away
    python tests/fuzz/t7.py --seconds 3600 --corpus DIR   ... and new inputs are kept in DIR
    python tests/fuzz/t7.py --runs 20000 --seed 1         as CI: chance begins at the same place each time

Needs atheris (pip install ".[fuzz]"). An input that breaks a rule of tests/fuzz/harness.py is saved as crash-* in the
present folder; put it into tests/fuzz/corpus, where tests/t7/test_corpus.py tries it ever after, and mend the fault.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CORPUS = Path(__file__).with_name("corpus")
# Words of the format, which chance would not find.
WORDS = (
    "V 1", "nn.Sequential", "nn.Linear", "nn.SpatialConvolution", "nn.View", "nn.Unheard", "nn.GPU", "modules", "weight",
    "bias", "kW", "_type", "output", "torch.FloatTensor", "torch.FloatStorage", "torch.LongStorage", "torch.CudaTensor",
    "torch.ByteTensor", "torch.Timer", "torch.Generator", "tds.Hash", "tds.Vec", "tds.AtomicCounter", "nn.DataParallelTable",
)  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=int, help="stop after so long (60 unless --runs is given)")
    parser.add_argument("--runs", type=int, help="stop after so many inputs")
    parser.add_argument("--seed", type=int, default=0, help="where chance begins; 0: anywhere")
    parser.add_argument("--corpus", type=Path, metavar="DIR", help="where to keep inputs that reach something new")
    options = parser.parse_args()
    sys.path.insert(0, str(ROOT))
    try:
        import atheris
    except ImportError:
        sys.exit('atheris is not installed; run: pip install ".[fuzz]" (it has no wheels for some versions of Python)')

    with atheris.instrument_imports(include=["pytorch_legacy.files", "pytorch_legacy.interop", "pytorch_legacy.cli"]):
        from tests.fuzz.harness import examine

    with tempfile.TemporaryDirectory() as scratch:
        words = Path(scratch, "words")
        words.write_text("".join(f'"{word}"\n' for word in WORDS))
        found = options.corpus or Path(scratch, "found")
        found.mkdir(parents=True, exist_ok=True)
        end = f"-runs={options.runs}" if options.runs else f"-max_total_time={options.seconds or 60}"
        limits = [end, "-timeout=10", "-rss_limit_mb=2048", "-max_len=8192", f"-seed={options.seed}"]
        arguments = [sys.argv[0], *limits, f"-dict={words}", "-print_final_stats=1", str(found), str(CORPUS)]

        def test_one_input(content: bytes) -> None:
            examine(content)

        atheris.Setup(arguments, test_one_input)
        atheris.Fuzz()


if __name__ == "__main__":
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    main()
