"""The example that writes text, with the models of other people and with one made here."""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import Any

import pytest

import pytorch_legacy as pl
from pytorch_legacy.authors import LanguageModel
from tests.realfiles import realfile

SCRIPT = Path(__file__).parents[2] / "examples" / "generate_text.py"


@pytest.fixture
def script() -> Any:
    return runpy.run_path(str(SCRIPT))


@pytest.mark.parametrize("name", ["torch-rnn__wired-titles.t7", "char-rnn__lstm_epoch2.36_1.7753.t7"])
def test_text(script: Any, capsys: Any, name: str) -> None:
    arguments = [str(realfile(name)), "--start", "The ", "--length", "200", "--temperature", "0.5"]
    texts = []
    for seed in ("1", "1", "2"):
        script["main"]([*arguments, "--seed", seed])
        texts.append(capsys.readouterr().out)
    assert texts[0] == texts[1] != texts[2]
    text = texts[0].removesuffix("\n")
    assert text.startswith("The ") and len(text) == 204
    # It is English after all: among two hundred letters and spaces, words of the right length.
    assert 3 < len(text) / len(text.split()) < 9


def test_the_vocabulary_is_used(script: Any) -> None:
    pl.manualSeed(3)
    model = LanguageModel("ab", wordvec_size=2, rnn_size=2)
    assert set(script["tokens"]({"model": model}, 30, "", 1.0)) == {"a", "b"}
    with pytest.raises(SystemExit, match="no checkpoint"):
        script["tokens"]([1], 30, "", 1.0)
