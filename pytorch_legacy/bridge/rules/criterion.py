"""Criterions: a loss of ``[input, target]``. Labels count from 0, as here."""

from pytorch_legacy import cudnn, dpnn, nn, nngraph, nnx, rnn
from pytorch_legacy.dpnn.ClassReward import ClassReward

from ..registry import rule
from ..texts import joined, number, options
from ..values import Value, flat, tree
from .arithmetic import COSINE
from .steps import EACH_STEP


def alike(x, target):
    """The target in the shape of the input: Torch7 takes as many elements in any shape."""
    return str(target) if target.shapes == x.shapes or target.ndim == 0 else f"{target}.reshape({x}.shape)"


def reduced(m):
    """The option of PyTorch's losses."""
    return options(reduction=('"mean"' if m.sizeAverage else '"sum"', '"mean"'))


def labels(target, single=False):
    """Labels as PyTorch takes them: integers, and one without dimensions for a single sample."""
    text = f"{target}.long()" if target.is_float else str(target)
    return f"{text}.reshape(())" if single and target.ndim else text


def weighed(w, x, weights):
    """A weight for each element: those of one sample for all, or as many as there are."""
    return "" if weights is None else f", {w.buffer('weights', weights if weights.ndim <= x.ndim else weights.reshape(-1))}"


def _simple(function):
    return lambda m, x, w: f"F.{function}({x[0]}, {alike(*x)}{reduced(m)})"


_SIMPLE = {
    nn.MSECriterion: "mse_loss",
    nn.SmoothL1Criterion: "smooth_l1_loss",
}
for _cls, _function in _SIMPLE.items():
    rule(_cls)(_simple(_function))


@rule(nn.AbsCriterion)
def absolute(m, x, w):
    target = w.let(alike(*x))
    w.note("of equal numbers the gradient is 1, that of F.l1_loss is 0")
    return f"torch.where({x[0]} < {target}, {target} - {x[0]}, {x[0]} - {target}).{'mean' if m.sizeAverage else 'sum'}()"


@rule(nn.SoftMarginCriterion, dpnn.BinaryLogisticRegression)
def logistic(m, x, w):
    """F.soft_margin_loss is infinite where an exponential is, and F.softplus leaves it out beside 20."""
    return f"-F.logsigmoid({alike(*x)} * {x[0]}).{'mean' if m.sizeAverage else 'sum'}()"


@rule(nn.DistKLDivCriterion)
def kl_div(m, x, w):
    mean = f" / {x[0]}.numel()" if m.sizeAverage else ""  # for which PyTorch has a warning
    return f'F.kl_div({x[0]}, {alike(*x)}, reduction="sum"){mean}'


@rule(nn.BCECriterion)
def bce(m, x, w):
    name = w.helper('''
def binary_cross_entropy(x, target, weight=1.0, eps=1e-12):
    """Returns the loss of each element. F.binary_cross_entropy keeps logarithms above -100; here eps is added in them.

    The gradient is weight * (x - target) / ((x + eps) * (1 - x + eps)), as Torch7's. The derivative differs from it at 0 and 1.
    """
    loss = -weight * (target * (x + eps).log() + (1 - target) * (1 - x + eps).log())
    zero = x * (weight * (2 * target - 1) * eps / ((x + eps) * (1 - x + eps))).detach()
    return loss + (zero - zero.detach())''')
    return f"{name}({x[0]}, {alike(*x)}{weighed(w, x[0], m.weights)}).{'mean' if m.sizeAverage else 'sum'}()"


@rule(nn.MultiLabelSoftMarginCriterion)
def multi_label_soft_margin(m, x, w):
    return f"F.binary_cross_entropy_with_logits({x[0]}, {alike(*x)}{weighed(w, x[0], m.weights)}{reduced(m)})"


@rule(nn.ClassNLLCriterion)
def class_nll(m, x, w):
    weight = "" if m.weights is None else f", {w.buffer('weights', m.weights)}"
    ignored = options(ignore_index=(getattr(m, "ignoreIndex", -100), -100))
    return f"F.nll_loss({x[0]}, {labels(x[1], x[0].ndim == 1)}{weight}{ignored}{reduced(m)})"


@rule(nn.SpatialClassNLLCriterion)
def spatial_class_nll(m, x, w):
    return class_nll(m, x, w)


@rule(nn.CrossEntropyCriterion)
def cross_entropy(m, x, w):
    scores, target = x
    text = str(scores)
    single = scores.ndim == 1
    if scores.ndim > 2:  # sizes of 1 are dropped
        text, single = f"{scores}.flatten(1)", False
    target_text = labels(target, single)
    if target.ndim > 1 or (target.ndim == 0 and not single):
        target_text += ".reshape(-1)"
    weight = "" if m.nll.weights is None else f", {w.buffer('weights', m.nll.weights)}"
    ignored = options(ignore_index=(m.nll.ignoreIndex, -100))
    return f"F.cross_entropy({text}, {target_text}{weight}{ignored}{reduced(m)})"


