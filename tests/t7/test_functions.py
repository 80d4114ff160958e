"""Functions of Lua in the place of methods: those that do nothing stand in for them, all others are told of and kept.

The bytecode was made by string.dump of each interpreter.
"""

import io
import pickle
import warnings

import numpy as np
import pytest

import pytorch_legacy as pl
from pytorch_legacy import nn, t7
from pytorch_legacy.cli import main
from pytorch_legacy.errors import T7Warning
from pytorch_legacy.files.t7.bytecode import OTHER, returned

# fmt: off
DUMPS = {
    "lua51": {
        "function(self, input, gradOutput, scale) end":
            "1b4c7561510001040804080003000000000000003d6d00010000000100000000040004010000001e00800000000000000000"
            "00010000000100000004000000050000000000000073656c660000000000000000000600000000000000696e707574000000"
            "0000000000000b00000000000000677261644f757470757400000000000000000006000000000000007363616c6500000000"
            "000000000000000000",
        "function(...) return end":
            "1b4c7561510001040804080003000000000000003d6d00010000000100000000000702020000001e0080001e008000000000"
            "000000000002000000010000000100000001000000040000000000000061726700000000000100000000000000",
        "function(self) return nil end":
            "1b4c7561510001040804080003000000000000003d6d00010000000100000000010002020000005e0000011e008000000000"
            "000000000002000000010000000100000001000000050000000000000073656c6600000000000100000000000000",
        "function(self) return self end":
            "1b4c7561510001040804080003000000000000003d6d00010000000100000000010002020000001e0000011e008000000000"
            "000000000002000000010000000100000001000000050000000000000073656c6600000000000100000000000000",
        "function(self, input) local x = input; return x end":
            "1b4c7561510001040804080003000000000000003d6d0001000000010000000002000303000000800080009e0000011e0080"
            "0000000000000000000300000001000000010000000100000003000000050000000000000073656c66000000000002000000"
            "0600000000000000696e70757400000000000200000002000000000000007800010000000200000000000000",
        "function(self) return {}, {} end":
            "1b4c7561510001040804080003000000000000003d6d00010000000100000000010003040000004a0000008a0000005e0080"
            "011e0080000000000000000000040000000100000001000000010000000100000001000000050000000000000073656c6600"
            "000000000300000000000000",
        "function(self) return 1.5, true end":
            "1b4c7561510001040804080003000000000000003d6d000100000001000000000100030400000041000000820080005e0080"
            "011e0080000100000003000000000000f83f0000000004000000010000000100000001000000010000000100000005000000"
            "0000000073656c6600000000000300000000000000",
        "function(self) return {1} end":
            "1b4c7561510001040804080003000000000000003d6d00010000000100000000010003050000004a00800081000000624080"
            "005e0000011e0080000100000003000000000000f03f00000000050000000100000001000000010000000100000001000000"
            "01000000050000000000000073656c6600000000000400000000000000",
        "function(self) return self.output end":
            "1b4c7561510001040804080003000000000000003d6d0001000000010000000001000203000000460040005e0000011e0080"
            "00010000000407000000000000006f7574707574000000000003000000010000000100000001000000010000000500000000"
            "00000073656c6600000000000200000000000000",
        "function(self) self.x = nil end":
            "1b4c7561510001040804080003000000000000003d6d0001000000010000000001000202000000094040801e008000020000"
            "000402000000000000007800000000000002000000010000000100000001000000050000000000000073656c660000000000"
            "0100000000000000",
        "function(self) x = 1 end":
            "1b4c7561510001040804080003000000000000003d6d000100000001000000000100020300000041400000470000001e0080"
            "0002000000040200000000000000780003000000000000f03f00000000030000000100000001000000010000000100000005"
            "0000000000000073656c6600000000000200000000000000",
        "function(self) self:zero() end":
            "1b4c7561510001040804080003000000000000003d6d00010000000100000000010003030000004b0040005c4000011e0080"
            "00010000000405000000000000007a65726f0000000000030000000100000001000000010000000100000005000000000000"
            "0073656c6600000000000200000000000000",
        "function(self) if self then return nil end end":
            "1b4c7561510001040804080003000000000000003d6d00010000000100000000010002050000001a00000016400080430080"
            "005e0000011e0080000000000000000000050000000100000001000000010000000100000001000000010000000500000000"
            "00000073656c6600000000000400000000000000",
        "function(self) while true do end end":
            "1b4c7561510001040804080003000000000000003d6d00010000000100000000010002020000001680ff7f1e008000000000"
            "000000000002000000010000000100000001000000050000000000000073656c6600000000000100000000000000",
        "function(...) return ... end":
            "1b4c7561510001040804080003000000000000003d6d0001000000010000000000030203000000650000005e0000001e0080"
            "0000000000000000000300000001000000010000000100000001000000040000000000000061726700000000000200000000"
            "000000",
        "function(self) return (function() end)() end":
            "1b4c7561510001040804080003000000000000003d6d0001000000010000000001000204000000640000005d0080005e0000"
            "001e00800000000000010000000000000000000000010000000100000000000002010000001e008000000000000000000001"
            "000000010000000000000000000000040000000100000001000000010000000100000001000000050000000000000073656c"
            "6600000000000300000000000000",
    },
    "lua52": {
        "function(self, input, gradOutput, scale) end":
            "1b4c7561520001040804080019930d0a1a0a0100000001000000040004010000001f00800000000000000000000000000003"
            "000000000000003d6d00010000000100000004000000050000000000000073656c6600000000000100000006000000000000"
            "00696e7075740000000000010000000b00000000000000677261644f75747075740000000000010000000600000000000000"
            "7363616c6500000000000100000000000000",
        "function(...) return end":
            "1b4c7561520001040804080019930d0a1a0a0100000001000000000102020000001f0080001f008000000000000000000000"
            "00000003000000000000003d6d000200000001000000010000000000000000000000",
        "function(self) return nil end":
            "1b4c7561520001040804080019930d0a1a0a010000000100000001000203000000440000005f0000011f0080000000000000"
            "0000000000000003000000000000003d6d000300000001000000010000000100000001000000050000000000000073656c66"
            "00000000000300000000000000",
        "function(self) return self end":
            "1b4c7561520001040804080019930d0a1a0a0100000001000000010002020000001f0000011f008000000000000000000000"
            "00000003000000000000003d6d0002000000010000000100000001000000050000000000000073656c660000000000020000"
            "0000000000",
        "function(self, input) local x = input; return x end":
            "1b4c7561520001040804080019930d0a1a0a010000000100000002000303000000800080009f0000011f0080000000000000"
            "0000000000000003000000000000003d6d000300000001000000010000000100000003000000050000000000000073656c66"
            "0000000000030000000600000000000000696e70757400000000000300000002000000000000007800010000000300000000"
            "000000",
        "function(self) return {}, {} end":
            "1b4c7561520001040804080019930d0a1a0a0100000001000000010003040000004b0000008b0000005f0080011f00800000"
            "000000000000000000000003000000000000003d6d0004000000010000000100000001000000010000000100000005000000"
            "0000000073656c6600000000000400000000000000",
        "function(self) return 1.5, true end":
            "1b4c7561520001040804080019930d0a1a0a01000000010000000100030400000041000000830080005f0080011f00800001"
            "00000003000000000000f83f000000000000000003000000000000003d6d0004000000010000000100000001000000010000"
            "0001000000050000000000000073656c6600000000000400000000000000",
        "function(self) return {1} end":
            "1b4c7561520001040804080019930d0a1a0a0100000001000000010003050000004b00800081000000644080005f0000011f"
            "0080000100000003000000000000f03f000000000000000003000000000000003d6d00050000000100000001000000010000"
            "00010000000100000001000000050000000000000073656c6600000000000500000000000000",
        "function(self) return self.output end":
            "1b4c7561520001040804080019930d0a1a0a010000000100000001000203000000470040005f0000011f0080000100000004"
            "07000000000000006f757470757400000000000000000003000000000000003d6d0003000000010000000100000001000000"
            "01000000050000000000000073656c6600000000000300000000000000",
        "function(self) self.x = nil end":
            "1b4c7561520001040804080019930d0a1a0a0100000001000000010002020000000a4040801f008000020000000402000000"
            "00000000780000000000000000000003000000000000003d6d00020000000100000001000000010000000500000000000000"
            "73656c6600000000000200000000000000",
        "function(self) x = 1 end":
            "1b4c7561520001040804080019930d0a1a0a010000000100000001000202000000084040801f008000020000000402000000"
            "00000000780003000000000000f03f0000000001000000000003000000000000003d6d000200000001000000010000000100"
            "0000050000000000000073656c660000000000020000000100000005000000000000005f454e5600",
        "function(self) self:zero() end":
            "1b4c7561520001040804080019930d0a1a0a0100000001000000010003030000004c0040005d4000011f0080000100000004"
            "05000000000000007a65726f00000000000000000003000000000000003d6d00030000000100000001000000010000000100"
            "0000050000000000000073656c6600000000000300000000000000",
        "function(self) if self then return nil end end":
            "1b4c7561520001040804080019930d0a1a0a0100000001000000010002050000001b00000017400080440000005f0000011f"
            "00800000000000000000000000000003000000000000003d6d00050000000100000001000000010000000100000001000000"
            "01000000050000000000000073656c6600000000000500000000000000",
        "function(self) while true do end end":
            "1b4c7561520001040804080019930d0a1a0a0100000001000000010002020000001780ff7f1f008000000000000000000000"
            "00000003000000000000003d6d0002000000010000000100000001000000050000000000000073656c660000000000020000"
            "0000000000",
        "function(...) return ... end":
            "1b4c7561520001040804080019930d0a1a0a010000000100000000010203000000260000001f0000001f0080000000000000"
            "0000000000000003000000000000003d6d00030000000100000001000000010000000000000000000000",
        "function(self) return (function() end)() end":
            "1b4c7561520001040804080019930d0a1a0a010000000100000001000204000000650000005e0080005f0000001f00800000"
            "000000010000000100000001000000000002010000001f00800000000000000000000000000003000000000000003d6d0001"
            "0000000100000000000000000000000000000003000000000000003d6d000400000001000000010000000100000001000000"
            "01000000050000000000000073656c6600000000000400000000000000",
    },
    "lua53": {
        "function(self, input, gradOutput, scale) end":
            "1b4c7561530019930d0a1a0a04080408087856000000000000000000000028774000033d6d01000000010000000400040100"
            "0000260080000000000000000000000000000100000001000000040000000573656c66000000000100000006696e70757400"
            "000000010000000b677261644f75747075740000000001000000067363616c65000000000100000000000000",
        "function(...) return end":
            "1b4c7561530019930d0a1a0a0408040808785600000000000000000000002877400000010000000100000000010202000000"
            "2600800026008000000000000000000000000000000000000000000000000000",
        "function(self) return nil end":
            "1b4c7561530019930d0a1a0a0408040808785600000000000000000000002877400000010000000100000001000203000000"
            "440000006600000126008000000000000000000000000000000000000000000000000000",
        "function(self) return self end":
            "1b4c7561530019930d0a1a0a0408040808785600000000000000000000002877400000010000000100000001000202000000"
            "2600000126008000000000000000000000000000000000000000000000000000",
        "function(self, input) local x = input; return x end":
            "1b4c7561530019930d0a1a0a0408040808785600000000000000000000002877400000010000000100000002000303000000"
            "80008000a600000126008000000000000000000000000000000000000000000000000000",
        "function(self) return {}, {} end":
            "1b4c7561530019930d0a1a0a0408040808785600000000000000000000002877400000010000000100000001000304000000"
            "4b0000008b0000006600800126008000000000000000000000000000000000000000000000000000",
        "function(self) return 1.5, true end":
            "1b4c7561530019930d0a1a0a0408040808785600000000000000000000002877400000010000000100000001000304000000"
            "410000008300800066008001260080000100000003000000000000f83f0000000000000000000000000000000000000000",
        "function(self) return {1} end":
            "1b4c7561530019930d0a1a0a0408040808785600000000000000000000002877400000010000000100000001000305000000"
            "4b008000810000006b4080006600000126008000010000001301000000000000000000000000000000000000000000000000"
            "000000",
        "function(self) return self.output end":
            "1b4c7561530019930d0a1a0a0408040808785600000000000000000000002877400000010000000100000001000203000000"
            "4700400066000001260080000100000004076f75747075740000000000000000000000000000000000000000",
        "function(self) self.x = nil end":
            "1b4c7561530019930d0a1a0a0408040808785600000000000000000000002877400000010000000100000001000202000000"
            "0a4040802600800002000000040278000000000000000000000000000000000000000000",
        "function(self) x = 1 end":
            "1b4c7561530019930d0a1a0a0408040808785600000000000000000000002877400100010000000100000001000202000000"
            "08404080260080000200000004027813010000000000000001000000000000000000000000000000000000000000",
        "function(self) self:zero() end":
            "1b4c7561530019930d0a1a0a0408040808785600000000000000000000002877400000010000000100000001000303000000"
            "4c00400064400001260080000100000004057a65726f0000000000000000000000000000000000000000",
        "function(self) if self then return nil end end":
            "1b4c7561530019930d0a1a0a0408040808785600000000000000000000002877400000010000000100000001000205000000"
            "220000001e400080440000006600000126008000000000000000000000000000000000000000000000000000",
        "function(self) while true do end end":
            "1b4c7561530019930d0a1a0a0408040808785600000000000000000000002877400000010000000100000001000202000000"
            "1e80ff7f26008000000000000000000000000000000000000000000000000000",
        "function(...) return ... end":
            "1b4c7561530019930d0a1a0a0408040808785600000000000000000000002877400000010000000100000000010203000000"
            "2d0000002600000026008000000000000000000000000000000000000000000000000000",
        "function(self) return (function() end)() end":
            "1b4c7561530019930d0a1a0a0408040808785600000000000000000000002877400000010000000100000001000204000000"
            "6c00000065008000660000002600800000000000000000000100000000010000000100000000000201000000260080000000"
            "00000000000000000000000000000000000000000000000000000000000000000000",
    },
    "luajit20": {
        "function(self, input, gradOutput, scale) end":
            "1b4c4a0100023d6d3400040400000001260100470001000073656c66000002696e707574000002677261644f757470757400"
            "00027363616c650000020000",
        "function(...) return end": "1b4c4a01020b020001000000014700010000",
        "function(self) return nil end": "1b4c4a01020f00010200000002290100004801020000",
        "function(self) return self end": "1b4c4a01020b000101000000014800020000",
        "function(self, input) local x = input; return x end": "1b4c4a01020f00020300000002100201004802020000",
        "function(self) return {}, {} end": "1b4c4a0102130001030000000332010000320200004601030000",
        "function(self) return 1.5, true end": "1b4c4a01021900010300000103280100002902020046010300018080e0ff0300",
        "function(self) return {1} end": "1b4c4a01021500010200010002330100004801020001020000030100",
        "function(self) return self.output end": "1b4c4a0102160001020001000237010000480102000b6f757470757400",
        "function(self) self.x = nil end": "1b4c4a01021500010200010003290100003a01000047000100067800",
        "function(self) x = 1 end": "1b4c4a01021500010200010003270101003501000047000100067800",
        "function(self) self:zero() end": "1b4c4a01021c0001030001000410020000370100003e01020147000100097a65726f00",
        "function(self) if self then return nil end end":
            "1b4c4a01021b000102000000050f0000005401028029010000480102004700010000",
        "function(self) while true do end end": "1b4c4a01021300010100000003510101805401fe7f4700010000",
        "function(...) return ... end": "1b4c4a01020f02000100000002430000004500000000",
        "function(self) return (function() end)() end":
            "1b4c4a01020b000001000000014700010014010102000100033101000030000080400101000000",
    },
    "luajit21": {
        "function(self, input, gradOutput, scale) end":
            "1b4c4a0208023d6d34000404000000012601004b0001000073656c66000002696e707574000002677261644f757470757400"
            "00027363616c650000020000",
        "function(...) return end": "1b4c4a020a0b020001000000014b00010000",
        "function(self) return nil end": "1b4c4a020a0f000102000000022b0100004c01020000",
        "function(self) return self end": "1b4c4a020a0b000101000000014c00020000",
        "function(self, input) local x = input; return x end": "1b4c4a020a0f00020300000002120201004c02020000",
        "function(self) return {}, {} end": "1b4c4a020a130001030000000334010000340200004a01030000",
        "function(self) return 1.5, true end": "1b4c4a020a19000103000001032a0100002b0202004a010300018080e0ff0300",
        "function(self) return {1} end": "1b4c4a020a1500010200010002350100004c01020001020000030100",
        "function(self) return self.output end": "1b4c4a020a1600010200010002390100004c0102000b6f757470757400",
        "function(self) self.x = nil end": "1b4c4a020a15000102000100032b0100003d0100004b000100067800",
        "function(self) x = 1 end": "1b4c4a020a150001020001000329010100370100004b000100067800",
        "function(self) self:zero() end": "1b4c4a020a1c000104000100041203000039010000420102014b000100097a65726f00",
        "function(self) if self then return nil end end":
            "1b4c4a020a1b000102000000050f000000580102802b0100004c0102004b00010000",
        "function(self) while true do end end": "1b4c4a020a1300010100000003550101805801fe7f4b00010000",
        "function(...) return ... end": "1b4c4a020a0f02000100000002470000004900000000",
        "function(self) return (function() end)() end":
            "1b4c4a020a0b000001000000014b00010014010103000100033301000032000080440101000000",
    },
}
# fmt: on
RETURNED = {
    "function(self, input, gradOutput, scale) end": (),
    "function(...) return end": (),
    "function(self) return nil end": (None,),
    "function(self) return self end": (0,),
    "function(self, input) local x = input; return x end": (1,),
    "function(self) return {}, {} end": ([], []),
    "function(self) return 1.5, true end": (OTHER, OTHER),
    "function(self) return {1} end": None,
    "function(self) return self.output end": None,
    "function(self) self.x = nil end": None,
    "function(self) x = 1 end": None,
    "function(self) self:zero() end": None,
    "function(self) if self then return nil end end": None,
    "function(self) while true do end end": None,
    "function(...) return ... end": None,
    "function(self) return (function() end)() end": None,
}
EMPTY, SELF, INPUT, TABLES, READS = (source for source in RETURNED if source in (
    "function(self, input, gradOutput, scale) end", "function(self) return self end",
    "function(self, input) local x = input; return x end", "function(self) return {}, {} end",
    "function(self) return self.output end",
))  # fmt: skip


