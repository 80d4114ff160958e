"""Classes that authors of published models wrote for themselves, under the typenames that their files use."""

__all__: list[str] = []
