"""A layer in place writes over memory that others see: through views, and views of views."""

from __future__ import annotations

import pytest

import pytorch_legacy as pl
from pytorch_legacy import authors, nn

torch = pytest.importorskip("torch", reason='the bridge needs torch: pip install "pytorch-legacy[torch]"')


def chain(*modules: nn.Module) -> nn.Sequential:
    net = nn.Sequential()
    for module in modules:
        net.add(module)
    return net


def both(*modules: nn.Module) -> nn.ConcatTable:
    table = nn.ConcatTable()
    for module in modules:
        table.add(module)
    return table


def graph() -> nn.Module:
    x = nn.Identity()()
    hidden = nn.Linear(4, 6)(x)
    return nn.gModule([x], [nn.ReLU(True)(nn.View(2, 3)(hidden)), nn.Linear(6, 2)(hidden)])


# Layers that copy where PyTorch's text need not: who writes over one of the two leaves the other as it is.
COPIES = {
    "Dropout": nn.Dropout(0),
    "Convert": nn.Convert("bf", "bf"),
    "CAddTable": chain(both(nn.Identity()), nn.CAddTable()),
    "CMulTable": chain(both(nn.Identity()), nn.CMulTable()),
    "CMaxTable": chain(both(nn.Identity()), nn.CMaxTable()),
}

AFTER_LINEAR = {
    "view": both(nn.Identity(), chain(nn.View(2, 3), nn.ReLU(True))),
    "view_before": both(nn.View(2, 3), chain(nn.Identity(), nn.ReLU(True))),
    "two_views": both(nn.View(2, 3), chain(nn.View(3, 2), nn.AddConstant(2, True)), nn.Identity()),
    "view_of_view": both(nn.Identity(), chain(nn.Unsqueeze(1), nn.Reshape(3, 2), nn.ELU(1, True)), nn.Replicate(2)),
    "replicated_before": both(nn.Replicate(2, 1), chain(nn.Identity(), nn.MulConstant(3, True))),
    "repeated": chain(nn.Replicate(2, 1), both(nn.Identity(), nn.ReLU(True), nn.MulConstant(3, True))),
    "view_of_repeated": chain(nn.Replicate(2, 1), both(nn.Identity(), chain(nn.View(3, 4), nn.AddConstant(2, True)))),
    "identity_of_repeated": chain(nn.Replicate(2, 1), nn.Identity(), both(nn.Identity(), chain(nn.Copy(), nn.ELU(1, True)))),
    "split": both(nn.Identity(), chain(nn.View(2, 3), nn.SplitTable(1), nn.ParallelTable().add(nn.ReLU(True)).add(nn.Tanh()))),
    "selected": both(nn.Identity(), chain(nn.View(2, 3), nn.Select(1, 0), nn.ReLU(True))),  # nn.Select copies
    "sum": both(nn.Identity(), chain(both(nn.View(2, 3), chain(nn.Tanh(), nn.View(2, 3))), nn.CAddTable(True))),
    "bottle": chain(nn.View(2, 3), both(nn.Identity(), nn.Bottle(nn.HardTanh(-0.1, 0.1, True)), nn.View(6))),
    "parallel": chain(nn.View(2, 3), both(nn.Identity(), nn.Parallel(1, 1).add(nn.ReLU(True)).add(nn.Linear(3, 2)))),
    "clip": both(nn.Identity(), authors.InplaceClip01()),
    "detached": both(nn.Identity(), chain(authors.NoBackprop(nn.View(3, 2)), nn.AddConstant(2, True))),
    **{f"copied_by_{name}": both(nn.Identity(), chain(copy, nn.AddConstant(2, True))) for name, copy in COPIES.items()},
    **{
        f"copy_by_{name}": chain(
            both(nn.Identity(), copy), both(chain(nn.SelectTable(0), nn.AddConstant(2, True)), nn.SelectTable(1))
        )
        for name, copy in COPIES.items()
    },
}


@pytest.mark.parametrize("name", [*AFTER_LINEAR, "graph", "input"])
def test_in_place(name: str) -> None:
    nets = {"graph": graph, "input": lambda: both(nn.Identity(), chain(nn.View(2, 2), nn.AddConstant(2, True)), nn.View(4, 1))}
    net = nets[name]() if name in nets else chain(nn.Linear(4, 6), AFTER_LINEAR[name])
    assert pl.to_torch(net, (None, 4)).proof.whole < 1e-6