def function(source, interpreter="luajit21"):
    return t7.Function(bytes.fromhex(DUMPS[interpreter][source]))


def content(value, format="binary"):
    file = io.BytesIO()
    t7.write(file, value, format)
    return file.getvalue()


def with_functions(module, **functions):
    """A network of this module and one that follows, as Torch7 saves it: functions stand in the first one."""
    file = io.BytesIO()
    pl.save(file, nn.Sequential().add(module).add(nn.Linear(3, 2)))
    record = t7.read(file.getvalue())
    record.fields["modules"][0].fields |= {name: function(source) for name, source in functions.items()}
    return record


def loaded(module, format="binary", **functions):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return pl.load(content(with_functions(module, **functions), format))


def trained(net, input):
    """The sums of the gradients of each module."""
    net.zeroGradParameters()
    output = net.forward(input)
    net.backward(input, np.ones_like(output))
    return [float(np.abs(module.gradBias).sum()) for module in net]


@pytest.mark.parametrize("interpreter", DUMPS)
def test_what_bytecode_does(interpreter):
    for source, expected in RETURNED.items():
        code = bytes.fromhex(DUMPS[interpreter][source])
        assert returned(code) == expected, source
        for end in range(len(code)):  # a torn function is not known, or does as little as before
            assert returned(code[:end]) in (None, expected)


