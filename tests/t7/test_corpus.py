"""The fuzzer's corpus without the fuzzer: golden files, strange ones, and every input that was once too much."""

import random
import resource
import time
from pathlib import Path

import pytest

from tests.fuzz.harness import examine

CORPUS = sorted(path for path in (Path(__file__).parents[1] / "fuzz" / "corpus").iterdir() if path.is_file())


def test_the_corpus_is_there_and_small():
    assert len(CORPUS) > 40 and sum(path.stat().st_size for path in CORPUS) < 300_000


@pytest.mark.parametrize("path", CORPUS, ids=lambda path: path.name)
def test_examined(path):
    examine(path.read_bytes())


SMALL = [path for path in CORPUS if path.stat().st_size < 700]


def test_every_end():
    for path in SMALL[::4]:
        content = path.read_bytes()
        for end in range(len(content)):
            examine(content[:end])


def test_single_bytes_changed():
    choice = random.Random(7)
    begin = time.process_time()
    for path in SMALL:
        content = path.read_bytes()
        for place in range(0, len(content), 3):
            changed = bytearray(content)
            changed[place] = choice.choice((0, 1, 2, 3, 4, 8, 127, 255, choice.randrange(256)))
            examine(bytes(changed))
    assert time.process_time() - begin < 240
    # A few megabytes of modules, tensors and messages: nothing was allocated on the word of a broken file.
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss < 4 << 20
