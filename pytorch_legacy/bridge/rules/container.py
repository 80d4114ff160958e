"""Containers and graphs: they lead the values through the modules they hold, and write next to nothing themselves."""

from pytorch_legacy import authors, dpnn, nn, nngraph

from ..aliases import Part
from ..registry import ADVICE, NoRule, find_rule, rule
from ..texts import axis, cat, field, joined, lacks, options, reshaped, sizes, trimmed, unfolded
from ..values import tree
from .convolution import convolve, full_convolve, geometry, temporal
from .linear import linear


@rule(nn.Container)
def container(m, x, w):
    """Writes the modules of a container along its route. `find_rule` passes over this rule for containers without one."""
    places = {}
    for i, module in enumerate(m.modules):
        places.setdefault(id(module), []).append(i)

    def run(module, value):
        own = places.get(id(module))  # several, if the module stands at several places
        if own is None:
            raise NoRule(f"route runs a module that is not in modules: {module!r}")
        return w.convert(module, value, own.pop(0) if len(own) > 1 else own[0])

    return m.route(run, x)


@rule(nn.MapTable)
def map_table(m, x, w):
    m.resize(len(x))
    return [w.convert(module, part, i) for i, (module, part) in enumerate(zip(m.modules, x, strict=True))]


@rule(nn.Concat)
def concat(m, x, w):
    parts = [w.convert(module, x, i) for i, module in enumerate(m.modules)]
    return w.let(cat(parts, axis(m, m.dimension, parts[0])))


@rule(nn.DepthConcat)
def depth_concat(m, x, w):
    parts = [w.convert(module, x, i) for i, module in enumerate(m.modules)]
    joint = axis(m, m.dimension, parts[0])
    found = _centred(parts, joint)
    if not any(any(zeros) for pads in found for zeros in pads):
        return w.let(cat(parts, joint))
    if any(part.shape[i] is None for part in parts for i in range(1, part.ndim) if i != joint):  # so the zeros may vary, too
        return w.let(f"{w.helper(_CENTRED)}([{joined(parts)}], {joint})")
    w.note("smaller ones stand in the middle of zeros")
    texts = [f"F.pad({part}, {zeros})" if any(zeros) else str(part) for part, zeros in zip(parts, found[0], strict=True)]
    return w.let(cat(texts, joint))


