"""What somebody meets who types at a prompt: help, completion, pictures of networks, hints."""

import pydoc
import re

import pytest

import pytorch_legacy as pl
from pytorch_legacy import nn


@pytest.mark.parametrize("cls", [nn.SpatialConvolution, nn.Sequential, nn.MSECriterion, pl.rnn.SeqLSTM])
def test_help_shows_no_insides(cls):
    """pydoc lists the private members of whatever has an attribute called _fields, as named tuples have."""
    text = pydoc.render_doc(cls, renderer=pydoc.plaintext)
    assert len(text.splitlines()) < 350
    assert not re.search(r"^ \|  _[a-z]", text, re.MULTILINE)
