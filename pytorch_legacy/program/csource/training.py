"""Writes a training step in C: what differs from a network in evaluation mode."""

from __future__ import annotations

import struct
from dataclasses import replace
from zlib import crc32

from pytorch_legacy.backend import header
from pytorch_legacy.program.csource import templates
from pytorch_legacy.program.csource.facts import Facts, Group, Port, Training
from pytorch_legacy.program.csource.names import KINDS, comment, shape_text
from pytorch_legacy.program.csource.opening import Opening
from pytorch_legacy.program.csource.passes import Constants, Helpers, PassWriter, declaration
from pytorch_legacy.program.csource.source import Source
from pytorch_legacy.program.csource.templates import paragraph
from pytorch_legacy.program.encoding import ALIGNED
from pytorch_legacy.program.listing import Listing, Number, Size
from pytorch_legacy.recording.recorder import Call, Ref


def _training(facts: Facts) -> Training:
    assert facts.training is not None
    return facts.training


def _rounded(size: int) -> int:
    return -(-size // ALIGNED) * ALIGNED


class StepWriter(PassWriter):
    """Writes the list of a training step. Fields and results have the names of arguments and the places of their modules."""

    def __init__(
        self, listing: Listing, function: str, facts: Facts, constants: Constants, helpers: Helpers, isBatched: bool
    ) -> None:
        count = len(facts.inputs)
        refs = [*listing.inputs[count:], *listing.outputs[1:]]
        pairs = zip(_training(facts).held, refs, strict=True)
        self._held = {ref.memory: (f"{facts.variable}->{port.short}", ref.dtype) for port, ref in pairs}
        own = replace(listing, inputs=listing.inputs[:count], outputs=listing.outputs[:1])
        names = [port.short for port in facts.inputs]
        super().__init__(own, function, names, ["loss"], facts, constants, helpers, isBatched)

    def _name_blocks(self) -> None:
        self._bases.update(self._held)
        super()._name_blocks()

    def _owner(self, place: int) -> str:
        call = self.listing.calls[place]
        where = self.facts.modules[call.module][0] if call.module >= 0 else ""
        return where.replace(".", "_") or ("criterion" if call.part == "criterion" else "net")

    def _result(self, place: int, call: Call, argument: int) -> str:
        arguments = [one.name for one in declaration(call).arguments if one.name != "state"]
        return f"{arguments[argument]}_{self._owner(place)}"

    def _isLasting(self, ref: Ref) -> bool:
        return ref.memory in self._held or super()._isLasting(ref)

    def _tensor(self, place: int, argument: header.Argument, ref: Ref) -> tuple[str, str]:
        isVarying = any(isinstance(one, Size) for one in (*ref.shape, *ref.strides))
        if ref.memory not in self._held or "THNNArray" in argument.type or isVarying:
            return super()._tensor(place, argument, ref)
        type, value = KINDS[ref.dtype].tensor, self.helpers.tensor(self._pointer(ref), ref, False)
        name = self.constants.field(value, f"{argument.name}_{self._owner(place)}", type, value, shape_text(ref.shape))
        return type, f"&{self.network}->{name}"

    def _about(self) -> list[str]:
        group = self.function.partition("_")[2]
        samples = {"": "", "one": ", for one sample", "batch": f", for {self.listing.least} and more samples"}[group]
        given = " and ".join(argument.name for argument in self.inputs)
        text = f"Computes the loss and the gradients of the parameters from {given}{samples}. The results of the layers "
        text += "are in the arena until the last function that reads them has run."
        return [f"/* {paragraph(text, '   ').lstrip()} */"]

    def _body(self) -> list[str]:
        lines: list[str] = []
        part = ""
        for place, call in enumerate(self.listing.calls):
            if call.part and call.part != part:
                part = call.part
                lines += [*([""] if lines else []), f"  /* ---- {part} */"]
            lines += self._call(place, call)
        return lines


class StepOpening(Opening):
    """Writes the function that opens a training step. It leaves running statistics and the random generator as they were."""

    def _parts(self) -> list[tuple[str, str, str]]:
        weights = self.facts.macro("weights", len(self.constants.content), f"{self.facts.variable}->most")
        gradients = _training(self.facts).held[1]
        return [("the weights", weights, "weights"), ("the gradients", str(_rounded(gradients.bytes)), "gradients")]

    def _placed(self, field: str, start: str) -> str:
        type = _training(self.facts).held[1].type
        return super()._placed(field, f"({type} *)({start})" if field == "gradients" else start)

    def _pointers(self) -> list[str]:
        net, training = self.facts.variable, _training(self.facts)
        parameters, _, *others = training.held
        lines, offset = [], ALIGNED
        for port, content in zip([parameters, *others], training.contents, strict=True):
            lines.append(f"  {net}->{port.short} = ({port.type} *)({net}->weights + {offset});\n")
            offset += _rounded(len(content))
        return lines

    def _about_prepare(self, what: str) -> str:
        return f"Makes steps on {what}. After that there is scratch memory for all later steps."

    def _count(self, port: Port) -> str:
        return "1" if port in self.facts.outputs else super()._count(port)

    def _set_state(self) -> str:
        return self._fill(templates.STEP_STATE, convolution=_training(self.facts).convolution)

    def _read(self) -> str:
        return "  if (status == THNN_OK) status = read_weights(made->weights, bin);\n"

    def _call_prepare(self) -> str:
        training = _training(self.facts)
        first = templates.STEP_PREPARE_AND_DRAW if training.draws else templates.STEP_PREPARE
        again = self._read() if training.isChanging else ""
        return first + again + self._fill(templates.STEP_ZERO)


class StepSource(Source):
    """The texts of a training step, and the bytes of its parameters and of what else lives from step to step."""

    what = "a step of training"
    entry = "step"
    aboutState = "threads and scratch memory of libTHNN"
    opening = StepOpening

    def __init__(self, facts: Facts) -> None:
        super().__init__(facts)
        values = [f"{one.field} = {one.value}" for one in self.constants.fields.values()]
        self.id = crc32("\n".join([*self.functions, *values]).encode())
        rest = self.weights[ALIGNED:]
        self.weights = struct.pack("<II", self.id, crc32(rest)).ljust(ALIGNED, b"\0") + rest
        parameters = _training(facts).held[0]
        self.words |= {"type": parameters.type, "plural": KINDS[parameters.ref.dtype].plural}

    def _reserve(self) -> None:
        for content in (b"\0" * ALIGNED, *_training(self.facts).contents):
            self.constants.reserve(content)

    def _writers(self, group: Group) -> list[PassWriter]:
        name = f"{self.entry}{self.facts.ending(group)}"
        return [StepWriter(group.first, name, self.facts, self.constants, self.helpers, group.least > 0)]

    # ---- the header

    def _about_passes(self) -> str:
        name, net = self.facts.name, self.facts.variable
        type, upper = self.words["type"], self.words["upper"]
        return "\n".join([
            super()._about_passes().replace(", loss)", ", &loss)"),
            f" *   {type} *w = {name}_parameters({net}), *dw = {name}_gradients({net});",
            f" *   for (int64_t i = 0; i < {upper}_PARAMETERS; i++) w[i] -= {'0.01f' if type == 'float' else '0.01'} * dw[i];",
            f' *   {name}_save({net}, "{self.facts.file}.bin");',
        ])  # fmt: skip

    def _counts(self) -> list[tuple[str, Number, str]]:
        count = _training(self.facts).held[0].elements
        ports = [(port.name, port.elements, f"elements of `{port.name}`") for port in self.facts.inputs]
        return [("parameters", count, "elements of the parameters, and of their gradients"), *ports]

    def _about_weights(self) -> str:
        return f"bytes of {self.facts.file}.bin"

    def _about_opening(self) -> str:
        facts = self.facts
        text = f"Opens the network. `bin` is the path of {facts.file}.bin, or of a file that {facts.name}_save wrote."
        text += " `most` is the largest number of samples in a step." if facts.isBatched else ""
        return f"/* {paragraph(text)[3:]} */"

    def _about_running(self) -> str:
        samples = f" of n samples, from {self.facts.least} to `most`" if self.facts.isBatched else ""
        training = _training(self.facts)
        zeroing = "sets the gradients to zero"
        if not training.isZeroed:
            zeroing = "runs zeroGradParameters of the network, which does not set all gradients to zero"
        text = f"Makes a step{samples}: {zeroing}, runs the network in training mode, computes the loss, and "
        text += f"adds the gradients of the parameters. {self._about_parameters()}"
        if training.draws:
            text += " Random draws come from libTHNN's default generator, which THNN_manualSeed(NULL, seed) sets."
        return f"/* {paragraph(text)[3:]} */"

    def _about_parameters(self) -> str:
        """Returns a text about what moves the parameters."""
        changers = _training(self.facts).changers
        if not changers:
            return "The parameters stay as they are: the host moves them."
        modules = [self.facts.modules[number] if number >= 0 else ("", "the network") for number in changers]
        names = [f"{text} (module {place})" if place else text for place, text in modules]
        return comment(f"The host moves the parameters. Besides, the passes of {' and of '.join(names)} change their own.")

    def _declarations(self) -> str:
        training = _training(self.facts)
        others = " and what else lives from step to step" if len(training.held) > 2 else ""
        text = f"Writes the parameters{others} to a file, which {self.facts.name}_open reads."
        text += "" if training.isZeroed else " The gradients are not written; they are zero after opening."
        return self._fill(templates.STEP_DECLARATIONS, saving=f"/* {paragraph(text)[3:]} */")

    # ---- the source

    def _memory(self) -> list[tuple[str, str]]:
        held = [(f"{port.type} *{port.short}", port.name) for port in _training(self.facts).held]
        memory = ("char *memory", "the result of malloc: the memory below")
        return [memory, ("char *weights", f"the bytes of {self.facts.file}.bin"), *held]

    def _unmap(self) -> str:
        return ""

    def _about_allocated(self) -> str:
        return f"{self.facts.name}_open allocates the bytes below."

    def _more(self) -> list[str]:
        return [self._fill(templates.STEP_ACCESS)]

    def _files(self) -> list[str]:
        return [templates.CHECKSUM, self._fill(templates.STEP_READ, id=f"0x{self.id:08x}"), self._fill(templates.STEP_SAVE)]
