"""Model scripts of the time, which make what the original Torch7 made of them: the same draws, parameters and passes.

Inputs and gradients are ramps. The seed is 123 when a script begins, and again before it builds if it returns a function; 7
before the pass in training, and 9 before charlstm.lua's network is unrolled.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pytorch_legacy as pl
from pytorch_legacy import random

from .to_python import WrittenSession

GOLDEN = Path(__file__).parent / "scripts"
EXPECTED: list[dict[str, Any]] = json.loads((GOLDEN / "expected.json").read_text())
MODELS = [entry for entry in EXPECTED if entry["script"] != "training.lua"]
TRAININGS = [entry for entry in EXPECTED if entry["script"] == "training.lua"]


def ramp(shape: Any, scale: float = 1.0) -> Any:
    n = int(np.prod(shape))
    return (scale * (np.linspace(-1, 1, n) if n > 1 else np.ones(1))).reshape(shape)


def like(value: Any) -> Any:
    return [like(one) for one in value] if isinstance(value, list) else ramp(value.shape)


def plain(value: Any) -> Any:
    """Returns a table of tensors as a list."""
    return [plain(value[i]) for i in range(1, len(value) + 1)] if isinstance(value, pl.lua.View) else value


def check(got: Any, wanted: Any, tolerance: float = 1e-12) -> None:
    if isinstance(wanted, list):
        assert len(got) == len(wanted)
        for one, other in zip(got, wanted, strict=True):
            check(one, other, tolerance)
        return
    assert list(got.shape) == wanted["shape"]
    assert np.abs(got.reshape(-1) - np.array(wanted["values"])).max() <= tolerance


def check_vector(got: Any, wanted: dict[str, Any], tolerance: float) -> None:
    assert got.size == wanted["count"]
    first = wanted.get("values") or wanted["first"]
    assert np.abs(got[: len(first)] - np.array(first)).max() <= tolerance
    assert abs(got.sum() - wanted["sum"]) <= 1e-11 * max(1, got.size) and abs((got**2).sum() - wanted["sumsq"]) <= 1e-9


FORMS = pytest.mark.parametrize("form", [pl.lua.Session, WrittenSession], ids=["lua", "python"])


def built(entry: dict[str, Any], form: type[pl.lua.Session]) -> tuple[pl.lua.Session, Any, Any]:
    """Returns the session, what the script returned, and the model."""
    script, options = entry["script"], entry.get("options")
    pl.manualSeed(123)
    session = form(requires=["nn"])
    made = session.run(GOLDEN / script)
    if script in ("residual.lua", "charlstm.lua", "autoencoder.lua"):
        pl.manualSeed(123)
    if script == "residual.lua":
        return session, made, made(options)
    if script == "charlstm.lua":
        return session, made, made["create"](6, 5, 2, 0.25)
    if script == "autoencoder.lua":
        session.globals["Model"], session.globals["X"] = made, np.zeros((3, 8, 12))
        return session, made, session.execute("return Model:createAutoencoder(X)")
    return session, made, made["model"] if script == "siamese.lua" else made


def inputs(entry: dict[str, Any]) -> Any:
    wanted = entry["input"]
    return (
        [np.array(one["values"]).reshape(one["shape"]) for one in wanted]
        if isinstance(wanted, list)
        else np.array(wanted["values"]).reshape(wanted["shape"])
    )


@FORMS
@pytest.mark.parametrize("entry", MODELS, ids=lambda entry: entry["script"])
def test_a_model(entry, form, tmp_path):
    session, made, model = built(entry, form)
    state = random.getRNGState()
    session.globals.update(net=model, x=inputs(entry))
    assert session.execute("return torch.random()") == entry["next_random"]
    random.setRNGState(state)
    assert model._typename == entry["class"] and session.execute("return tostring(net)") == entry["tostring"]
    session.execute("params, grads = net:getParameters()")
    check_vector(session.execute("return params"), entry["parameters"], 0)

    check(plain(session.execute("net:evaluate() return net:forward(x)")), entry["evaluate"])
    session.execute("net:training() net:zeroGradParameters() torch.manualSeed(7) out = net:forward(x)")
    wanted = entry["training"]
    output = plain(session.execute("return out"))
    check(output, wanted["output"])
    session.globals["gradOutput"] = like(output)
    check(plain(session.execute("return net:backward(x, gradOutput)")), wanted["gradInput"])
    check_vector(session.execute("return grads"), wanted["gradParameters"], 1e-11)
    assert session.execute("return torch.random()") == wanted["next_random"]
    check(plain(session.execute("net:evaluate() return net:forward(x)")), entry["evaluate_after"])

    if "error" in entry:
        with pytest.raises(pl.lua.LuaError) as caught:
            made(entry["error"]["options"])
        assert str(caught.value.value).endswith(entry["error"]["message"])
    if "nParameters" in entry:
        assert made["nParameters"] == entry["nParameters"] and made["perTower"] == entry["perTower"]
    if "unrolled" in entry:
        check_unrolled(session, made, entry["unrolled"])
    if "noise_state" in entry:
        check_custom(session, entry, tmp_path)


def check_unrolled(session: pl.lua.Session, made: Any, wanted: dict[str, Any]) -> None:
    text = wanted["text"]
    session.globals.update(LSTM=made, text=np.array(text["values"], float).reshape(text["shape"]))
    loss, grads = session.execute("torch.manualSeed(9) net:training() return LSTM.loss(net, text, 5, 2)")
    assert abs(loss - wanted["loss"]) <= 1e-12
    check_vector(grads, wanted["gradParameters"], 1e-12)
    assert session.execute("return torch.random()") == wanted["next_random"]


def check_custom(session: pl.lua.Session, entry: dict[str, Any], folder: Path) -> None:
    count, mean = session.execute("local noise = net:get(2) return noise.count, noise.mean[1]")
    assert count == entry["noise_state"]["count"] and abs(mean - entry["noise_state"]["mean"]) <= 1e-15
    assert session.execute("return tostring(net:clone())") == entry["clone_tostring"]
    session.globals["file"] = str(folder / "net.t7")
    change = session.execute(
        "torch.save(file, net) local n = torch.load(file) return (n:forward(x) - net:forward(x)):abs():max()"
    )
    assert change == entry["reload_difference"]
    with pytest.raises(pl.lua.LuaError) as caught:
        session.run(GOLDEN / "customlayer.lua")
    assert str(caught.value.value).endswith(entry["second_definition"])
    found = session.execute("net:float() net:evaluate() return net:forward(x:float())")
    assert found.dtype == np.float32
    check(found, entry["evaluate_float"], 1e-6)


@FORMS
def test_surgery(form):
    assert form(seed=1).run(GOLDEN / "surgery.lua") is True


@FORMS
@pytest.mark.parametrize("entry", TRAININGS, ids=lambda entry: " ".join(entry["options"]) or "sgd")
def test_a_training(entry, form, capsys):
    pl.manualSeed(123)
    session = form()
    found = session.run(GOLDEN / "training.lua", *entry["options"])
    assert capsys.readouterr().out.splitlines() == entry["printed"]
    assert session.execute("return torch.random()") == entry["next_random"]
    losses = [found["losses"][i] for i in range(1, len(found["losses"]) + 1)]
    assert np.abs(np.array(losses) - entry["losses"]).max() <= 1e-11
    assert found["accuracy"] == entry["accuracy"] and found["errors"] == entry["errors"]
    check_vector(found["params"], entry["parameters"], 1e-10)
    state = {key: value for key, value in found["state"].items() if isinstance(value, float)}
    assert state == pytest.approx(entry["state"])
    assert repr(found["model"]) == entry["tostring"]
