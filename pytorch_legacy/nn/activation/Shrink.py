"""What HardShrink and SoftShrink share."""

from typing import Any

from pytorch_legacy import mending
from pytorch_legacy.form import Form
from pytorch_legacy.nn.Native import Native


class Shrink(Native):
    """Base of layers with a threshold lambda.

    The field is called ``lambda_`` here and ``lambda`` in files: Python keeps that word to itself.
    """

    _file = Form(defaults={"lambda_": 0.5})

    def __init__(self, lambda_: float = 0.5) -> None:
        super().__init__()
        self.lambda_ = lambda_

    def _fromTorch7(self, fields: dict[str, Any], version: int) -> None:
        fields = {**mending.fill(self, fields, **{"lambda": 0.5})}  # the first releases had no other
        fields["lambda_"] = fields.pop("lambda")
        super()._fromTorch7(fields, version)

    def _toTorch7(self) -> dict[str, Any]:
        fields = super()._toTorch7()
        fields["lambda"] = fields.pop("lambda_")
        return fields
