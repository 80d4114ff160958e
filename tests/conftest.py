"""Settings of the whole suite."""

import pytest

# Their assertions then say what they compared.
pytest.register_assert_rewrite("tests.capi", "tests.trees", "tests.trial")
