"""Writes bridges.md: what leaves for PyTorch, and what does not.

python docs/bridges.py
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

from pytorch_legacy import nn, rnn
from pytorch_legacy.bridge.registry import rule_of
from pytorch_legacy.files.classes import PACKAGES
from pytorch_legacy.nn.Criterion import Criterion
from pytorch_legacy.nn.Module import Module

PAGE = Path(__file__).with_name("bridges.md")

INTRODUCTION = """\
# To PyTorch and ONNX

Made by `python docs/bridges.py`.

```sh
pip install "pytorch-legacy[torch]"                            # or [onnx], for .onnx
pytorch-legacy convert net.t7 net.py --input 1x3x224x224       # class Net(nn.Module), load(), net.safetensors beside it
pytorch-legacy convert net.t7 net.onnx --input 1x3x224x224     # run in onnxruntime before it is written
pytorch-legacy convert net.t7 net.pt2 --input 1x3x224x224      # for torch.export.load
```

```python
module = pl.to_torch(net, (None, 3, 224, 224))     # a torch.nn.Module, with its text in module.source
print(module.proof)                                # how much each layer differs from ours
pl.to_python(net, "net.py", (None, 3, 224, 224))   # the same text as a file, which needs nothing of this package
pl.from_torch(module, like=net)                    # what it learned in PyTorch, back in the network
pl.from_torch(torch.nn.Sequential(...))            # common layers: a new network, which pl.save writes for Torch7
```

Each line of the text is run in PyTorch while it is written, our layer on the same numbers, and the results are compared; in the
end the whole is. What differs by more than 1e-5 of its largest number is not written without `--force`, and the first layer that
differs is named. Two examples that differ in size say what may vary: None in a shape, the first size and capital letters on the
command line. Where PyTorch means something else, the text does what Torch7 did, and a comment on the line says so.

Names: what `convert net.t7 net.safetensors` and `pl.interop` write is named by the place in the old tree, `0.weight`, as in the
state dict of a `torch.nn.Sequential` of the same layers, and loads into it. What lies beside `net.py` has the names of its class,
`conv1.weight`, `fc.bias`; the comment behind each field, `# 0`, is its place in the old tree. Fields of one kind are numbered in
the order in which they run, one that is alone has no number. Weights that fields share stand in the file once. Weights that no
line reads, of a part whose output nobody takes, have no field. What has learned under these names goes back with
`pl.from_torch(load_file("net.safetensors"), like=net, example=...)` or
`convert net.safetensors new.t7 --into net.t7 --input 1x3x224x224`; what has no field stays as it is in the network.

What has no rule is refused by name. `pl.to_torch(net, example, wrap=True)` embeds it alive, by
`pytorch_legacy.torch.Module`; `convert --wrap` writes it to `net.<place>.t7` beside `net.py`, which then needs this package and
says so. ONNX and .pt2 cannot hold such layers.

What differs by intent:

- Indices and labels count from 0. Networks keep their batch: where Torch7's View dropped a batch of one, the module does not.
- NaN passes through activations, which made numbers of it in Torch7.
- Layers that add to the gradient (L1Penalty, losses inside a network, Reinforce) give their output: add their loss to yours.
  Where equal maxima meet, CMaxTable and global max pooling share the gradient.
- A module that stands in a network twice, without a clone, gets the gradients of both passes.
- A network that kept its state from call to call takes it and returns it: `y, state = module(x, state)`, None at first. So does
  one with a recurrent layer outside of a sequencer, which goes on with a step in each call.
- Rewards (VRClassReward, BinaryClassReward) give the loss, and the gradient of the baseline; what random layers learn from them
  is for log_prob of torch.distributions.
- NCEModule without `normalized` draws classes in evaluation too, and so does the module: it cannot be compared, and does not go
  to ONNX. Random layers that are `stochastic` (Reinforce) are refused.
- What a layer in place writes over is seen by all who hold the memory, as in Torch7; gradients are those of what is computed.
- WeightNorm of other layers than Linear, dense convolutions of any dimension and transposed ones is written with the weight as it
  runs, and cannot be taken back by `from_torch`.
- ONNX: `fixed` says which sizes no exporter keeps free. Of recurrent networks `.pt2` has no more than the batch free.

## Classes
"""


def page() -> str:
    parts, missing = [INTRODUCTION], []
    for package in PACKAGES:
        module = import_module(f"pytorch_legacy.{package}")
        entries = {name: getattr(module, name) for name in sorted(module.__all__)}
        found = {name: cls for name, cls in entries.items() if isinstance(cls, type) and issubclass(cls, (Module, Criterion))}
        kinds = {"layers": Module, "criterions": Criterion}
        for kind, base in kinds.items():
            names = [f"`{name}`" for name, cls in found.items() if issubclass(cls, base) and rule_of(cls)]
            if names:
                parts.append(f"**pl.{package}**, {kind}: {', '.join(names)}\n")
        missing += [f"pl.{package}.{name}" for name, cls in found.items() if rule_of(cls) is None and cls not in BASES]
    names = ", ".join(f"`{name}`" for name in missing)
    return "\n".join([*parts, f"Without a rule: {names or 'none'}.\n"])


BASES = (Module, Criterion, nn.Container, nn.Decorator, nn.Unknown, rnn.AbstractSequencer)

if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
