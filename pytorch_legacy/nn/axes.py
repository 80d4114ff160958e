"""Fields that layers with windows have for each axis, declared for type checkers and editors.

Constructors set them axis by axis, which no type checker follows.
"""


class WidthFields:
    """The fields of a layer whose windows have a width: kernel, stride and padding."""

    kW: int
    dW: int
    padW: int


class PlaneFields(WidthFields):
    """The fields of a layer whose windows have a width and a height."""

    kH: int
    dH: int
    padH: int


class VolumeFields(PlaneFields):
    """The fields of a layer whose windows have a width, a height and a length in time."""

    kT: int
    dT: int
    padT: int