@rule(cudnn.SpatialCrossEntropyCriterion)
def spatial_cross_entropy(m, x, w):
    weight = "" if m.nll.weights is None else f", {w.buffer('weights', m.nll.weights)}"
    return f"F.cross_entropy({x[0]}, {labels(x[1])}{weight}{reduced(m.nll if m._isOld else m)})"


@rule(cudnn.VolumetricCrossEntropyCriterion)
def volumetric_cross_entropy(m, x, w):
    return spatial_cross_entropy(m.scec, x, w)


@rule(nn.ClassSimplexCriterion)
def class_simplex(m, x, w):
    corners = f"{w.buffer('simplex', m.simplex)}[{labels(x[1], x[0].ndim == 1)}]"
    return f"F.mse_loss({x[0]}, {corners}{reduced(m)})"


@rule(nn.WeightedMSECriterion)
def weighted_mse(m, x, w):
    squares = f"({w.buffer('weights', m.weight)} * ({x[0]} - {alike(*x)}).square())"
    return f"{squares}.{'mean' if m.sizeAverage else 'sum'}()"


@rule(nn.SpatialAutoCropMSECriterion)
def auto_crop_mse(m, x, w):
    middle = str(x[1])
    for axis in (-2, -1):
        size = f"{x[0]}.size({axis})"
        middle = f"{middle}.narrow({axis}, ({x[1]}.size({axis}) - {size}) // 2, {size})"
    return f"F.mse_loss({x[0]}, {middle}{reduced(m)})"


@rule(nn.CosineEmbeddingCriterion)
def cosine_embedding(m, x, w):
    (first, second), target = x
    sign = f"{target}.reshape(())" if first.ndim == 1 and target.ndim else str(target)
    likeness = w.let(f"{w.helper(COSINE)}({first}, {second})")
    loss = f"torch.where({sign} == 1, 1 - {likeness}, F.relu({likeness} - {number(float(m.margin))}))"
    return f"{loss}.{'mean' if m.sizeAverage else 'sum'}()"


@rule(nn.DistanceRatioCriterion)
def distance_ratio(m, x, w):
    first, second = x[0]
    return f"-F.logsigmoid({second} - {first}).sum(){_by_samples(m, first)}"


@rule(nn.MarginRankingCriterion)
def margin_ranking(m, x, w):
    (first, second), target = x
    sign = alike(first, target) if max(target.held[0].numel(), 1) > 1 else str(target)
    counted = target if target.ndim and target.held[0].numel() == first.held[0].numel() else first
    return f"({number(m.margin)} - {sign} * ({first} - {alike(first, second)})).clamp(min=0.0).sum(){_by_samples(m, counted)}"


def _by_samples(m, x):
    """Divided by the number of samples, the first dimension."""
    return f" / {x}.size(0)" if m.sizeAverage and x.ndim else ""


@rule(nn.HingeEmbeddingCriterion)
def hinge_embedding(m, x, w):
    sign = str(x[1]) if x[1].held[0].numel() == 1 else alike(*x)
    loss = f"torch.where({sign} == 1, {x[0]}, ({number(m.margin)} - {x[0]}).clamp(min=0.0))"
    return f"{loss}.{'mean' if m.sizeAverage else 'sum'}()"


@rule(nn.L1Cost)
def l1_cost(m, x, w):
    return f"{x[0] if isinstance(x, list) else x}.abs().sum()"


@rule(nn.L1HingeEmbeddingCriterion)
def l1_hinge_embedding(m, x, w):
    (first, second), target = x
    distance = w.let(f"({first} - {alike(first, second)}).abs().sum()")
    sign = f"{target}.reshape(())" if target.ndim else str(target)
    return f"torch.where({sign} == 1, {distance}, ({number(m.margin)} - {distance}).clamp(min=0.0))"


@rule(nn.MarginCriterion)
def margin(m, x, w):
    return f"({number(m.margin)} - {alike(*x)} * {x[0]}).clamp(min=0.0).{'mean' if m.sizeAverage else 'sum'}()"


@rule(nn.MultiLabelMarginCriterion)
def multi_label_margin(m, x, w):
    return f"F.multilabel_margin_loss({x[0]}, {labels(x[1])}{reduced(m)})"


@rule(nn.MultiMarginCriterion)
def multi_margin(m, x, w):
    more = options(p=(m.p, 1), margin=(number(float(m.margin)), "1.0"))
    weight = "" if m.weights is None else f", weight={w.buffer('weights', m.weights)}"
    return f"F.multi_margin_loss({x[0]}, {labels(x[1], x[0].ndim == 1)}{more}{weight}{reduced(m)})"


@rule(dpnn.SpatialBinaryLogisticRegression)
def spatial_binary_logistic(m, x, w):
    batch = f" * {x[0]}.size(0)" if x[0].ndim == 4 and m.sizeAverage else ""
    return f"-F.logsigmoid({alike(*x)} * {x[0]}).sum() / (2 * {x[0]}.size(-2) * {x[0]}.size(-1){batch})"