def test_bytecode_of_other_machines():
    empty = bytes.fromhex(DUMPS["lua51"][EMPTY])
    size = int.from_bytes(empty[12:20], "little")
    rest, source = empty[20 + size :], empty[20 : 20 + size]
    narrow = empty[:8] + b"\4" + empty[9:12] + size.to_bytes(4, "little") + source + rest
    assert returned(narrow) == ()
    head = b"\x1bLua\x51\0\0\4\4\4\10\0" + (1).to_bytes(4, "big") + b"\0" + bytes(8) + b"\0\4\0\4"
    assert returned(head + (1).to_bytes(4, "big") + (0x0080001E).to_bytes(4, "big")) == ()
    jit = bytearray.fromhex(DUMPS["luajit21"][EMPTY])
    assert returned(bytes([*jit[:3], 3, *jit[4:]])) is None
    assert returned(b"") is None and returned(b"\x1bLJ") is None and returned(b"\x1bLua") is None


LAYERS = [
    (nn.Linear(3, 3), (2, 3)), (nn.BatchNormalization(3), (2, 3)), (nn.WeightedEuclidean(3, 3), (2, 3)),
    (nn.SpatialInstanceNormalization(3), (2, 3, 1, 3)), (nn.SpatialConvolution(3, 3, 1, 1), (2, 3, 1, 3)),
]  # fmt: skip


