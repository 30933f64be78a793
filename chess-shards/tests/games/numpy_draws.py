"""Writes numpy_draws.json: plies that numpy draws, for the tests of chess-shards' builder.

    python numpy_draws.py > numpy_draws.json

Every case is one `default_rng([seed, shard])` and the sampled plies of games, one after another, by
`Generator.choice`. Made with numpy 2.4.
"""

import json

import numpy as np

LENGTHS = [2, 3, 5, 9, 10, 11, 17, 26, 40, 77, 81, 100, 130, 137, 301, 600]
CASES = [
    # seed, shard, k, skip, uniform, repeated
    (0, 0, 4, 0, False, False),
    (0, 3, 16, 0, False, False),
    (7, 51, 1, 10, False, False),
    (1, 1, 4, 6, True, True),
    (2**32 - 1, 2, 4, 0, True, False),
    (2**32, 0, 8, 20, False, True),
    (2**32 + 5, 255, 3, 6, False, False),
    (2**63 + 12345, 1000, 1000, 0, False, False),
    (2**64 - 1, 2**31, 12, 400, False, False),
]


def weights(plies, uniform):
    if uniform or len(plies) <= 8:
        return np.ones(len(plies))
    rising = np.minimum(plies / 20.0, 1.0)
    return rising * np.minimum(np.maximum((80.0 - plies) / 40.0, 0.1), 1.0)


def sample(rng, n, k, skip, uniform, repeated):
    plies = np.arange(min(skip, n - 2), n - 1)
    w = weights(plies, uniform)
    p = w / w.sum()
    size = k if repeated else min(k, int(np.count_nonzero(p)))
    return np.sort(rng.choice(plies, size=size, replace=repeated, p=p)).tolist()


cases = []
for seed, shard, k, skip, uniform, repeated in CASES:
    rng = np.random.default_rng([seed, shard])
    lengths = LENGTHS * (1 if k == 1000 else 8)
    cases.append({
        "seed": seed, "shard": shard, "k": k, "skip": skip, "uniform": uniform, "repeated": repeated,
        "lengths": lengths,
        "plies": [sample(rng, n, k, skip, uniform, repeated) for n in lengths],
        "next_double": float(rng.random()),
    })
sums = [{"from": a, "to": b, "sum": float(weights(np.arange(a, b), False).sum())}
        for a in (0, 3, 10) for b in range(a + 9, a + 400, 7)]
print(json.dumps({"cases": cases, "sums": sums}, separators=(",", ":")))
