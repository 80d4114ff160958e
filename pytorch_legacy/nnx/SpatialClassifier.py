"""A classifier of vectors for every cell of a picture."""

from typing import Any, Self

import numpy as np

from pytorch_legacy.arrays import Tensor
from pytorch_legacy.errors import located
from pytorch_legacy.files.form import Form
from pytorch_legacy.nn import check
from pytorch_legacy.nn.Container import Container
from pytorch_legacy.nn.container.Sequential import Sequential
from pytorch_legacy.nn.Module import Module


class SpatialClassifier(Container):
    """Gives the vectors of planes at all cells to a classifier, as the rows of a batch::

        output[:, h, w] = classifier(input[:, h, w])

    Parameters
    ----------
    classifier : Module, optional
        A network of matrices, one row per cell; an empty Sequential if not given, to which ``add`` appends.

    Attributes
    ----------
    spatialOutput : bool
        Whether the output is ``K x H x W`` (True, until set) or ``H W x K``.

    Raises
    ------
    ShapeError
        If the input is not ``C x H x W``, or the classifier does not give a row for each cell.

    Notes
    -----
    Source: nnx ``SpatialClassifier``.

    Examples
    --------
    >>> layer = nnx.SpatialClassifier(nn.SoftMax())
    >>> layer.forward(np.zeros((4, 1, 2), np.float32)).tolist()  # four classes at each of two cells
    [[[0.25, 0.25]], [[0.25, 0.25]], [[0.25, 0.25]], [[0.25, 0.25]]]
    >>> layer.spatialOutput = False
    >>> layer.forward(np.zeros((4, 1, 2), np.float32)).shape
    (2, 4)
    """

    _file = Form(
        dropped=(
            "inputF",
            "inputT",
            "outputF",
            "outputT",
            "gradOutputF",
            "gradOutputT",
            "gradInputF",
            "gradInputT",
        ),
        properties=("classifier",),
        defaults={"modules": lambda fields: [fields["classifier"]]},
        kinds={"classifier": "a module"},
    )
    spatialOutput = True

    def __init__(self, classifier: Module | None = None) -> None:
        super().__init__()
        self.modules.append(classifier or Sequential())
        self.spatialOutput = True

    @property
    def classifier(self) -> Any:
        return self.modules[0]

    def add(self, module: Module) -> Self:
        """Appends a module to the classifier and returns self."""
        self.classifier.add(module)
        return self

    def updateOutput(self, input: Tensor) -> Tensor:
        scores = self._run("updateOutput", self._rows(input))
        if not self.spatialOutput:
            self.output = scores
            return scores
        check.shape(self, "output of the classifier", scores, (input[0].size, scores.shape[-1]))
        output = self._resize("output", (scores.shape[1], *input.shape[1:]))
        output.reshape(len(output), -1)[...] = scores.T
        return output

    def updateGradInput(self, input: Tensor, gradOutput: Tensor) -> Tensor:
        gradients = self._run("updateGradInput", self._rows(input), self._gradients(gradOutput))
        gradInput = self._resize("gradInput", input.shape)
        gradInput.reshape(len(gradInput), -1)[...] = gradients.T
        return gradInput

    def accGradParameters(self, input: Tensor, gradOutput: Tensor, scale: float = 1.0) -> None:
        self._run("accGradParameters", self._rows(input), self._gradients(gradOutput), scale)

    def _run(self, method: str, *arguments: Any) -> Any:
        with located(f"in module 1 of {self._typename}"):
            return getattr(self.classifier, method)(*arguments)

    def _rows(self, input: Tensor) -> Tensor:
        check.tensor(self, "input", input, 3)
        return np.ascontiguousarray(input.reshape(len(input), -1).T, like=input)

    def _gradients(self, gradOutput: Tensor) -> Tensor:
        check.shape(self, "gradOutput", check.tensor(self, "gradOutput", gradOutput), self.output.shape)
        if not self.spatialOutput:
            return gradOutput
        return np.ascontiguousarray(gradOutput.reshape(len(gradOutput), -1).T, like=gradOutput)
