"""Tables: variables, while converting."""

from pytorch_legacy import nn
from pytorch_legacy.nn import check

from ..registry import rule
from ..texts import axis, cat, lacks


def _chained(sign):
    def write(m, x, w):
        if not isinstance(x, list):
            return x
        texts = [str(part) if part.shapes == x[0].shapes else f"{part}.reshape({x[0]}.shape)" for part in x]
        if any(part.shapes != x[0].shapes for part in x):
            w.note("elements are paired in order, whatever the shapes")
        return f" {sign} ".join(texts)

    return write


for _cls, _sign in ((nn.CAddTable, "+"), (nn.CSubTable, "-"), (nn.CMulTable, "*"), (nn.CDivTable, "/")):
    rule(_cls)(_chained(_sign))


@rule(nn.CMaxTable, nn.CMinTable)
def extremum(m, x, w):
    name = "minimum" if isinstance(m, nn.CMinTable) else "maximum"
    text = str(x[0])
    if len(x) > 1:
        w.note("equal elements share the gradient")
    for part in x[1:]:
        text = f"torch.{name}({text}, {part})"
    return text


@rule(nn.JoinTable)
def join(m, x, w):
    return cat(x, axis(m, m.dimension, x[0], m.nInputDims))


@rule(nn.SplitTable)
def split(m, x, w):
    dimension = axis(m, m.dimension, x, m.nInputDims)
    if x.shape[dimension] is None:
        raise lacks(m, "its table is as long as a size that varies; give examples that agree there")
    return w.let(f"{x}.unbind({dimension})", x.shape[dimension])


@rule(nn.SelectTable)
def select(m, x, w):
    return x[m._place(x)]


@rule(nn.NarrowTable)
def narrow(m, x, w):
    return x[m.offset : m.offset + m.length]


@rule(nn.FlattenTable)
def flatten(m, x, w):
    return [leaf for part in x for leaf in flatten(m, part, w)] if isinstance(x, list) else [x]


@rule(nn.ZipTable)
def zip_table(m, x, w):
    return [list(parts) for parts in zip(*x, strict=False)]


@rule(nn.ZipTableOneToMany)
def zip_one_to_many(m, x, w):
    return [[x[0], part] for part in x[1]]


@rule(nn.CAddTensorTable)
def add_tensor(m, x, w):
    first, others = x
    return [w.let(f"{first} + {part}{'' if part.shapes == first.shapes else f'.reshape({first}.shape)'}") for part in others]


@rule(nn.MixtureTable)
def mixture(m, x, w):
    gates, experts = x
    if not isinstance(experts, list):
        # However many there are, in the dimension of their gates.
        place = gates.ndim - 1 if m.dim is None else check.axis(m, m.dim, experts.ndim, "dim")
        moved = str(experts) if place == gates.ndim - 1 else f"{experts}.movedim({place}, {gates.ndim - 1})"
        return f"({gates}{_spread(experts.ndim - gates.ndim)} * {moved}).sum({gates.ndim - 1})"
    gate = w.let(f"{gates}.unbind(-1)", len(experts))
    spread = _spread(experts[0].ndim - gate[0].ndim)
    return " + ".join(f"{g}{spread} * {e}" for g, e in zip(gate, experts, strict=True))


def _spread(more):
    """Text for so many dimensions more at the end."""
    return {0: "", 1: ".unsqueeze(-1)"}.get(more, f"[(..., *[None] * {more})]")
