#!/usr/bin/env python3
"""Prints what PyTorch's DistributedSampler gives to each rank when it does not shuffle.

Written from the rules that PyTorch documents, without PyTorch and without this crate:

    python3 distributed_sampler.py > distributed_sampler.txt
"""

import math


def ranks(n, world_size, drop_last):
    if drop_last and n % world_size != 0:
        num_samples = math.ceil((n - world_size) / world_size)
    else:
        num_samples = math.ceil(n / world_size)
    total_size = num_samples * world_size

    indices = list(range(n))
    if drop_last:
        indices = indices[:total_size]
    else:
        padding = total_size - len(indices)
        if padding <= len(indices):
            indices += indices[:padding]
        else:
            indices += (indices * math.ceil(padding / len(indices)))[:padding]
    assert len(indices) == total_size

    dealt = [indices[rank:total_size:world_size] for rank in range(world_size)]
    assert all(len(part) == num_samples for part in dealt)
    return num_samples, dealt


def main():
    for n in range(41):
        for world_size in range(1, 18):
            for drop_last in (False, True):
                num_samples, dealt = ranks(n, world_size, drop_last)
                parts = ("".join(f" {index}" for index in part) for part in dealt)
                print(f"{n} {world_size} {str(drop_last).lower()} {num_samples}:" + ",".join(parts))


if __name__ == "__main__":
    main()
