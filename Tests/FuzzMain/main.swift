// SPDX-License-Identifier: Apache-2.0
// countertop-fuzz NAME [libFuzzer options] [corpus folders]: one fuzz target for each parser that reads foreign bytes.

import CLibFuzzer
import FuzzTargets
import Glibc

let targetNames = fuzzTargets.keys.sorted().joined(separator: " ")
if CommandLine.arguments.dropFirst() == ["list"] {
    print(targetNames)
    exit(0)
}
guard CommandLine.arguments.count > 1, let target = fuzzTargets[CommandLine.arguments[1]] else {
    fatalError("usage: countertop-fuzz NAME [libFuzzer options] [corpus folders]; NAME is one of: \(targetNames)")
}

let chosen: @Sendable ([UInt8]) -> Void = target

// The first argument is ours; libFuzzer sees the program name and the rest.
var count = CommandLine.argc - 1
var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = CommandLine.unsafeArgv + 1
CommandLine.unsafeArgv[1] = CommandLine.unsafeArgv[0]
_ = LLVMFuzzerRunDriver(&count, &arguments) { data, size in
    chosen(Array(UnsafeBufferPointer(start: data, count: size)))
    return 0
}
