"""Parameters of 16 hidden values, to and from Python's own safetensors package.

    pip install numpy safetensors
    python golden.py make     writes from_python.safetensors
    python golden.py check    reads from_rust.safetensors, which the test of this folder writes
"""

import sys
from pathlib import Path

import numpy as np
from safetensors import safe_open
from safetensors.numpy import save_file

FOLDER = Path(__file__).parent
SHAPES = {"ft.bias": (16,), "ft.weight": (768, 16), "out.bias": (1,), "out.weight": (1, 32)}
METADATA = {"activation": "screlu", "eval_scale": "115", "mirrored": "false", "qa": "255", "qb": "64"}


def values(number, shape):
    """The numbers of a tensor; every one is exact in 32 bits."""
    index = np.arange(np.prod(shape), dtype=np.int64)
    return (((index * 7919 + number * 104729) % 4001 - 2000) / 1024).astype("<f4").reshape(shape)


def tensors():
    return {name: values(number, shape) for number, (name, shape) in enumerate(SHAPES.items())}


def make():
    save_file(tensors(), FOLDER / "from_python.safetensors", METADATA)


def check():
    with safe_open(FOLDER / "from_rust.safetensors", "numpy") as file:
        assert file.metadata() == METADATA, file.metadata()
        assert set(file.keys()) == set(SHAPES), file.keys()
        for name, expected in tensors().items():
            found = file.get_tensor(name)
            assert found.dtype == np.float32 and found.shape == expected.shape, name
            assert (found == expected).all(), name
    print("from_rust.safetensors holds what it should")


if __name__ == "__main__":
    {"make": make, "check": check}[sys.argv[1]]()
