"""A network as a graph of modules."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, NoReturn, Self

from pytorch_legacy.backend.prepared import Bindings
from pytorch_legacy.errors import TOO_DEEP, DtypeError, FieldError, ShapeError, THNNError, UnsupportedError, ValueRangeError
from pytorch_legacy.files.form import Form
from pytorch_legacy.nn import check
from pytorch_legacy.nn.Container import Container
from pytorch_legacy.nn.Module import Module
from pytorch_legacy.nn.utils import described, owned, recursiveSum
from pytorch_legacy.nngraph.graph.Flat import Flat
from pytorch_legacy.nngraph.graph.pictures import draw
from pytorch_legacy.nngraph.Node import Node, check_nodes, list_inputs
from pytorch_legacy.reentrancy import guards_modules, is_reentrant

_RUNNING = ("input", "gradOutput", "gradOutputBuffer")


class gModule(Flat, Container):
    """Runs modules in the order in which they need each other.

    Parameters
    ----------
    inputs : list of Node
        The nodes that get the input of the network, which is a table if there are several.
    outputs : list of Node
        The nodes whose outputs are the output of the network, a table if there are several.

    Attributes
    ----------
    modules : list of Module
        The modules of all nodes in the order in which they run. One that stands in several nodes appears as often.
    forwardnodes, backwardnodes : list of Node
        The nodes in the order of a forward and of a backward pass. A node at the end stands for the output of the
        network, one at the start for its input.
    fg, bg : graph.Graph
        The graphs of these nodes.
    innode, outnode : Node
        The first of `forwardnodes` and the first of `backwardnodes`.
    nInputs : int
        Number of inputs of the network.
    name : str
        Appears when the network is printed, in place of its class. Not set by the constructor.

    Raises
    ------
    ShapeError, DtypeError
        If `inputs` or `outputs` is no list of nodes.
    ValueRangeError
        If the nodes are no network: a node without input that is not among `inputs`, an input that takes another
        node or leads to no output, a node or an entry of a split that nothing uses, a cycle.

    Notes
    -----
    Where the output of a node is used several times, the gradients are added in Torch7's order. In place of an input
    without gradient (None) nothing is added; modules before it get no gradient.

    Differences from Torch7: ``accUpdateGradParameters`` moves the parameters, and ``replace`` keeps a module that
    stands in several nodes one module. Source: Torch7 nngraph, nn.gModule.

    Examples
    --------
    >>> a, b = nn.Identity()(), nn.Identity()()
    >>> total = nn.CAddTable()([a, b])
    >>> net = nn.gModule([a, b], [total, nn.Square()(total)])  # two inputs, two outputs
    >>> [output.tolist() for output in net.forward([np.float32([1, 2]), np.float32([3, 4])])]
    [[4.0, 6.0], [16.0, 36.0]]
    """

    _typename = "nn.gModule"
    _isPart = False

    _file = Form(
        kinds={
            "bg": "an object",
            "fg": "an object",
            "name": "text",
            "verbose": "true or false",
            **dict.fromkeys(("innode", "outnode"), "a node"),
            **dict.fromkeys(("forwardnodes", "backwardnodes"), "a list of nodes"),
            "nInputs": "a whole number",
        },
    )
    innode: Node
    outnode: Node
    forwardnodes: list[Node]
    backwardnodes: list[Node]

    def __init__(self, inputs: list[Node], outputs: list[Node]) -> None:
        super().__init__()
        inputs, outputs = check_nodes("nn.gModule: inputs", inputs), check_nodes("nn.gModule: outputs", outputs)
        self._check(inputs, outputs)
        self.outnode = Node({"input": {}})
        for node in outputs:
            self.outnode.add(node, True)
        start = Node({"input": {}})
        for node, source in zip(inputs, start.split(len(inputs)) if len(inputs) > 1 else [start], strict=True):
            node.add(source, True)
        self.bg = self.outnode.graph()
        self.fg = self.bg.reverse()
        self.forwardnodes, self.backwardnodes = self.fg.topsort(), self.bg.topsort()
        self.innode = next(node for node in self.forwardnodes if node.data is start.data)
        self.nInputs = len(inputs)
        self.verbose = False
        for node in self.forwardnodes:
            node.data["forwardNodeId"] = node.id
        self._collectModules()
        self.output = self.gradInput = None

    def updateOutput(self, input: Any) -> Any:
        return self.runForwardFunction("updateOutput", input)

    def runForwardFunction(self, func: str | Callable[[Module, Any], Any], input: Any, keep: bool = True) -> Any:
        """Runs the network with another function of the modules, given by name or as a function of module and input.

        Without `keep`, nodes forget their inputs when they have read them, and no pass backward can follow.
        """
        run = (lambda module, input: getattr(module, func)(input)) if isinstance(func, str) else func
        inputs = check.table(self, "input", input, self.nInputs) if self.nInputs > 1 else [input]
        steps = self._program().forward
        for step in steps:
            step.data["input"] = [None] * step.arity
        self.innode.data["input"] = list(inputs)
        for step in steps:
            try:
                output = _output(step, run)
            except Exception as error:
                self._fail(error, step.node)
            if not keep and step.data is not self.outnode.data:
                step.data["input"] = []
            for target, place in step.targets:
                target["input"][place] = output
        results = self.outnode.data["input"]
        self.output = results[0] if len(results) == 1 else results
        return self.output

    def updateGradInput(self, input: Any, gradOutput: Any = None) -> Any:
        wanted = len(self.outnode.children)
        if wanted > 1:
            check.table(self, "gradOutput", gradOutput, wanted)
        steps = self._program().backward
        shared = self._sharesModules()
        for step in steps:
            step.data["gradOutput"] = []
        self.outnode.data["gradOutput"].append(gradOutput)
        if gradOutput is None and wanted == 1:  # the last module says whether it needs one
            self.outnode.children[0].data["gradOutput"].append(None)
        for step in steps:
            try:
                _propagate(step, shared)
            except Exception as error:
                self._fail(error, step.node)
        self.gradInput = _total(self.innode.data)
        return self.gradInput

    def accGradParameters(self, input: Any, gradOutput: Any = None, scale: float = 1.0) -> None:
        self._accumulate(lambda module, input, gradOutput: module.accGradParameters(input, gradOutput, scale))

    def accUpdateGradParameters(self, input: Any, gradOutput: Any, lr: float) -> None:
        self._accumulate(lambda module, input, gradOutput: module.accUpdateGradParameters(input, gradOutput, lr))

    def map(self, gm: gModule, func: Callable[[Module, Module], object]) -> Self:
        """Calls `func` with each module and the one in the same place of `gm`, a graph of the same structure."""
        pairs = [(node.module, other.module) for node, other in zip(self.forwardnodes, gm.forwardnodes, strict=False)]
        alike = all((one is None) == (other is None) for one, other in pairs)
        if len(self.forwardnodes) != len(gm.forwardnodes) or not alike:
            raise ShapeError(f"{self._typename}: map: expected a graph of the same structure")
        for one, other in pairs:
            if one is not None:
                func(one, other)
        return self

    def replace(self, callback: Callable[[Module], Module]) -> Module:
        result = callback(self)
        replaced: dict[Module, Module] = {}
        for node in self.forwardnodes:
            module = node.module
            if module is not None:
                if module not in replaced:
                    try:
                        replaced[module] = module.replace(callback)
                    except RecursionError:
                        raise UnsupportedError(TOO_DEEP.format(self._typename)) from None
                node.data["module"] = replaced[module]
        self.modules = [replaced.get(module, module) for module in self.modules]
        return result

    def _put(self, index: int, module: Module) -> None:
        nodes = [node for node in self.forwardnodes if node.module is not None]
        if len(nodes) != len(self.modules):
            raise FieldError(f"{self._typename}: modules: expected those of the {len(nodes)} nodes, got {len(self.modules)}")
        self.modules[index] = module
        nodes[index].data["module"] = module

    def clearState(self) -> Self:
        super().clearState()
        for node in [*self.forwardnodes, *self.backwardnodes]:
            for field in _RUNNING:
                node.data.pop(field, None)
        return self

    def __repr__(self) -> str:
        return str(self.__dict__.get("name") or self._typename)

    def _check(self, inputs: list[Node], outputs: list[Node]) -> None:
        """Refuses what is no network, before a node is changed."""
        connected: dict[Node, None] = {}
        for node in outputs:
            if node not in connected:
                connected.update(dict.fromkeys(node._nearest()))
        data = {id(node.data) for node in connected}
        for i, node in enumerate(inputs):
            if node.children:
                raise self._refused(f"inputs[{i}]: expected a node without input", node, "takes another node, or has its network")
            if node not in connected:
                raise self._refused(f"inputs[{i}]: expected a node that leads to an output", node, "does not")
        for node in connected:
            if not node.children and node not in inputs and getattr(node.module, "_typename", "") != "nnop.Parameters":
                raise self._refused("nodes: expected those without input among the inputs", node, "is not")
        for node in connected:
            users = node.data["reverseMap"]
            if (astray := next((user for user in users if id(user.data) not in data), None)) is not None:
                raise self._refused("nodes: expected all to lead to an output", astray, "does not")
            if len(users) < node.data.get("nSplitOutputs", len(users)):
                raise self._refused("nodes: expected all to lead to an output", node, "has a part that does not")

    def _refused(self, expected: str, node: Node, got: str) -> ValueRangeError:
        return ValueRangeError(f"{self._typename}: {expected}, but {node.name} {got}")

    def _program(self) -> _Program:
        """The nodes in running order, each with the places that its results go to."""
        bindings = Bindings.of(self)
        known: _Program | None = bindings.steps
        if known is None or known.nodes != (self.forwardnodes, self.backwardnodes):
            known = bindings.steps = _Program.of(self.forwardnodes, self.backwardnodes)
        return known

    def _accumulate(self, accumulate: Callable[[Module, Any, Any], None]) -> None:
        for step in self._program().backward:
            module, gradients = step.data.get("module"), step.data.get("gradOutput")
            if module is not None and gradients:
                gradOutput = gradients[0] if len(gradients) == 1 else step.data["gradOutputBuffer"]
                try:
                    accumulate(module, _input(step.data), gradOutput)
                except Exception as error:
                    self._fail(error, step.node)

    def _fail(self, error: Exception, node: Node) -> NoReturn:
        """Tells an exception in which node it was raised, and lets it go on."""
        if _debugs:
            _picture(self, node, error)
        if isinstance(error, RecursionError):
            raise UnsupportedError(TOO_DEEP.format(self._typename)) from None
        place = f"in {node.name} of {self!r}"
        if isinstance(error, THNNError):
            error.where.insert(0, place)
        else:
            error.add_note(place)
        raise error

    def _collectModules(self) -> None:
        self.modules = [node.module for node in self.forwardnodes if node.module is not None]

    def _fromTorch7(self, fields: dict[str, Any], version: int) -> None:
        super()._fromTorch7(fields, version)
        self.nInputs = fields.get("nInputs") or len(self.innode.children)
        if not self.modules:
            self._collectModules()
        if "_type" not in fields and self.modules:
            self._dtype = next((module for module in self.modules if module.weight is not None), self.modules[0])._dtype


_debugs = False


def setDebug(enable: bool = True) -> None:
    """Says whether an error in a pass of a graph leaves a picture of it: ``NAME.svg``, with the node that failed in red.

    NAME is the field ``name`` of the nn.gModule, "nngraph" without one. Where nothing can draw, it is ``NAME.dot``, a text.
    A note of the exception names the file.

    Notes
    -----
    Source: Torch7 nngraph, ``nngraph.setDebug``.

    Examples
    --------
    >>> nngraph.setDebug()
    >>> x = nn.Identity()()
    >>> net = nn.gModule([x], [nn.Linear(2, 1)(x)])
    >>> try:
    ...     net.forward(np.zeros(3, np.float32))
    ... except pl.errors.ShapeError as error:
    ...     print(error.__notes__[-1])  # svg, or dot where nothing can draw
    picture: nngraph...
    >>> nngraph.setDebug(False)
    """
    global _debugs
    _debugs = bool(enable)


def _picture(network: gModule, node: Node, error: Exception) -> None:
    """Draws a graph and the node of it that raised an error, for the innermost graph and once."""
    if any(note.startswith("picture: ") for note in getattr(error, "__notes__", [])):
        return
    name = str(network.__dict__.get("name") or "nngraph")
    stem = "".join(letter if letter.isalnum() or letter in "-_. " else "_" for letter in name)
    annotations = node.data["annotations"]
    before = annotations.get("graphAttributes")
    annotations["graphAttributes"] = {**(before or {}), "color": "red", "style": "filled", "fillcolor": "red"}
    try:
        for path in (f"{stem}.svg", f"{stem}.dot"):
            try:
                draw(network, path, f"{node.name}: {error}")
                error.add_note(f"picture: {path}")
                return
            except (OSError, THNNError):  # nobody would see this error before the error of the network itself
                continue
    finally:
        annotations.pop("graphAttributes")
        if before is not None:
            annotations["graphAttributes"] = before


class _Step(NamedTuple):
    """A node when its turn comes: its data, how many inputs it has (`arity`), and for each child its data and a place."""

    node: Node
    data: dict[Any, Any]
    arity: int
    targets: list[tuple[dict[Any, Any], int]]


class _Program(NamedTuple):
    nodes: tuple[list[Node], list[Node]]
    forward: list[_Step]
    backward: list[_Step]

    @classmethod
    def of(cls, forwardnodes: list[Node], backwardnodes: list[Node]) -> _Program:
        named = {id(node.data): node for node in forwardnodes}  # errors call both nodes of a place alike
        places = {}
        for node in forwardnodes:
            places[id(node.data)] = {id(parent): i for i, parent in enumerate(list_inputs(node.data))}

        def step(node: Node, targets: list[tuple[dict[Any, Any], int]]) -> _Step:
            return _Step(named[id(node.data)], node.data, len(places[id(node.data)]), targets)

        def later(node: Node) -> list[tuple[dict[Any, Any], int]]:
            return [(child.data, places[id(child.data)][id(node.data)]) for child in node.children]

        def earlier(node: Node) -> list[tuple[dict[Any, Any], int]]:
            return [(child.data, places[id(node.data)][id(child.data)]) for child in node.children]

        forward = [step(node, later(node)) for node in forwardnodes]
        return cls((list(forwardnodes), list(backwardnodes)), forward, [step(node, earlier(node)) for node in backwardnodes])


def _input(data: dict[Any, Any]) -> Any:
    """Returns the argument of a node's module: its only input, or the table of its inputs."""
    inputs = data["input"]
    return inputs[0] if len(inputs) == 1 else inputs


