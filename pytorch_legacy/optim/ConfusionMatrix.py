"""A table of targets and predictions of a classifier."""

from collections.abc import Sequence
from numbers import Integral
from typing import Any

import numpy as np

from pytorch_legacy.arrays import Tensor, are_whole
from pytorch_legacy.errors import DtypeError, FieldError, IndexRangeError, ShapeError, ValueRangeError
from pytorch_legacy.files.counting import Lua
from pytorch_legacy.files.fields import Fields
from pytorch_legacy.files.form import Form
from pytorch_legacy.messages import described, sizes
from pytorch_legacy.objects import Object
from pytorch_legacy.optim import pictures


class ConfusionMatrix(Object):
    """Counts how often each class was taken for each other one.

    Parameters
    ----------
    nclasses : int or list of str
        Number of classes, or their names.
    classes : list of str, optional
        Their names.

    Attributes
    ----------
    mat : array of int64
        ``mat[target, prediction]`` is how often `prediction` came where `target` was right.
    valids, unionvalids : array
        For each class, from ``updateValids``: the share of its samples that were recognized, and the ratio of those to
        all that are in the class or were put there.
    averageValid, averageUnionValid, totalValid : float
        The means of these, classes without samples left out, and the share of all samples.

    Notes
    -----
    Classes count from 0; a negative target is no sample. Printing updates the numbers. A notebook shows the
    picture. Source: Torch7
    optim.ConfusionMatrix.

    Examples
    --------
    >>> confusion = optim.ConfusionMatrix(["cat", "dog", "cow"])
    >>> confusion.batchAdd([0, 0, 1, 2, 1, 2, 2], [0, 0, 0, 2, 1, 2, 1])
    >>> confusion.add(0, 1)
    >>> confusion.mat
    array([[2, 1, 0],
           [1, 1, 1],
           [0, 0, 2]])
    >>> confusion.updateValids()
    >>> float(confusion.totalValid)
    0.625
    """

    _file = Form(
        kinds={
            "averageUnionValid": "a number",
            "averageValid": "a number",
            "totalValid": "a number",
            "nclasses": "a whole number from 1 on",
            "mat": "a tensor",
            "valids": "a tensor",
            "unionvalids": "a tensor",
        },
        defaults={"classes": None},
    )
    _lua = Lua(
        methods={
            "add": dict.fromkeys(("prediction", "target"), "numbers"),
            "batchAdd": dict.fromkeys(("predictions", "targets"), "vectors"),
        }
    )

    def __init__(self, nclasses: int | Sequence[str], classes: Sequence[str] | None = None) -> None:
        if not isinstance(nclasses, (Integral, Sequence)):
            raise DtypeError(f"optim.ConfusionMatrix: nclasses: expected a number of classes or their names, got {nclasses!r}")
        names = nclasses if isinstance(nclasses, Sequence) else classes
        self.classes = list(names or [])
        self.nclasses = len(nclasses) if isinstance(nclasses, Sequence) else int(nclasses)
        if self.nclasses < 1:
            raise ValueRangeError(f"optim.ConfusionMatrix: nclasses: expected 1 or more, got {self.nclasses}")
        self.mat = np.zeros((self.nclasses, self.nclasses), np.int64)
        self.zero()

    def zero(self) -> None:
        """Forgets all samples."""
        self.mat.fill(0)
        self.valids = np.zeros(self.nclasses, np.float32)
        self.unionvalids = np.zeros(self.nclasses, np.float32)
        self.totalValid = self.averageValid = self.averageUnionValid = 0.0

    def add(self, prediction: Any, target: Any) -> None:
        """Adds one sample: each argument is a class, or a vector of which the largest element tells the class."""
        values = {"prediction": np.asarray(prediction), "target": np.asarray(target)}
        for name, value in values.items():
            if value.ndim > 1:
                raise ShapeError(f"optim.ConfusionMatrix: {name}: expected a class or a vector, got {sizes(value.shape)}")
        self.batchAdd(*(value[None] for value in values.values()))

    def batchAdd(self, predictions: Any, targets: Any) -> None:
        """Adds a batch: each argument is a vector of classes, or has a row of scores for each sample."""
        guesses, truths = self._classes("predictions", predictions), self._classes("targets", targets)
        if len(guesses) != len(truths):
            raise ShapeError(f"optim.ConfusionMatrix: targets: expected {len(guesses)} of them, got {len(truths)}")
        counted = truths >= 0
        guesses, truths = guesses[counted], truths[counted]
        for name, values in (("predictions", guesses), ("targets", truths)):
            wrong = values[(values < 0) | (values >= self.nclasses)]
            if wrong.size:
                text = f"optim.ConfusionMatrix: {name}: expected classes from {{}} to {{}}, got {{}}"
                raise IndexRangeError.of(text, 0, self.nclasses - 1, int(wrong[0]), isFromEnd=False)
        np.add.at(self.mat, (truths, guesses), 1)

    def updateValids(self) -> None:
        """Computes the shares from the counts."""
        right = np.diag(self.mat).astype(np.float64)
        rows, columns = self.mat.sum(1), self.mat.sum(0)
        with np.errstate(invalid="ignore"):
            self.valids[:] = right / rows
            self.unionvalids[:] = right / (rows + columns - right)
            self.totalValid = float(right.sum() / np.float64(self.mat.sum()))
            present = ~np.isnan(self.valids)
            count = np.float64(present.sum())
            self.averageValid = float(self.valids[present].sum(dtype=np.float64) / count)
            self.averageUnionValid = float(self.unionvalids[present].sum(dtype=np.float64) / count)

    def farFrr(self) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """False rejections and false acceptances.

        Returns
        -------
        tuple
            The share of each class that was taken for another one, the mean share of the other classes that was taken
            for it (both -1 for a class without samples), and the same two without such classes.
        """
        rows = self.mat.sum(1)
        present = rows > 0
        shares = self.mat[present] / rows[present, None]
        own = np.diag(self.mat)[present] / rows[present]
        frrs = 1 - own
        with np.errstate(invalid="ignore"):
            fars = (shares[:, present].sum(0) - own) / np.float64(len(own) - 1)
        classFrrs, classFars = np.full(self.nclasses, -1.0), np.full(self.nclasses, -1.0)
        classFrrs[present], classFars[present] = frrs, fars
        return classFrrs, classFars, frrs, fars

    def render(self, sortmode: str = "score", display: bool = False, block: int = 25, legendwidth: int = 200) -> Tensor:
        """A picture of the matrix, an array of height x width x 3 bytes; it needs matplotlib.

        Parameters
        ----------
        sortmode : {"score", "occurrence"}
            The classes that come first: those recognized best, by default, or those with most samples.
        display : bool
            Show it in a window, too.
        block, legendwidth : int
            Width of a cell and of the column of names, in pixels.
        """
        rows = self.mat.sum(1)
        shares = self.mat / np.maximum(rows, 1)[:, None]
        keys = {"score": np.diag(shares), "occurrence": rows}
        if sortmode not in keys:
            raise ValueRangeError(f'optim.ConfusionMatrix: sortmode: expected "score" or "occurrence", got {sortmode!r}')
        order = np.argsort(-keys[sortmode], kind="stable")
        names = [self.classes[i] if i < len(self.classes) else str(i) for i in order]

        from pytorch_legacy.optim.plotting import pyplot

        self.updateValids()
        plt = pyplot("optim.ConfusionMatrix: render")
        width, height = self.nclasses * block + legendwidth, self.nclasses * block
        figure = plt.figure(figsize=(width / 100, height / 100), dpi=100)
        axes = figure.add_axes((0, 0, self.nclasses * block / width, 1))
        axes.imshow(shares[order][:, order], cmap="gray", vmin=0, vmax=1, aspect="auto")
        axes.set_axis_off()
        for row, (i, name) in enumerate(zip(order, names, strict=True)):
            label = f"{name} [{100 * rows[i] / max(rows.sum(), 1):.2f}% labels]"
            axes.text(self.nclasses - 0.3, row, label, fontsize=6, va="center")
            for column, j in enumerate(order):
                grey = str(round(float(shares[i, j] < 0.5)))
                axes.text(column, row, f"{100 * shares[i, j]:02.0f}", fontsize=6, ha="center", va="center", color=grey)
        figure.canvas.draw()
        picture = np.asarray(figure.canvas.buffer_rgba())[..., :3].copy()
        if display:
            figure.canvas.manager.set_window_title(
                f"Confusion matrix [sorted by {sortmode}, global accuracy = {100 * self.totalValid:.3f}%, "
                f"per-class accuracy = {100 * self.averageValid:.3f}%]"
            )
            plt.show()
        plt.close(figure)
        return picture

    def picture(self) -> Any:
        """The matrix as a figure of matplotlib, which a notebook shows: a row for each class, shaded by its shares."""
        names = [self.classes[i] if i < len(self.classes) else str(i) for i in range(self.nclasses)]
        self.updateValids()
        samples = int(self.mat.sum())
        title = f"{100 * self.totalValid:.2f}% of {samples:,} samples correct" if samples else "no samples"
        return pictures.matrix(self.mat, names, title)

    def _repr_html_(self) -> str:
        """The picture, and without matplotlib what printing shows."""
        try:
            return pictures.html(self.picture(), repr(self))
        except Exception:  # a broken one is shown as it prints
            return super()._repr_html_()

    def __repr__(self) -> str:
        self.updateValids()
        digits = max(8, len(str(self.mat.max() - 1)) + 1 if self.mat.any() else 0)
        lines = ["ConfusionMatrix:"]
        for i, counts in enumerate(self.mat):
            start, end = "[[" if i == 0 else " [", "]]  " if i == self.nclasses - 1 else "]   "
            row = "".join(f"{count:{digits}d}" for count in counts)
            name = f"\t[class: {self.classes[i] if i < len(self.classes) else ''}]" if self.classes else ""
            lines.append(f"{start}{row}{end}{np.float64(self.valids[i]) * 100:2.3f}% {name}")
        lines += [
            f" + average row correct: {self.averageValid * 100:.14g}% ",
            f" + average rowUcol correct (VOC measure): {self.averageUnionValid * 100:.14g}% ",
            f" + global correct: {self.totalValid * 100:.14g}%",
        ]
        return "\n".join(lines)

    def _classes(self, name: str, values: Any) -> Tensor:
        """The classes that a batch tells, as numbers or by scores."""
        values = np.asarray(values)
        shape = values.shape
        if values.dtype.kind not in "biuf":
            raise DtypeError(f"optim.ConfusionMatrix: {name}: expected numbers, got {values!r}")
        if values.ndim == 2:
            values = values[:, 0] if values.shape[1] == 1 else values.argmax(1)
        if values.ndim != 1:
            raise ShapeError(f"optim.ConfusionMatrix: {name}: expected a vector or a matrix, got {sizes(shape)}")
        for wrong in values[~are_whole(values, -(2**62), np.int64)][:1] if values.dtype.kind == "f" else ():
            raise DtypeError(f"optim.ConfusionMatrix: {name}: expected classes, got {wrong}")
        return values.astype(np.int64)

    def _fromTorch7(self, fields: dict[str, Any], version: int) -> None:
        known, classes = Fields(self, fields), fields.get("classes")
        count, counts = int(known["nclasses"]), known["mat"]
        if counts.shape != (count, count):
            raise FieldError(f"mat: expected {count} x {count}, as nclasses says, got {described(counts)}")
        self.__init__(count, classes if isinstance(classes, list) else None)  # type: ignore[misc]
        if counts.dtype == self.mat.dtype:
            self.mat = counts
        else:  # older files have single precision
            self.mat[...] = counts
        self.updateValids()
