"""One module for all entries of a table."""

from typing import Any, Self

from pytorch_legacy.arguments import checked
from pytorch_legacy.errors import ValueRangeError
from pytorch_legacy.files.counting import Lua
from pytorch_legacy.files.form import Form
from pytorch_legacy.nn import check
from pytorch_legacy.nn.Container import Container
from pytorch_legacy.nn.Module import Module


class MapTable(Container):
    """Gives each entry of a list to the same module, or rather to clones that share its parameters::

        output[i]    = module(input[i])
        gradInput[i] = module.gradInput for input[i]

    Parameters
    ----------
    module : Module, optional
        May also be added later.
    shared : bool
        False: the clones have parameters of their own, at first copies of the module's.

    Attributes
    ----------
    module : Module
        The module, which is ``modules[0]``.
    sharedparams : list of str
        The fields that clones share: weight, bias, gradWeight, gradBias.

    Notes
    -----
    There are as many modules as the longest input had entries, so ``parameters`` lists shared arrays several times;
    ``getParameters`` holds them once. Source: Torch7 nn.MapTable.

    Examples
    --------
    >>> net = nn.MapTable(nn.Linear(3, 2))
    >>> a, b = np.ones((1, 3), np.float32), np.ones((4, 3), np.float32)
    >>> [output.shape for output in net.forward([a, b])]  # as many clones as entries
    [(1, 2), (4, 2)]
    >>> net.getParameters()[0].size  # one weight and one bias for all of them
    8
    """

    module: Module | None = None

    _lua = Lua(renewed=("output", "gradInput"))
    _file = Form(
        defaults={
            "module": lambda fields: next(iter(fields["modules"]), None),
            "shared": True,
            "sharedparams": lambda fields: ["weight", "bias", "gradWeight", "gradBias"],
        },
        kinds={"module": "a module", "sharedparams": "a list of text"},
    )

    def __init__(self, module: Module | None = None, shared: bool = True) -> None:
        super().__init__()
        self.shared = shared
        self.sharedparams = ["weight", "bias", "gradWeight", "gradBias"]
        self.output, self.gradInput = [], []
        self.module = None
        if module is not None:
            self.add(module)

    @checked
    def add(self, module: Module) -> Self:
        """Says which module it is and returns self; ValueRangeError if there is one."""
        if self.module is not None:
            raise ValueRangeError(f"{self._typename}: add: expected no module besides {self.module!r}")
        self.module = module
        self.modules = [module]
        return self

    def resize(self, n: int) -> Self:
        """Makes clones for `n` entries, lets go of others, and returns self."""
        del self.modules[max(check.count(self, "n", n, 0), 1) :]
        self._extend(n)
        return self

    def updateOutput(self, input: list[Any]) -> list[Any]:
        self._extend(len(check.table(self, "input", input)))
        self.output = self._map("updateOutput", input)
        return self.output

    def updateGradInput(self, input: list[Any], gradOutput: Any = None) -> list[Any]:
        self.gradInput = self._map("updateGradInput", input, gradOutput)
        return self.gradInput

    def accGradParameters(self, input: list[Any], gradOutput: Any = None, scale: float = 1.0) -> None:
        self._map("accGradParameters", input, gradOutput, scale)

    def accUpdateGradParameters(self, input: list[Any], gradOutput: list[Any], lr: float) -> None:
        self._map("accUpdateGradParameters", input, gradOutput, lr)

    def zeroGradParameters(self) -> Self:
        for module in self._owners():
            module.zeroGradParameters()
        return self

    def updateParameters(self, learningRate: float) -> Self:
        for module in self._owners():
            module.updateParameters(learningRate)
        return self

    def reset(self, stdv: float | None = None) -> Self:
        for module in self._owners():
            module.reset(stdv)
        return self

    def clearState(self) -> Self:
        """Lets go of results, buffers and shared clones, and returns self."""
        if self.shared and self.modules:
            self.resize(1)
        super().clearState()
        self.output, self.gradInput = [], []
        return self

    def _extend(self, n: int) -> None:
        if self.module is None:
            raise ValueRangeError(f"{self._typename}: expected a module first: add(module)")
        while len(self.modules) < n:
            self.modules.append(self.module.clone(*(self.sharedparams if self.shared else ())))

    def _owners(self) -> list[Module]:
        """The modules that have parameters of their own."""
        return self.modules[:1] if self.shared else self.modules

    def _map(self, method: str, input: list[Any], *others: Any) -> list[Any]:
        """Calls a method of one module for each entry; `others`, if there are any, are gradOutput and numbers."""
        count = min(len(self.modules), len(check.table(self, "input", input)))
        check.table(self, "input", input, count)
        gradients = [check.branches(self, gradOutput, count) for gradOutput in others[:1]]

        def call(i: int, module: Module) -> Any:
            if i >= count:
                return None
            return getattr(module, method)(input[i], *(table[i] for table in gradients), *others[1:])

        return self._forEachChild(call, guarded=method == "updateOutput")[:count]

    def _fromTorch7(self, fields: dict[str, Any], version: int) -> None:
        super()._fromTorch7(fields, version)
        self.output, self.gradInput = (table if isinstance(table, list) else [] for table in (self.output, self.gradInput))

    def __repr__(self) -> str:
        inside = "" if self.module is None else repr(self.module).replace("\n", "\n        ")
        return f"{self._typename} {{\n  {inside}\n}}"
