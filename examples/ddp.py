"""Two processes train a network of ours on the digits, by PyTorch's DistributedDataParallel.

``python examples/ddp.py`` starts them. The network is an ordinary one of `nn`; `pytorch_legacy.torch.Module` shows it to
PyTorch, which takes the mean of the processes' gradients, by gloo. After each epoch process 0 writes a checkpoint, a .t7 file.
The same command goes on from there, whatever ended it. The file is for ``pytorch-legacy run``, too:
``pytorch-legacy run digits_ddp.t7 examples/digits/digit_3.png``.

On several machines, with ``--out`` in a folder that all of them see: ``torchrun --nnodes 2 --nproc-per-node 1 --rdzv-backend c10d
--rdzv-endpoint HOST:29500 examples/ddp.py``.
"""

import argparse
import os
import signal
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

import pytorch_legacy as pl
from pytorch_legacy import nn
from pytorch_legacy.torch import Module  # says what to install if PyTorch is missing

import torch  # isort: skip
import torch.distributed as dist
import torch.multiprocessing
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

DIGITS = Path(__file__).with_name("digits") / "digits_test.t7"
MEAN, STD, HELD = 0.305, 0.376, 71  # mean and deviation of the pixels between 0 and 1; number of pictures in the test set


def network() -> nn.Sequential:
    return nn.Sequential(
        nn.SpatialConvolution(1, 16, 3, 3, 1, 1, 1, 1),
        nn.SpatialBatchNormalization(16),
        nn.ReLU(),
        nn.SpatialMaxPooling(2, 2, 2, 2),
        nn.SpatialConvolution(16, 32, 3, 3, 1, 1, 1, 1),
        nn.SpatialBatchNormalization(32),
        nn.ReLU(),
        nn.SpatialMaxPooling(2, 2, 2, 2),
        nn.View(32 * 2 * 2).setNumInputDims(3),
        nn.Dropout(0.2),
        nn.Linear(32 * 2 * 2, 10),
        nn.LogSoftMax(),
    )


def pictures() -> tuple[TensorDataset, TensorDataset]:
    """Returns the training set and the test set."""
    table = pl.load(DIGITS)
    x = torch.from_numpy((table["images"].astype(np.float32) / 255 - MEAN) / STD)
    y = torch.from_numpy(table["labels"] - 1)  # Lua's labels count from 1
    return TensorDataset(x[HELD:], y[HELD:]), TensorDataset(x[:HELD], y[:HELD])


