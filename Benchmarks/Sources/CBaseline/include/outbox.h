// SPDX-License-Identifier: Apache-2.0
#ifndef COUNTERTOP_BASELINE_OUTBOX_H
#define COUNTERTOP_BASELINE_OUTBOX_H

#include <stdint.h>

/// A bare SQLite loop over an outbox file: what a commit of one tap with one event costs at least.
typedef struct baseline_outbox baseline_outbox;

/// Opens a file that has the tables; WAL and synchronous FULL. NULL when it cannot.
baseline_outbox *baseline_outbox_open(const char *path);
/// One transaction with one row of `tap` and one of `event`; 0 when it is on the disk.
int baseline_outbox_commit(baseline_outbox *box, int64_t number, const char *id, int64_t began, const char *reader,
                           const char *passes, const char *trace, const char *body);
void baseline_outbox_close(baseline_outbox *box);

#endif