@guards_modules
def _output(step: _Step, run: Callable[[Module, Any], Any]) -> Any:
    data = step.data
    input = _input(data)
    if "selectindex" in data:
        return input[data["selectindex"] - 1]
    module = data.get("module")
    if module is None:
        output = input
    elif module._inPass and is_reentrant(module):
        output = run(module, input)
    else:
        module._inPass = True
        try:
            output = run(module, input)
        finally:
            module._inPass = False
    parts = data.get("nSplitOutputs")
    if parts and (not isinstance(output, (list, tuple)) or len(output) != parts):
        got = f"a table of {len(output)}" if isinstance(output, (list, tuple)) else described(output)
        raise ShapeError(f"{step.node._typename}: split: expected a table of {parts}, got {got}")
    return output


def _propagate(step: _Step, shared: bool) -> None:
    """Hands the gradients of the inputs of a node on to the nodes before it; copies, if a later node may write over them."""
    data = step.data
    gradient = _total(data)
    if "selectindex" in data:
        ((whole, _),) = step.targets
        if not whole["gradOutput"]:
            whole["gradOutput"].append([None] * whole["nSplitOutputs"])
        whole["gradOutput"][0][data["selectindex"] - 1] = gradient
        return
    if data.get("module") is not None and data["gradOutput"]:
        if "input" not in data:
            raise DtypeError(f"{step.node._typename}: updateGradInput: expected a forward pass first")
        gradient = data["module"].updateGradInput(_input(data), gradient)
        gradient = owned(gradient) if shared else gradient
    for target, place in step.targets:
        part = gradient
        if len(step.targets) > 1 and gradient is not None:
            part = gradient[place] if place < len(gradient) else None  # a CriterionTable has none of its target
        if part is not None:
            target["gradOutput"].append(part)


def _total(data: dict[Any, Any]) -> Any:
    """The sum of the gradients that came to a node, in the order in which they came; None if there are none."""
    gradients = data["gradOutput"]
    if len(gradients) < 2:
        return gradients[0] if gradients else None
    total = data["gradOutputBuffer"] = _summed(data.get("gradOutputBuffer"), gradients)
    return total


def _summed(old: Any, gradients: list[Any]) -> Any:
    """The sum of gradients that may be None, or lists with such parts, in the arrays of `old` where they fit."""
    present = [gradient for gradient in gradients if gradient is not None]
    if not present:
        return None
    first = present[0]
    if not all(isinstance(gradient, list) and len(gradient) == len(first) for gradient in present):
        return recursiveSum(old, present)
    spare = old if isinstance(old, list) and len(old) == len(first) else [None] * len(first)
    return [_summed(buffer, list(parts)) for buffer, *parts in zip(spare, *present, strict=True)]