def options_of(arguments: list[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=Path("digits_ddp.t7"), help="the checkpoint (default digits_ddp.t7)")
    parser.add_argument("--epochs", type=int, default=20, help="in all (default 20)")
    parser.add_argument("--processes", type=int, default=2, help="on this machine (default 2)")
    parser.add_argument("--batch", type=int, default=16, help="pictures in a step of each process (default 16)")
    parser.add_argument("--rate", type=float, default=0.05, help="learning rate (default 0.05)")
    parser.add_argument("--seed", type=int, default=1, help="of weights, order and dropout (default 1)")
    options = parser.parse_args(arguments)
    for name in ("epochs", "processes", "batch"):
        if getattr(options, name) < 1:
            parser.error(f"--{name}: expected 1 or more, got {getattr(options, name)}")
    if not options.out.resolve().parent.is_dir():
        parser.error(f"--out: there is no folder {options.out.resolve().parent}")
    return options


def begun(options: argparse.Namespace, processes: int) -> dict:
    """Returns the content of an earlier run's file, or the beginning of a new one."""
    asked = {"processes": processes, "batch": options.batch, "rate": options.rate, "seed": options.seed}
    if not options.out.exists():
        pl.manualSeed(options.seed)
        return {
            "model": network(), "classes": [str(digit) for digit in range(10)],
            "mean": MEAN, "std": STD, "imageSize": [8, 8], "epoch": 0, "momentum": [], "options": asked,
        }  # fmt: skip
    checkpoint = pl.load(options.out)
    stored = checkpoint.get("options") if isinstance(checkpoint, dict) else None
    if stored != asked:
        sys.exit(f"{options.out}: expected a checkpoint of a run with {asked}, got {stored}; choose another --out")
    return checkpoint


def train(rank: int, processes: int, rendezvous: str, options: argparse.Namespace) -> None:
    """Runs in each of the processes."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C goes to all processes: the one that started the others ends them
    threads = max(1, (os.cpu_count() or 1) // processes)
    torch.set_num_threads(threads)
    pl.setNumThreads(threads)
    dist.init_process_group("gloo", init_method=rendezvous, rank=rank, world_size=processes)
    checkpoint = begun(options, processes)
    net = checkpoint["model"].training()
    live = Module(net)
    module = DistributedDataParallel(live)
    optimizer = torch.optim.SGD(module.parameters(), options.rate, momentum=0.9)
    for parameter, momentum in zip(module.parameters(), checkpoint["momentum"], strict=False):  # there is none at first
        optimizer.state[parameter]["momentum_buffer"] = torch.from_numpy(np.array(momentum))
    learned, held = pictures()
    sampler = DistributedSampler(learned, processes, rank, seed=options.seed)
    loader = DataLoader(learned, options.batch, sampler=sampler)
    for epoch in range(checkpoint["epoch"] + 1, options.epochs + 1):
        start, total = time.perf_counter(), torch.zeros(1)
        sampler.set_epoch(epoch)  # another order
        # random numbers of an epoch do not depend on earlier epochs
        pl.manualSeed(1000 * (processes * epoch + rank) + options.seed)
        for x, y in loader:
            optimizer.zero_grad()
            loss = F.nll_loss(module(x), y)
            loss.backward()
            optimizer.step()
            total += loss.detach() / len(loader) / processes
        dist.all_reduce(total)
        if rank == 0:
            seconds = time.perf_counter() - start
            checkpoint["epoch"] = epoch
            checkpoint["momentum"] = [optimizer.state[p]["momentum_buffer"].numpy() for p in module.parameters()]
            right = accuracy(live, held)
            pl.save(options.out, checkpoint | {"model": net.clearState()})  # whole, or not at all
            print(
                f"epoch {epoch} of {options.epochs}: loss {total.item():.4f}, {right:.1%} of {HELD} others right, "
                f"{len(sampler) * processes / seconds:,.0f} pictures a second",
                flush=True,
            )
    sys.stdout.flush()
    os._exit(0)  # PyTorch 2.13 may wait for itself for ever when it takes down a process group that DDP has used


def accuracy(live: Module, held: TensorDataset) -> float:
    x, y = held.tensors
    live.eval()
    with torch.no_grad():
        right = (live(x).argmax(1) == y).float().mean().item()
    live.train()
    return right


def main() -> int:
    options = options_of()
    if "RANK" in os.environ:  # torchrun has started this process
        train(int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"]), "env://", options)
        return 0
    if done := begun(options, options.processes)["epoch"]:
        going = "going on" if done < options.epochs else "nothing is left to do"
        print(f"{options.out} has {done} epochs of {options.epochs}: {going}", flush=True)
    if done >= options.epochs:
        return 0
    with tempfile.TemporaryDirectory() as folder:
        arguments = (options.processes, f"file://{folder}/rendezvous", options)
        running = torch.multiprocessing.spawn(train, arguments, options.processes, join=False)
        try:
            while not running.join():
                pass
        except KeyboardInterrupt:
            stopped = "stopped"
        except torch.multiprocessing.ProcessExitedException as error:  # the others have been ended, too
            stopped = str(error)
        else:
            return 0
        for process in running.processes:
            process.kill()
            process.join()
    print(f"{stopped}; the same command goes on after the last epoch that is done", file=sys.stderr)
    return 130 if stopped == "stopped" else 1


if __name__ == "__main__":
    sys.exit(main())
