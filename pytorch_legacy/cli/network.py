"""The options that ``run`` and ``run-many`` share: which network of a file to run, and how to prepare its input."""

from __future__ import annotations

import argparse
from typing import Any

from pytorch_legacy.inference import models
from pytorch_legacy.inference.output import say
from pytorch_legacy.inference.preprocessing import PRESETS, Preprocessing
from pytorch_legacy.nn.listing import refuse_endless
from pytorch_legacy.nn.Module import Module
from pytorch_legacy.optimizing import reduced

from .options import finite, pixels, planes, whole

PREPARATION = """\
A picture becomes an array of 1 x channels x height x width:
(byte * scale - mean) / std. An option overrides --preset, which overrides the
model file (imageSize or size, cropSize, mean, std and bgr, beside the network
or in a table named transform). The settings used are printed. Arrays of bytes
get only scale, mean and std, other arrays only --mean and --std."""
TYPES = {
    "cpu": ("torch.FloatTensor", "torch.DoubleTensor"),
    "cuda": ("torch.CudaTensor", "torch.CudaDoubleTensor"),
}
"""The types of a network on a device, in single and in double precision."""


def add_choices(parser: argparse._ActionsContainer) -> None:
    """Adds the options that choose a network of the model file and a tensor of the input file."""
    parser.add_argument("--model", metavar="PLACE", help="network of the file, such as protos.rnn")
    parser.add_argument("--key", metavar="PLACE", help="tensor of a .t7 table, or array of an .npz file")


def add_preparation(parser: argparse.ArgumentParser) -> None:
    """Adds the options that prepare pictures."""
    group = parser.add_argument_group("preparation of pictures", PREPARATION)
    group.add_argument("--preset", choices=PRESETS, metavar="NAME", help=", ".join(PRESETS))
    group.add_argument(
        "--size", type=pixels("--size", shorter=True), metavar="WxH", help="resize; one number sets the shorter side"
    )
    group.add_argument("--crop", type=pixels("--crop"), metavar="WxH", help="cut out the center after resizing")
    group.add_argument("--gray", action="store_true", default=None, help="convert to gray")
    group.add_argument("--bgr", action=argparse.BooleanOptionalAction, help="use the order blue, green, red")
    group.add_argument("--scale", type=finite("--scale"), help="default: 1/255, or 1 if a mean is above 1")
    group.add_argument("--mean", type=planes("--mean"), metavar="M[,M,M]", help="one number, or one per channel (default: 0)")
    group.add_argument("--std", type=planes("--std", 0), metavar="S[,S,S]", help="one number, or one per channel (default: 1)")


def add_computation(group: argparse._ActionsContainer) -> None:
    """Adds the options that say how to compute."""
    group.add_argument("--double", action="store_true", help="compute in double precision")
    group.add_argument(
        "--optimize", action=argparse.BooleanOptionalAction,
        help="fold layers; results differ by rounding (default: on)"
    )  # fmt: skip
    group.add_argument("--threads", type=whole("--threads", 1, 1024), metavar="N", help="default: one per processor")


def chosen(options: argparse.Namespace, value: Any) -> Module:
    """Returns the network of the file with the content `value` that the options choose."""
    network = models.network(options.file, value, options.model)
    refuse_endless(network)
    return network


def evaluating(options: argparse.Namespace, value: Any) -> tuple[Module, Preprocessing]:
    """Returns the network in evaluation mode, on the CPU, and the preparation of its pictures."""
    network = chosen(options, value)
    preprocessing = Preprocessing.of(options, value, network)
    network.type(TYPES["cpu"][options.double]).evaluate()
    return optimized(options, network), preprocessing


def optimized(options: argparse.Namespace, network: Module) -> Module:
    """Returns the network without what evaluation does not need, unless the options keep it as it is."""
    if options.optimize is False:
        return network
    return reduced(network, (lambda text: say(f"note: {text}")) if options.optimize else None)
