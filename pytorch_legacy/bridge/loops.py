"""Loops over the steps of a sequence as exporters take them: as many as an input has, or written out where that is fixed."""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from typing import Any

import torch
import torch.nn.functional as F
from torch._higher_order_ops.scan import scan

LAYERS = torch.nn.LSTM, torch.nn.GRU, torch.nn.RNN


def functions(space: dict[str, Any]) -> None:
    """Puts loops of any length in the place of those of the text's functions, which are in `space`."""
    for name, make in (("run_steps", _run_steps), ("run_recurrent", _run_recurrent), ("each_step", _each_step)):
        if name in space:
            space[name] = make(space[name])
    space.pop("__name__", None)  # by which PyTorch would import the text, to see what a step calls


def _is_free(x: torch.Tensor) -> bool:
    return isinstance(x.shape[0], torch.SymInt)


def _listed(state: Any) -> list[torch.Tensor]:
    return [*state] if isinstance(state, (tuple, list)) else [state]


def _looped(step: Callable[..., Any], state: Any, *sequences: torch.Tensor) -> tuple[torch.Tensor, tuple[torch.Tensor, ...]]:
    """The outputs of ``step(*parts, *state)``, which gives the next state, its output first; and the last state."""

    def one(state: list[torch.Tensor], parts: list[torch.Tensor]) -> Any:
        after = _listed(step(*parts, *state))
        return [part.clone() for part in after], after[0].clone()  # scan() takes nothing twice

    last, outputs = _scanned(one, _listed(state), [*sequences])
    return outputs, tuple(last)


def _scanned(step: Callable[..., Any], state: list[torch.Tensor], sequences: list[torch.Tensor]) -> tuple[Any, Any]:
    # The code that PyTorch has compiled for a loop of fixed sizes would fix the sizes of the next one.
    torch.compiler.reset()
    # If a tensor comes twice, within the step or as two states, scan() makes it one tensor, which then stays as it was. It notes
    # that no size be 1 if it gets sequences with other dimensions than the first one outermost.
    whole = [part.clone(memory_format=torch.contiguous_format) for part in sequences]
    return scan(step, [part.clone() for part in state], whole)  # type: ignore[no-any-return]


def _run_steps(usual: Callable[..., Any]) -> Callable[..., Any]:
    def run_steps(step: Any, x: torch.Tensor, state: Any, *beside: torch.Tensor) -> Any:
        return _looped(step, state, x, *beside) if _is_free(x) else usual(step, x, state, *beside)

    return run_steps


def _run_recurrent(usual: Callable[..., Any]) -> Callable[..., Any]:
    def run_recurrent(start: Any, step: Any, x: torch.Tensor, state: Any = None) -> Any:
        if not _is_free(x):
            return usual(start, step, x, state)
        if state is not None:
            outputs, (last,) = _looped(step, state, x)
            return outputs, last
        # The first step is a step of the loop too, which may have no other one.
        first = start(x[0])
        isFirst = torch.arange(x.shape[0], device=x.device) == 0
        outputs, (last,) = _looped(lambda part, isFirst, h: torch.where(isFirst, first, step(part, h)), first, x, isFirst)
        return outputs, last

    return run_recurrent


def _each_step(usual: Callable[..., Any]) -> Callable[..., Any]:
    def each_step(layer: Any, *sequences: torch.Tensor) -> Any:
        if not _is_free(sequences[0]):
            return usual(layer, *sequences)
        none = [sequences[0].new_zeros(())]  # for there must be a state
        return _scanned(lambda state, parts: ([part.clone() for part in state], layer(*parts)), none, [*sequences])[1]

    return each_step


class Stepwise(torch.nn.Module):
    """An nn.LSTM, nn.GRU or nn.RNN as a loop over the steps.

    Exporters get projections wrong, onnxruntime has none of them in double, and torch.export fixes the number of steps.
    """

    def __init__(self, rnn: Any) -> None:
        super().__init__()
        self.rnn = rnn

    def forward(self, x: torch.Tensor, state: Any = None) -> tuple[torch.Tensor, Any]:
        rnn = self.rnn
        x = x.transpose(0, 1).clone(memory_format=torch.contiguous_format) if rnn.batch_first else x
        if state is None:
            sizes = [rnn.proj_size or rnn.hidden_size, rnn.hidden_size][: 1 + (rnn.mode == "LSTM")]
            state = [x.new_zeros(rnn.num_layers * (1 + rnn.bidirectional), x.shape[1], size) for size in sizes]
        begin = [*zip(*(state if rnn.mode == "LSTM" or isinstance(state, list) else [state]), strict=True)]
        end: list[Any] = []
        for layer in range(rnn.num_layers):
            ways = []
            for reverse in range(1 + rnn.bidirectional):
                outputs, last = self._way(x, begin[len(end)], f"_l{layer}" + "_reverse" * reverse, bool(reverse))
                ways.append(outputs)
                end.append(last)
            x = torch.cat(ways, -1)
        after = tuple(torch.stack(parts) for parts in zip(*end, strict=True))
        return x.transpose(0, 1) if rnn.batch_first else x, after if rnn.mode == "LSTM" else after[0]

    def _way(self, x: torch.Tensor, state: Sequence[torch.Tensor], suffix: str, backward: bool) -> tuple[torch.Tensor, Any]:
        """The outputs of one layer in one direction, and its last state."""
        kinds = "weight_ih", "weight_hh", "bias_ih", "bias_hh", "weight_hr"
        into, within, bias, more, projection = (getattr(self.rnn, kind + suffix, None) for kind in kinds)

        def step(sums: torch.Tensor, *state: torch.Tensor) -> tuple[torch.Tensor, ...]:
            h, *rest = _step(self.rnn.mode, sums, F.linear(state[0], within, more), state)  # type: ignore[arg-type]
            return (h if projection is None else F.linear(h, projection), *rest)

        sums = F.linear(x, into, bias)  # type: ignore[arg-type]
        sums = sums.flip(0) if backward else sums
        outputs, last = (_looped if _is_free(x) else _unrolled)(step, state, sums)
        return outputs.flip(0) if backward else outputs, last


