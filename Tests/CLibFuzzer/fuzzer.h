// SPDX-License-Identifier: Apache-2.0
// The entry point of libFuzzer as a library (https://llvm.org/docs/LibFuzzer.html, "Using libFuzzer as a library").
#pragma once
#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerRunDriver(int *argc, char ***argv, int (*UserCb)(const uint8_t *Data, size_t Size));
