"""The base class of HardShrink and SoftShrink."""

from pytorch_legacy.files.form import Form
from pytorch_legacy.nn.Native import Native


class Shrink(Native):
    """Base of layers with a threshold lambda.

    The field is called ``lambda_`` here and ``lambda`` in files: Python keeps that word to itself.
    """

    _file = Form(renamed={"lambda_": "lambda"}, defaults={"lambda_": 0.5})  # the first releases had no other

    def __init__(self, lambda_: float = 0.5) -> None:
        super().__init__()
        self.lambda_ = lambda_
