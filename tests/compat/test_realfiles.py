"""Files of other people, where they are at hand: they load, run where they can, and are saved as they were."""

from __future__ import annotations

import io

import numpy as np
import pytest

import pytorch_legacy as pl
from pytorch_legacy import nn, t7
from tests.realfiles import FOLDER, realfile
from tests.t7.identical import Comparison

NAMES = sorted(path.name for path in FOLDER.glob("*") if path.suffix in (".t7", ".net"))


def test_a_net_of_cpp_torch_gives_what_its_author_recorded() -> None:
    net, x, y = (pl.load(realfile(f"cpp-torch__basic_{part}.t7")) for part in ("net", "x", "y"))
    np.testing.assert_array_equal(net.forward(x), y)


@pytest.mark.parametrize("name", NAMES or ["cpp-torch__basic_net.t7"])
def test_loaded_and_saved(name: str) -> None:
    path = realfile(name)
    with pl.migration.collect() as mended:
        loaded = pl.load(path)
    assert not isinstance(loaded, nn.Module) or str(loaded)
    saved = io.BytesIO()
    pl.save(saved, loaded)
    again = t7.read(saved.getvalue())
    if not mended and "Cuda" not in name:
        assert list(Comparison().differences(t7.read(path), again)) == []


def test_a_face_detector_of_2012_runs() -> None:
    net = pl.load(realfile("e-lab__new_face.net"))
    output = net.forward(np.zeros((1, 32, 32), net._dtype))
    assert np.isfinite(output).all()