@pytest.mark.parametrize("layer, shape", LAYERS, ids=[layer._typename for layer, _ in LAYERS])
@pytest.mark.parametrize("format", ["binary", "ascii"])
def test_a_frozen_layer_stays_frozen(layer, shape, format):
    net = pl.load(content(with_functions(layer, accGradParameters=EMPTY), format))
    layer, input = net.modules[0], np.random.default_rng(1).normal(size=shape).astype(np.float32)

    def parameters():
        return [*layer.parameters()[1], *layer.parameters()[0]]

    net.zeroGradParameters()
    for again in (net, pickle.loads(pickle.dumps(net.clone()))):
        layer = again.modules[0]
        before = np.concatenate([array.ravel() for array in parameters()])
        output = layer.forward(input)
        layer.backward(input, np.ones_like(output))
        layer.backwardUpdate(input, np.ones_like(output), 0.5)
        assert layer.gradInput.shape == input.shape
        np.testing.assert_array_equal(np.concatenate([array.ravel() for array in parameters()]), before)
    del layer.accGradParameters
    layer.backward(input, np.ones_like(output))
    assert any(np.any(gradient) for gradient in layer.parameters()[1])


def test_what_does_nothing_stands_in_its_place():
    input = np.ones((2, 3), np.float32)
    assert trained(loaded(nn.Linear(3, 3), parameters="function(self) return nil end"), input)[0] > 0
    for source in (EMPTY, "function(self) return nil end", TABLES):
        assert len(loaded(nn.Linear(3, 3), parameters=source).parameters()[0]) == 2
    net = loaded(nn.Linear(3, 3), updateParameters=EMPTY, zeroGradParameters=EMPTY, reset=SELF)
    weights = [module.weight.copy() for module in net]
    trained(net, input)
    net.updateParameters(0.1)
    net.zeroGradParameters()
    net.modules[0].reset()
    assert np.array_equal(weights[0], net.modules[0].weight) and not np.array_equal(weights[1], net.modules[1].weight)
    assert np.any(net.modules[0].gradWeight) and not np.any(net.modules[1].gradWeight)
    net = loaded(nn.BatchNormalization(3), training=EMPTY, evaluate=SELF, type=SELF)
    net.evaluate()
    net.double()
    assert (net.modules[0].train, net.modules[1].train) == (True, False)
    assert (net.modules[0].weight.dtype, net.modules[1].weight.dtype) == (np.float32, np.float64)
    net = loaded(nn.Linear(3, 3), accUpdateGradParameters=EMPTY)
    net.forward(input)
    weight = net.modules[0].weight.copy()
    net.backwardUpdate(input, np.ones((2, 2), np.float32), 1.0)
    np.testing.assert_array_equal(net.modules[0].weight, weight)