@rule(dpnn.NCECriterion)
def noise_contrastive(m, x, w):
    name = w.helper('''
def noise_contrastive_loss(target, samples, target_noise, sample_noise, eps=1e-7):
    """Is the target, and are the samples of noise, told apart? Probabilities by the model and by the noise."""
    k = samples.shape[1]
    of_target = (target / (target + k * target_noise + eps)).log().sum()
    return -of_target - (k * sample_noise / (samples + k * sample_noise + eps)).log().sum()''')
    return f"{name}({joined(x[0])}){_by_samples(m, x[0][0])}"


@rule(nn.ModuleCriterion)
def module_criterion(m, x, w):
    made = [
        value if module is None else w.convert(module, value, place)
        for value, module, place in zip(x, (m.inputModule, m.targetModule), ("inputModule", "targetModule"), strict=True)
    ]
    return w.convert(m.criterion, made, "criterion")


def _total(w, losses):
    """A weighted sum: of (weight, loss)."""
    return w.let(
        " + ".join(str(loss) if weight == 1 else f"{number(float(weight))} * {loss}" for weight, loss in losses) or "0.0"
    )


@rule(nn.MultiCriterion)
def multi_criterion(m, x, w):
    parts = zip(m.weights, m.criterions, strict=True)
    return _total(w, [(weight, w.convert(criterion, x, i)) for i, (weight, criterion) in enumerate(parts)])


@rule(nn.ParallelCriterion)
def parallel_criterion(m, x, w):
    inputs, targets = x
    targets = [targets] * len(m.criterions) if m.repeatTarget else _entries(w, targets)
    parts = zip(m.weights, m.criterions, _entries(w, inputs), targets, strict=False)
    return _total(w, [(weight, w.convert(criterion, [a, b], i)) for i, (weight, criterion, a, b) in enumerate(parts)])


def _entries(w, value):
    """The entries of a table, or of an array along its first dimension."""
    if isinstance(value, list):
        return value
    if value.shape[0] is None:
        raise NotImplementedError("a table as long as a size that varies; give examples that agree there")
    return w.let(f"{value}.unbind()", value.shape[0])


@rule(rnn.SequencerCriterion, rnn.RepeaterCriterion)
def step_criterion(m, x, w):
    isRepeated = isinstance(m, rnn.RepeaterCriterion)
    if all(isinstance(value, Value) and value.ndim for value in x):  # arrays, which have any number of steps
        first, target = w.let(f"{x[0]}[0]"), x[1] if isRepeated else w.let(f"{x[1]}[0]")
        loss = w.step("loss", "StepLoss", m.criterion, [first, target], "criterion")
        spread = f".expand({x[0]}.size(0), {joined(['-1'] * target.ndim)})"
        losses = f"{w.helper(EACH_STEP)}({loss}, {x[0]}, {x[1]}{spread if isRepeated else ''})"
        return f"{losses}.{'mean' if m.sizeAverage else 'sum'}()"
    inputs = _entries(w, x[0])
    targets = [x[1]] * len(inputs) if isRepeated else _entries(w, x[1])
    losses = [(1, w.convert(m.criterion, [a, b], "criterion")) for a, b in zip(inputs, targets, strict=True)]
    total = _total(w, losses)
    return w.let(f"{total} / {len(inputs)}") if m.sizeAverage else total


@rule(rnn.MaskZeroCriterion)
def mask_zero_criterion(m, x, w):
    first = flat([x[0]])[0]
    there = w.let(f"({first} != 0){'.flatten(1)' if first.ndim > 2 else ''}.any(-1)")
    w.note("samples of zeros count nowhere")
    picked = tree(lambda value: w.let(f"{value}[{there}]"), x)
    return w.convert(m.criterion, picked, "criterion")


@rule(nn.CriterionTable)
def criterion_table(m, x, w):
    return w.convert(m.criterion, x, "criterion")


@rule(nngraph.ModuleFromCriterion)
def module_from_criterion(m, x, w):
    return w.let(f"{w.convert(m.criterion, x, 'criterion')}.reshape(1)")


@rule(nnx.TreeNLLCriterion)
def tree_nll(m, x, w):
    return f"-{x[0]}.mean()"


@rule(ClassReward)
def class_reward(m, x, w):
    (prediction, baseline), target = x
    if isinstance(m, dpnn.BinaryClassReward):
        right = f"(({prediction}.reshape(-1) > 0.5) == {target}.reshape(-1))"
    else:
        right = f"({prediction}.argmax(-1).reshape(-1) == {labels(target)}.reshape(-1))"
    reward = w.let(f"{right}.to({baseline}.dtype) * {number(float(m.scale))}")
    goal = w.let(f"{reward}.reshape({baseline}.shape)")
    loss = w.convert(m.criterion, [baseline, goal], "criterion")
    w.note("its gradient is that of the baseline; random layers learn by log_prob of torch.distributions")
    result = f"{loss} - {loss}.detach() - {reward}.{'mean' if m.sizeAverage else 'sum'}()"
    return w.checked(w.ours(m, x), result)