def _centred(parts, joint):
    """For each example the pads, as F.pad takes them, that make all parts as large as the largest."""
    found = []
    for shapes in zip(*(part.shapes for part in parts), strict=True):  # the shapes of one example
        largest = [max(sizes) for sizes in zip(*shapes, strict=True)]
        found.append([])
        for shape in shapes:
            zeros = [0 if i == joint else whole - shape[i] for i, whole in enumerate(largest)]
            found[-1].append(trimmed(tuple(side for count in reversed(zeros) for side in (count // 2, count - count // 2))))
    return found


_CENTRED = '''
def cat_centred(parts, dim):
    """One part after the other along dim, smaller ones in the middle of zeros."""
    padded = []
    for part in parts:
        pads = []
        for i in range(part.ndim - 1, -1, -1):
            missing = 0 if i == dim else max(other.size(i) for other in parts) - part.size(i)
            pads += [missing // 2, missing - missing // 2]
        padded.append(F.pad(part, pads))
    return torch.cat(padded, dim)'''


@rule(nn.Parallel)
def parallel(m, x, w):
    split = axis(m, m.inputDimension, x)
    count = x.shape[split]  # there may be fewer slices than modules; the last modules do not run then
    if count is None:
        raise lacks(m, "the number of slices varies; each module needs one of its own")
    slices = w.let(f"{x}.unbind({split})", count)
    for i, part in enumerate(slices):
        w.tie(part, x, Part("slice", split, i))
    parts = [w.convert(module, part, i) for i, (module, part) in enumerate(zip(m.modules[:count], slices, strict=True))]
    return w.let(cat(parts, axis(m, m.outputDimension, parts[0])))


@rule(nn.GPU, nn.NaN, nn.Profile, dpnn.Serial, dpnn.FireModule, dpnn.Inception, authors.DataParallelTable)
def decorator(m, x, w):
    return w.convert(m.modules[0], x, 0)


@rule(nn.Decorator)
def bare_decorator(m, x, w):
    if type(m).updateOutput is not nn.Decorator.updateOutput:
        raise lacks(m, f"there is no rule for this class; {ADVICE}")
    return decorator(m, x, w)


@rule(nn.DontCast)
def dont_cast(m, x, w):
    inner = m.modules[0]
    y = w.convert(inner, tree(lambda value: _cast(w, value, inner._dtype), x) if m.castin else x, 0)
    return tree(lambda value: _cast(w, value, m._dtype), y) if m.castout else y


def _cast(w, value, dtype):
    kind = {"float32": "float", "float64": "double"}[str(dtype)]
    return value if not value.is_float or str(value.held[0].dtype) == f"torch.{dtype}" else w.let(f"{value}.{kind}()")


@rule(authors.NoBackprop)
def no_backprop(m, x, w):
    y = w.convert(m.modules[0], x, 0)
    w.note("no gradient passes")
    return tree(lambda value: w.tie(w.let(f"{value}.detach()"), value), y)


@rule(nn.Bottle)
def bottle(m, x, w):
    if x.ndim <= m.nInputDim:
        return w.convert(m.modules[0], x, 0)
    folded = w.tie(w.let(f"{x}.flatten(0, {x.ndim - m.nInputDim})"), x)
    y = w.convert(m.modules[0], folded, 0)
    if y.shapes == [(shape[0], *rest[1:]) for shape, rest in zip(folded.shapes, y.shapes, strict=True)]:
        leading = (f"{x}.size({i})" if size is None else size for i, size in enumerate(x.shape[: x.ndim - m.nInputDim + 1]))
        return w.tie(w.let(unfolded(y, *leading)), y)
    return w.tie(w.let(reshaped(y, w.shapes_after(m, x))), y)


@rule(nn.WeightNorm)
def weight_norm(m, x, w):
    inner = m.modules[0]
    found = find_rule(type(inner))
    if found not in (linear, convolve, full_convolve, temporal) or isinstance(x, list):
        w.ours(m, x)  # our layer computes the weight of the module inside
        w.note("constant: the weight as it runs, without its length and direction, which learned")
        with w.constants():
            return w.convert(inner, x, 0)
    v, g = w.parameter("direction", m.v), w.parameter("length", m.g)
    weight = f"({v} * ({g} / ({v}.square().sum(1, keepdim=True) + 0.0001).sqrt()))"
    shape = inner.weight.shape
    if m.outputDim:
        front = shape[m.outputDim], *shape[: m.outputDim], *shape[m.outputDim + 1 :]
        weight += f".reshape({front}).movedim(0, {m.outputDim})"
    bias = "" if inner.bias is None else f", {w.parameter('bias', inner.bias)}"
    if found is linear:
        return f"F.linear({x}, {weight}{bias})"
    if found is temporal:
        weight += f".reshape({(inner.outputFrameSize, inner.kW, inner.inputFrameSize)}).transpose(1, 2)"
        stride = options(stride=(inner.dW, 1))
        return f"F.conv1d({x}.transpose(-1, -2), {weight}{bias}{stride}).transpose(-1, -2)"
    kernel = field(inner, "k")
    named = geometry(inner)
    if found is convolve:
        shape = inner.nOutputPlane, -1, *kernel
    else:
        named["output_padding"] = sizes(field(inner, "adj"))
    usual = {"stride": "1", "padding": "0", "output_padding": "0", "dilation": "1", "groups": "1"}
    given = options(**{name: (text, usual[name]) for name, text in named.items()})
    name = f"F.conv{'' if found is convolve else '_transpose'}{len(kernel)}d"
    return f"{name}({x}, {weight}.reshape({tuple(map(int, shape))}){bias}{given})"


@rule(nn.Convert)
def convert(m, x, w):
    source, target = m.inputShape, m.outputShape
    if target == "b" and source != "b":
        return f"{x}.select({1 - source.index('b')}, 0)" if x.ndim == 2 else f"{x}[:1].reshape(())" if x.ndim == 0 else f"{x}[0]"
    if source == target or source == "b*" or set(source) != set(target):
        front = source.index("b") if x.ndim == len(source) and source != "b*" else 0
        return _typed(m, x, reshaped(x if not front else w.let(f"{x}.transpose(0, {front})"), w.shapes_after(m, x)))
    if x.ndim < len(source):
        source, target = source.replace("b", ""), target.replace("b", "")
    return _typed(m, x, f"{x}.permute({', '.join(str(source.index(letter)) for letter in target)})")


def _typed(m, x, text):
    """In the type of the module, where the input has another."""
    kind = "torch.float64" if m._dtype == "float64" else "torch.float32"
    return text if str(x.held[0].dtype) == kind else f"{text}.to({kind})"


@rule(nngraph.gModule)
def graph(m, x, w):
    names = {id(node.module): name for node in m.forwardnodes if (name := node.data.get("annotations", {}).get("name"))}
    places = {id(module): i for i, module in reversed([*enumerate(m.modules)])}

    def write(module, value):
        if isinstance(name := names.get(id(module)), str):
            w.note(name)
        return w.convert(module, value, places[id(module)])

    result = m.runForwardFunction(write, x, keep=False)
    m.clearState()
    return result


@rule(nngraph.JustElement)
def just_element(m, x, w):
    return x[0]


@rule(nngraph.JustTable)
def just_table(m, x, w):
    return [x]
