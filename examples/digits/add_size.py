"""Wrote the entry ``imageSize`` into digits.t7, which Torch7 had saved without it: nothing else of the file changed.

The network takes pictures of any size, but it learned from those of 8x8. A script in Lua knew that; a file that is to be
run by itself has to say so, as it does for mean and standard deviation: height and width, in a field beside the network.
"""

from pathlib import Path

from pytorch_legacy import t7

PATH = Path(__file__).with_name("digits.t7")

if __name__ == "__main__":
    checkpoint = t7.read(PATH)  # as it stands in the file, with objects of Torch in place of modules
    checkpoint["imageSize"] = [8, 8]
    t7.write(PATH, checkpoint)