def _unrolled(step: Callable[..., Any], state: Any, x: torch.Tensor) -> tuple[torch.Tensor, Any]:
    outputs = []
    for part in x.unbind():
        state = step(part, *state)
        outputs.append(state[0])
    return torch.stack(outputs), state


def _step(mode: str, a: torch.Tensor, b: torch.Tensor, state: Sequence[torch.Tensor]) -> list[torch.Tensor]:
    """The state after a step, of what the input and the last output give to the gates."""
    if mode == "LSTM":
        i, f, g, o = (a + b).chunk(4, -1)
        c = f.sigmoid() * state[1] + i.sigmoid() * g.tanh()
        return [o.sigmoid() * c.tanh(), c]
    if mode == "GRU":
        (r, z, n), (s, u, m) = a.chunk(3, -1), b.chunk(3, -1)
        made = (n + (r + s).sigmoid() * m).tanh()
        return [made + (z + u).sigmoid() * (state[0] - made)]
    return [(a + b).tanh() if mode == "RNN_TANH" else (a + b).relu()]


class Onnx(torch.nn.Module):
    """An nn.LSTM, nn.GRU or nn.RNN as ONNX's own layers, which take any number of steps; torch.export would fix it."""

    def __init__(self, rnn: Any) -> None:
        super().__init__()
        self.mode, self.layers, self.ways, self.swaps = rnn.mode, rnn.num_layers, 1 + rnn.bidirectional, rnn.batch_first
        self.size, self.kinds = rnn.hidden_size, ["weight_ih", "weight_hh", *["bias_ih", "bias_hh"] * rnn.bias]
        order = {"LSTM": (0, 3, 1, 2), "GRU": (1, 0, 2)}.get(rnn.mode, (0,))  # in which ONNX has the gates
        for layer in range(rnn.num_layers):
            for kind in self.kinds:
                given = [getattr(rnn, f"{kind}_l{layer}{'_reverse' * way}").detach() for way in range(self.ways)]
                turned = [torch.cat([one.chunk(len(order))[i] for i in order]) for one in given]
                self.register_buffer(f"{kind}{layer}", torch.stack(turned))

    def forward(self, x: torch.Tensor, state: Any = None) -> tuple[torch.Tensor, Any]:
        x = x.transpose(0, 1) if self.swaps else x
        begin = [] if state is None else _listed(state)
        ends: list[Any] = []
        for layer in range(self.layers):
            weights = [getattr(self, f"{kind}{layer}") for kind in self.kinds]
            x, end = self._layer(x, weights, [part[self.ways * layer : self.ways * (layer + 1)] for part in begin])
            ends.append(end)
        after = tuple(torch.cat(parts) for parts in zip(*ends, strict=True))
        return x.transpose(0, 1) if self.swaps else x, after if self.mode == "LSTM" else after[0]

    def _layer(self, x: torch.Tensor, weights: list[torch.Tensor], begin: list[torch.Tensor]) -> tuple[torch.Tensor, list[Any]]:
        """The outputs of one layer, and its last state."""
        options: dict[str, Any] = {"hidden_size": self.size, "direction": "bidirectional" if self.ways > 1 else "forward"}
        if self.mode == "GRU":
            options["linear_before_reset"] = 1
        elif self.mode != "LSTM":
            options["activations"] = ["Relu" if self.mode == "RNN_RELU" else "Tanh"] * self.ways
        state = self.ways, x.shape[1], self.size
        count = 1 + (self.mode == "LSTM")
        y, *end = torch.onnx.ops.symbolic_multi_out(
            self.mode.partition("_")[0],
            [x, *weights[:2], torch.cat(weights[2:], 1) if weights[2:] else None, None, *begin],
            options,
            dtypes=[x.dtype] * (1 + count),
            shapes=[(x.shape[0], *state), *[state] * count],
        )
        return torch.cat(y.unbind(1), -1), end


def for_onnx(module: Any) -> Any:
    """The module with recurrent layers as those of ONNX, or as loops where onnxruntime has none."""
    return _replaced(module, lambda rnn: (Stepwise if rnn.proj_size or rnn.weight_ih_l0.dtype == torch.float64 else Onnx)(rnn))


def with_loops(module: torch.nn.Module) -> torch.nn.Module | None:
    """A second module, of the same weights, with each recurrent layer as a loop; None where that is the same one."""
    if not any(type(part) in LAYERS for part in module.modules()):
        return None
    shared: dict[int, Any] = {id(tensor): tensor for tensor in (*module.parameters(), *module.buffers())}
    return _replaced(copy.deepcopy(module, shared), Stepwise)  # type: ignore[no-any-return]


def _replaced(module: Any, make: Callable[[Any], torch.nn.Module]) -> Any:
    """The module with what `make` makes in place of each recurrent layer."""
    for name, inner in [*module.named_children()]:
        if type(inner) in LAYERS:
            setattr(module, name, make(inner))
        else:
            _replaced(inner, make)
    return module
