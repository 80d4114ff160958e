"""Updates of parameters in the place of gradients, ``accUpdateGradParameters``, as Torch7 has them."""

from typing import Any

from pytorch_legacy.arrays import overlap
from pytorch_legacy.errors import NullError
from pytorch_legacy.nn.tuning import Tuning

# A class that has one of these in the place of an inherited one does not inherit `_updatesDirectly`.
_UPDATING = ("accGradParameters", "parameters", "updateParameters")
_FUNCTIONS = ("_layer", "_names")


def _updatesDirectly(cls: type[Any]) -> bool:
    for base in cls.__mro__:
        fields = vars(base)
        if "_updatesDirectly" in fields:
            return bool(fields["_updatesDirectly"])
        if not fields.keys().isdisjoint((*_UPDATING, *_FUNCTIONS)):
            return False
    return False


class Updating(Tuning):
    """Methods of a module that move parameters by their gradients and leave the fields of gradients as they are."""

    shared: bool
    weight: Any
    gradWeight: Any
    gradBias: Any
    bias: Any
    accGradParameters: Any
    parameters: Any
    _isReplaced: Any

    def accUpdateGradParameters(self, input: Any, gradOutput: Any, lr: float) -> None:
        """Moves the parameters by ``-lr`` times their gradients. ``gradWeight`` and ``gradBias`` keep what they hold.

        All gradients are computed before the first parameter moves, in arrays of zeros. A class that adds to its parameters
        directly says so (``_updatesDirectly``).
        """
        if self.shared:
            self.sharedAccUpdateGradParameters(input, gradOutput, lr)
        else:
            self.defaultAccUpdateGradParameters(input, gradOutput, lr)

    def defaultAccUpdateGradParameters(self, input: Any, gradOutput: Any, lr: float) -> None:
        """Moves the parameters of a module that shares none. A class may override this, as in Torch7."""
        self._moveParameters(input, gradOutput, lr)

    def sharedAccUpdateGradParameters(self, input: Any, gradOutput: Any, lr: float) -> None:
        """Moves the parameters of a module that shares them. A class may override this, as in Torch7."""
        self._moveParameters(input, gradOutput, lr)

    def _moveParameters(self, input: Any, gradOutput: Any, lr: float) -> None:
        if self._mayUpdateDirectly() and not overlap([self.weight, self.bias], [input, gradOutput]):
            gradients = self.gradWeight, self.gradBias
            self.gradWeight, self.gradBias = self.weight, self.bias
            try:
                self.accGradParameters(input, gradOutput, -lr)
            finally:
                self.gradWeight, self.gradBias = gradients
        else:
            self._updateApart(input, gradOutput, lr)

    def _mayUpdateDirectly(self) -> bool:
        """Returns True if the parameters may stand in for their gradients. A method of the object itself withdraws that."""
        return _updatesDirectly(type(self)) and not self._isReplaced(*_UPDATING)

    def _updateApart(self, input: Any, gradOutput: Any, lr: float) -> None:
        """Computes all gradients, starting at zero, then moves each parameter, then restores the gradients."""
        owners = [owner for owner in self._parameterOwners() if owner.parameters()]
        kept = [(owner, owner._keptGradients()) for owner in owners]
        try:
            for owner in owners:
                owner.zeroGradParameters()
            if owners:
                self.accGradParameters(input, gradOutput, 1.0)
            for owner in owners:
                owner.updateParameters(lr)
                if len(owners) > 1:
                    owner.zeroGradParameters()  # a gradient that two owners share moves the parameter once
        finally:
            for owner, gradients in kept:
                owner._restoreGradients(gradients)

    def _parameterOwners(self) -> list[Any]:
        """Returns the modules whose methods zero gradients and move parameters: this one, or those inside a container."""
        return [self]

    def _keptGradients(self) -> Any:
        """Returns copies of the gradients, for `_restoreGradients`."""
        parameters, gradients = self._tunable("accUpdateGradParameters")
        if len(parameters) != len(gradients):
            got = f"{len(gradients)} gradients of {len(parameters)} parameters"
            raise NullError(f"{self._typename}: accUpdateGradParameters: expected a gradient of each parameter, got {got}")
        return [gradient.copy() for gradient in gradients]

    def _restoreGradients(self, kept: Any) -> None:
        for gradient, values in zip((self.parameters() or ([], []))[1], kept, strict=True):
            gradient[...] = values
