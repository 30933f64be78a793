"""Trains the network of a pytorch_export run once more, with PyTorch, and compares the losses.

    pip install numpy safetensors torch
    cargo run --release -p chess-nnue --features safetensors --example pytorch_export -- \
        examples/data/real-sample.marlin /tmp/run
    python chess-nnue/tests/pytorch_compare.py examples/data/real-sample.marlin /tmp/run

Shared are the first weights, which samples each batch holds, and the numbers of run.json. Records,
inputs, targets, the network and the optimizer are made here from their definitions, with none of
the crate's code. Fails unless the losses agree; see pytorch_compare.md.
"""

import json
import sys
import time
from pathlib import Path

import numpy as np
import torch
from safetensors.torch import load_file

RECORD = np.dtype(
    [("occupied", "<u8"), ("men", "u1", 16), ("side", "u1"), ("halfmove", "u1"), ("fullmove", "<u2"),
     ("score", "<i2"), ("result", "u1"), ("extra", "u1")]
)
NOTHING = 768  # the input of an empty place in a list of 32
WEIGHT_LIMIT = 1.98


def read(path):
    """The inputs that are on in the mover's and in the opponent's view, scores and points of the mover."""
    records = np.fromfile(path, RECORD)
    squares_on = np.unpackbits(
        np.ascontiguousarray(records["occupied"]).view(np.uint8).reshape(-1, 8), axis=1, bitorder="little"
    ).astype(bool)
    row, square = np.nonzero(squares_on)
    place = np.arange(len(row)) - np.repeat(np.cumsum(squares_on.sum(1)) - squares_on.sum(1), squares_on.sum(1))
    code = records["men"][row, place // 2] >> (4 * (place % 2)) & 15
    kind = np.where(code & 7 == 6, 3, code & 7)  # 6 is a rook that may castle
    is_black = code >> 3
    mover = records["side"] >> 7
    views = []
    for view in (mover, 1 - mover):
        theirs = is_black != view[row]
        inputs = np.full((len(records), 32), NOTHING, np.int64)
        inputs[row, place] = 384 * theirs + 64 * kind + (square ^ (56 * view[row].astype(np.int64)))
        views.append(torch.from_numpy(inputs))
    sign = 1 - 2 * mover.astype(np.float64)
    scores = records["score"] * sign
    points = np.where(mover == 0, records["result"], 2 - records["result"]) / 2
    return views, scores, points


class Network(torch.nn.Module):
    def __init__(self, weights):
        super().__init__()
        nothing = torch.zeros(1, weights["ft.weight"].shape[1])
        self.ft_weight = torch.nn.Parameter(torch.cat([weights["ft.weight"], nothing]))
        self.ft_bias = torch.nn.Parameter(weights["ft.bias"])
        self.out_weight = torch.nn.Parameter(weights["out.weight"])
        self.out_bias = torch.nn.Parameter(weights["out.bias"])

    def forward(self, views):
        hidden = [
            torch.nn.functional.embedding_bag(view, self.ft_weight, mode="sum", padding_idx=NOTHING)
            for view in views
        ]
        hidden = torch.cat([(values + self.ft_bias).clamp(0, 1).square() for values in hidden], dim=1)
        return torch.nn.functional.linear(hidden, self.out_weight, self.out_bias).squeeze(1)

    def clipped(self):
        return [self.ft_weight, self.ft_bias, self.out_weight]


def mean_loss(network, views, targets):
    with torch.no_grad():
        outputs = [network([view[i : i + 16384] for view in views]) for i in range(0, len(targets), 16384)]
        return float((torch.cat(outputs).double().sigmoid() - targets).square().mean())


def batches(folder, run):
    """The samples of each batch, a list for each epoch."""
    first, end = run["training"]
    order = np.fromfile(folder / "order.bin", "<u4").astype(np.int64).reshape(len(run["epochs"]), end - first)
    for epoch in order:
        assert (np.sort(epoch) == np.arange(end - first)).all(), "an epoch takes each sample once"
        yield [
            torch.from_numpy(np.sort(epoch[i : i + run["batch_size"]]) + first)
            for i in range(0, len(epoch), run["batch_size"])
        ]


def main(data, folder):
    run = json.loads((folder / "run.json").read_text())
    views, scores, points = read(data)
    share = run["result_weight"]
    expected = 1 / (1 + np.exp(-scores / run["eval_scale"]))
    targets = torch.from_numpy((1 - share) * expected + share * points)
    held_out = slice(*run["held_out"])
    network = Network(load_file(folder / "initial.safetensors"))
    validate = lambda network: mean_loss(network, [view[held_out] for view in views], targets[held_out])
    optimizer = torch.optim.AdamW(
        [
            {"params": network.clipped(), "weight_decay": run["weight_decay"]},
            {"params": [network.out_bias], "weight_decay": 0.0},
        ],
        betas=(0.9, 0.999),
        eps=1e-8,
    )
    initial = validate(network)
    print(f"torch {torch.__version__}")
    print(f"first   {run['initial_loss']:.7f} {initial:.7f}")
    assert abs(initial / run["initial_loss"] - 1) < 1e-5, "the same weights predict the same"
    started = time.time()
    for number, (ours, epoch) in enumerate(zip(run["epochs"], batches(folder, run)), 1):
        for group in optimizer.param_groups:
            group["lr"] = ours["learning_rate"]
        training = 0.0
        for batch in epoch:
            outputs = network([view[batch] for view in views])
            loss = (outputs.sigmoid() - targets[batch].float()).square().mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            training += loss.item() * len(batch)
            with torch.no_grad():
                for values in network.clipped():
                    values.clamp_(-WEIGHT_LIMIT, WEIGHT_LIMIT)
        theirs = validate(network)
        training /= sum(map(len, epoch))
        print(
            f"epoch {number:2}: training {ours['training_loss']:.6f} {training:.6f},"
            f" held out {ours['validation_loss']:.6f} {theirs:.6f}",
            flush=True,
        )
        if number == 1:
            assert abs(theirs / ours["validation_loss"] - 1) < 1e-3, "an epoch leads to the same place"
    print(f"{time.time() - started:.0f} s")
    ratio = run["epochs"][-1]["validation_loss"] / theirs
    print(f"ours is {100 * (ratio - 1):+.3f}% of PyTorch's held-out loss away")
    trained = Network(load_file(folder / "trained.safetensors"))
    again = validate(trained)
    print(f"our trained parameters, evaluated by PyTorch: {again:.7f}")
    assert abs(again / run["epochs"][-1]["validation_loss"] - 1) < 1e-5
    assert abs(ratio - 1) < 0.01, "within a hundredth"


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
