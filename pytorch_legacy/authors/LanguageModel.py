"""The language model of torch-rnn."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Self

import numpy as np

from pytorch_legacy import nn, random
from pytorch_legacy.arrays import Tensor, is_tensor, to_device, to_host
from pytorch_legacy.authors.SequenceLayer import SequenceLayer
from pytorch_legacy.authors.TorchRnnLSTM import TorchRnnLSTM
from pytorch_legacy.authors.VanillaRNN import VanillaRNN
from pytorch_legacy.errors import FieldError, ShapeError, ValueRangeError
from pytorch_legacy.files.counting import Lua
from pytorch_legacy.files.form import Form
from pytorch_legacy.nn.Container import Container
from pytorch_legacy.nn.utils import described


class LanguageModel(Container):
    """Scores for the next token after each token of a text: LookupTable, recurrent layers, Linear.

    Parameters
    ----------
    idx_to_token : list of str
        The vocabulary.
    model_type : {"lstm", "rnn"}
        The kind of the recurrent layers.
    wordvec_size, rnn_size, num_layers : int
        The size of the vectors for tokens; the size of the states and the number of the recurrent layers.
    dropout : float
        Probability of dropout after each recurrent layer, if it is not 0.
    batchnorm : int
        Whether (1) to normalize the batch after each recurrent layer.

    Attributes
    ----------
    net : Sequential
        The layers.
    rnns : list of Module
        The recurrent layers among them; they remember their states.
    token_to_idx : dict
        The index of each token, from 0 on.

    Raises
    ------
    DtypeError, IndexRangeError
        If the input holds no indices below the size of the vocabulary.
    ValueRangeError
        If `model_type` is another one; if a text has a token that is not in the vocabulary.

    Notes
    -----
    Shapes: the input is ``N x T``, indices of tokens from 0 on (torch-rnn counted from 1); the output is ``N x T x V``,
    scores that a softmax makes probabilities. Source: torch-rnn ``LanguageModel.lua``.

    Examples
    --------
    >>> net = authors.LanguageModel(["a", "b", " "], wordvec_size=4, rnn_size=5, num_layers=1)
    >>> net.token_to_idx  # from 0; from 1 in Lua
    {'a': 0, 'b': 1, ' ': 2}
    >>> net.forward(np.array([[0, 1, 2, 0]])).shape  # three scores after each of four tokens
    (1, 4, 3)
    """

    idx_to_token: list[str]
    view1: Any
    view2: Any

    _file = Form(
        private=("modules",),
        properties=("net", "rnns"),
        defaults={
            "modules": lambda fields: [fields["net"]],
            "bn_view_in": lambda fields: [],  # a field that older models lack
            "bn_view_out": lambda fields: [],
            "model_type": "lstm",
            "rnn_size": 128,
            "num_layers": 2,
            "dropout": 0,
            "batchnorm": 0,
        },
        kinds={
            "view1": "a module",
            "view2": "a module",
            "vocab_size": "a whole number",
            "wordvec_dim": "a whole number",
            "net": "a module",
            "idx_to_token": "a list of text",
            **dict.fromkeys(("bn_view_in", "bn_view_out"), "a list of modules"),
        },
    )
    _lua = Lua(
        methods={"decode_string": {"encoded": "indices"}},
        results={"encode_string": "indices"},
        fields={"token_to_idx": "indices"},
    )

    def __init__(
        self,
        idx_to_token: Sequence[str],
        model_type: str = "lstm",
        wordvec_size: int = 64,
        rnn_size: int = 128,
        num_layers: int = 2,
        dropout: float = 0,
        batchnorm: int = 0,
    ) -> None:
        super().__init__()
        if model_type not in ("lstm", "rnn"):
            raise ValueRangeError(f'{self._typename}: model_type: expected "lstm" or "rnn", got {model_type!r}')
        self.idx_to_token = list(idx_to_token)
        self.token_to_idx = {token: index for index, token in enumerate(self.idx_to_token)}
        self.vocab_size = len(self.idx_to_token)
        self.model_type, self.wordvec_dim, self.rnn_size = model_type, wordvec_size, rnn_size
        self.num_layers, self.dropout, self.batchnorm = num_layers, dropout, batchnorm
        self.bn_view_in: list[Any] = []
        self.bn_view_out: list[Any] = []
        net = nn.Sequential().add(nn.LookupTable(self.vocab_size, wordvec_size))
        for i in range(num_layers):
            rnn = (TorchRnnLSTM if model_type == "lstm" else VanillaRNN)(rnn_size if i else wordvec_size, rnn_size)
            rnn.remember_states = True
            net.add(rnn)
            if batchnorm:
                self.bn_view_in.append(nn.View(1, 1, -1).setNumInputDims(3))
                self.bn_view_out.append(nn.View(1, -1).setNumInputDims(2))
                net.add(self.bn_view_in[-1]).add(nn.BatchNormalization(rnn_size)).add(self.bn_view_out[-1])
            if dropout:
                net.add(nn.Dropout(dropout))
        self.view1, self.view2 = nn.View(1, 1, -1).setNumInputDims(3), nn.View(1, -1).setNumInputDims(2)
        self.add(net.add(self.view1).add(nn.Linear(rnn_size, self.vocab_size)).add(self.view2))

    @property
    def net(self) -> Any:
        return self.modules[0]

    @property
    def rnns(self) -> list[SequenceLayer]:
        return [module for module in self.listModules() if isinstance(module, SequenceLayer)]

    def updateOutput(self, input: Tensor) -> Tensor:
        if not is_tensor(input) or input.ndim != 2:
            raise ShapeError(f"{self._typename}: input: expected a 2-D array of indices, got {described(input)}")
        N, T = input.shape
        for view in (self.view1, *self.bn_view_in):
            view.resetSize(N * T, -1)
        for view in (self.view2, *self.bn_view_out):
            view.resetSize(N, T, -1)
        self.output = self.net.updateOutput(input)
        return self.output

    def updateGradInput(self, input: Tensor, gradOutput: Tensor) -> Tensor:
        self.gradInput = self.net.updateGradInput(input, gradOutput)
        return self.gradInput

    def accGradParameters(self, input: Tensor, gradOutput: Tensor, scale: float = 1.0) -> None:
        self.net.accGradParameters(input, gradOutput, scale)

    def accUpdateGradParameters(self, input: Tensor, gradOutput: Tensor, lr: float) -> None:
        self.net.accUpdateGradParameters(input, gradOutput, lr)

    def resetStates(self) -> Self:
        """Lets the next text begin anew."""
        for rnn in self.rnns:
            rnn.resetStates()
        return self

    def encode_string(self, text: Iterable[str]) -> Tensor:
        """The indices of the tokens, which are characters if `text` is a string."""
        tokens = list(text)
        for token in tokens:
            if token not in self.token_to_idx:
                raise ValueRangeError(f"{self._typename}: encode_string: {token!r} is not in the vocabulary")
        return np.array([self.token_to_idx[token] for token in tokens], np.int64)

    def decode_string(self, encoded: Iterable[int]) -> str:
        """The text of which these are the indices."""
        return "".join(self.idx_to_token[index] for index in encoded)

    def sample(self, length: int = 100, start_text: str = "", sample: bool = True, temperature: float = 1.0) -> str:
        """Text from the model, `start_text` included. The states are reset before and afterwards.

        Parameters
        ----------
        length : int
            The number of tokens, those of `start_text` included.
        start_text : str
            The beginning. Without it the first token is drawn with equal probabilities.
        sample : bool
            Draw each token with its probability, from the generator of ``pl.manualSeed``; else take the likeliest one.
        temperature : float
            The scores are divided by it: less than 1 makes likely tokens likelier.
        """
        return start_text + "".join(self.tokens(max(length - len(start_text), 0), start_text, sample, temperature))

    def tokens(self, length: int, start_text: str = "", sample: bool = True, temperature: float = 1.0) -> Iterator[str]:
        """As `sample`, token by token, for as many tokens after `start_text`."""
        self.resetStates()
        scores = np.ones(self.vocab_size, self._dtype)
        index = None
        for i in range(length):
            if i == 0 and start_text:
                scores = self.forward(to_device(self.encode_string(start_text)[None], self._onDevice))[0, -1]
            elif index is not None:
                scores = self.forward(to_device(np.array([[index]]), self._onDevice))[0, -1]
            index = drawn(scores, temperature) if sample else int(scores.argmax())
            yield self.idx_to_token[index]
        self.resetStates()

    def _fromTorch7(self, fields: dict[str, Any], version: int) -> None:
        super()._fromTorch7(fields, version)
        numbers = fields.get("token_to_idx")
        if not (isinstance(numbers, dict) and all(type(number) is int for number in numbers.values())):
            raise FieldError(f"token_to_idx: expected a table of whole numbers, got {described(numbers)}")
        self.token_to_idx = {token: number - 1 for token, number in numbers.items()}

    def _toTorch7(self) -> dict[str, Any]:
        return super()._toTorch7() | {"token_to_idx": {token: index + 1 for token, index in self.token_to_idx.items()}}


def drawn(scores: Tensor, temperature: float = 1.0) -> int:
    """An index drawn with the probabilities that a softmax makes of scores."""
    likely = np.asarray(to_host(scores), np.float64) / temperature
    total = np.cumsum(np.exp(likely - likely.max()))
    chance = float(random.uniform(0, 1, (1,), np.float64)[0])
    return int(np.searchsorted(total, chance * total[-1]))