def test_a_pass_that_is_another_is_told():
    input = np.ones((2, 3), np.float32)
    with pytest.warns(T7Warning, match=r"root\.modules\[1\], a nn\.Linear: updateOutput is a Lua function, which cannot run"):
        net = pl.load(content(with_functions(nn.Linear(3, 3), updateOutput=READS)))
    assert net.forward(input).shape == (2, 2)
    with pytest.warns(T7Warning, match=r"updateOutput is a Lua function that computes nothing"):
        net = pl.load(content(with_functions(nn.Dropout(), updateOutput=INPUT)))
    assert net.modules[0].updateOutput(input) is input
    with pytest.warns(T7Warning, match=r"updateGradInput is a Lua function that computes nothing"):
        net = pl.load(content(with_functions(nn.Linear(3, 3), updateGradInput=EMPTY)))
    assert trained(net, input)[0] > 0 and net.modules[0].gradInput.size == 0
    for name in ("updateGradInput", "accGradParameters", "forward", "backward", "parameters", "reset", "type", "training"):
        with pytest.warns(T7Warning, match=rf"root\.modules\[1\], a nn\.Linear: {name} is a Lua function, which cannot run"):
            net = pl.load(content(with_functions(nn.Linear(3, 3), **{name: READS})))
        assert all(trained(net, input))
    container = with_functions(nn.Sequential().add(nn.Linear(3, 3)), accGradParameters=EMPTY)
    with pytest.warns(T7Warning, match=r"a nn\.Sequential: accGradParameters .* they are not frozen"):
        pl.load(content(container))
    many = [with_functions(nn.Linear(3, 3), updateOutput=READS) for _ in range(20)]
    with pytest.warns(T7Warning, match=r"and 15 more") as found:
        pl.load(content(many))
    assert len(found) == 1


