#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Nothing lost, nothing twice: `countertop serve` is killed, its receiver fails, its disk fills, its clock jumps.

usage: chaos.py TOOL [--kills N] [--only NAME,…] [--seed N] [--keep]

Afterwards every tap that was acknowledged to the client is in the receiver's ledger once. Exit status 1 when not.
"""

import argparse
import os
import random
import shutil
import sys
import tempfile
import time

import scenarios


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tool", help="the built countertop")
    parser.add_argument("--kills", type=int, default=1000, help="how often it is killed (1000)")
    parser.add_argument("--taps", type=int, default=40, help="taps for each fault of the receiver (40)")
    parser.add_argument("--only", help="scenarios by name, with commas; all: " + ", ".join(scenarios.ALL))
    parser.add_argument("--seed", type=int, default=int(time.time()), help="the moments of the kills follow from it")
    parser.add_argument("--keep", action="store_true", help="keep the folder of the run")
    options = parser.parse_args()
    tool = os.path.abspath(options.tool)
    names = options.only.split(",") if options.only else list(scenarios.ALL)
    rows = []
    for name in names:
        folder = tempfile.mkdtemp(prefix=f"countertop-chaos-{name}-")
        print(f"chaos: {name}: seed {options.seed}, in {folder}", flush=True)
        result = scenarios.ALL[name](tool, folder, options, random.Random(options.seed))
        rows.append((name, result))
        for fault in result.faults[:20]:
            print(f"chaos: {name}: FAULT: {fault}", flush=True)
        if not options.keep and not result.faults:
            shutil.rmtree(folder, ignore_errors=True)
    table = [("scenario", "rounds", "acknowledged", "delivered", "lost", "twice", "repeats", "seconds", "verdict")]
    table += [(name, *result.columns()) for name, result in rows]
    widths = [max(len(row[index]) for row in table) for index in range(len(table[0]))]
    for row in table:
        print("  ".join(text.ljust(width) for text, width in zip(row, widths)).rstrip())
    sys.exit(1 if any(result.faults for _, result in rows) else 0)


main()
