// SPDX-License-Identifier: Apache-2.0
// Benchmarks [--quick]: prints a table. Ratios are measured against plain C over the same libraries, in the same run.

import Foundation

let quick = CommandLine.arguments.contains("--quick")
var rows: [Row] = []
rows.append(try benchmarkDecrypt(rounds: quick ? 7 : 21, perRound: quick ? 500 : 2_000))
printTable(rows)
