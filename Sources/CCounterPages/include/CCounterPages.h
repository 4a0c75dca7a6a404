// SPDX-License-Identifier: Apache-2.0

#ifndef COUNTERTOP_PAGES_H
#define COUNTERTOP_PAGES_H

#include <stddef.h>

/// A file that is part of the program.
struct countertop_page {
    /// Its path below Sources/CounterServer/Pages.
    const char *path;
    const unsigned char *bytes;
    size_t count;
};

extern const struct countertop_page *const countertop_pages;
extern const size_t countertop_page_count;

#endif