def test_functions_are_saved_again_and_listed(tmp_path, capsys):
    record = with_functions(nn.Linear(3, 3), accGradParameters=EMPTY, updateOutput=READS, helper=READS)
    fields = record.fields["modules"][0].fields
    record.fields["modules"][1].fields["accGradParameters"] = fields["accGradParameters"]
    with pytest.warns(T7Warning):
        net = pl.load(content(record))
    for format in ("binary", "ascii"):
        file = io.BytesIO()
        pl.save(file, net.clone().double(), format)
        again = [module.fields for module in t7.read(file.getvalue()).fields["modules"]]
        for name in ("accGradParameters", "updateOutput", "helper"):
            assert again[0][name].bytecode == fields[name].bytecode
        assert again[1]["accGradParameters"] is again[0]["accGradParameters"]
    (tmp_path / "net.t7").write_bytes(content(record))
    assert main(["inspect", str(tmp_path / "net.t7")]) == 0
    shown = capsys.readouterr()
    assert "function: 1.accGradParameters: a Lua function that does nothing" in shown.out
    assert "function: 2.accGradParameters: a Lua function that does nothing" in shown.out
    assert "the layer is frozen" in shown.out and "1.updateOutput: a Lua function, which cannot run" in shown.out
    assert not shown.err
    assert main(["convert", str(tmp_path / "net.t7"), str(tmp_path / "net.npz")]) == 0
    assert "pytorch-legacy: warning: functions of Lua" in capsys.readouterr().err
