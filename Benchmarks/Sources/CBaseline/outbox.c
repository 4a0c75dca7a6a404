// SPDX-License-Identifier: Apache-2.0

#include "outbox.h"

#include <sqlite3.h>
#include <stdlib.h>

struct baseline_outbox {
    sqlite3 *database;
    sqlite3_stmt *begin, *tap, *event, *commit;
};

static sqlite3_stmt *prepare(baseline_outbox *box, const char *sql) {
    sqlite3_stmt *statement = NULL;
    sqlite3_prepare_v3(box->database, sql, -1, SQLITE_PREPARE_PERSISTENT, &statement, NULL);
    return statement;
}

baseline_outbox *baseline_outbox_open(const char *path) {
    baseline_outbox *box = calloc(1, sizeof *box);
    if (!box || sqlite3_open_v2(path, &box->database, SQLITE_OPEN_READWRITE, NULL) != SQLITE_OK) return NULL;
    sqlite3_exec(box->database, "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL", NULL, NULL, NULL);
    box->begin = prepare(box, "BEGIN IMMEDIATE TRANSACTION");
    box->tap = prepare(box, "INSERT INTO tap (number, id, began, reader, code, reason, wallet, mode, latency, scheme, "
                            "outcome, passes, trace) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
    box->event = prepare(box, "INSERT INTO event (sequence, id, tap, position, type, waits, until, body, cryptogram) "
                              "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)");
    box->commit = prepare(box, "COMMIT TRANSACTION");
    return box->begin && box->tap && box->event && box->commit ? box : NULL;
}

static int run(sqlite3_stmt *statement) {
    int result = sqlite3_step(statement);
    sqlite3_reset(statement);
    return result == SQLITE_DONE ? 0 : 1;
}

static void bind_text(sqlite3_stmt *statement, int index, const char *text) {
    sqlite3_bind_text(statement, index, text, -1, SQLITE_STATIC);
}

int baseline_outbox_commit(baseline_outbox *box, int64_t number, const char *id, int64_t began, const char *reader,
                           const char *passes, const char *trace, const char *body) {
    if (run(box->begin)) return 1;
    sqlite3_bind_int64(box->tap, 1, number);
    bind_text(box->tap, 2, id);
    sqlite3_bind_int64(box->tap, 3, began);
    bind_text(box->tap, 4, reader);
    bind_text(box->tap, 7, "apple");
    bind_text(box->tap, 8, "vas");
    sqlite3_bind_double(box->tap, 9, 212.5);
    bind_text(box->tap, 12, passes);
    bind_text(box->tap, 13, trace);
    sqlite3_bind_int64(box->event, 1, number);
    bind_text(box->event, 2, id);
    sqlite3_bind_int64(box->event, 3, number);
    sqlite3_bind_int64(box->event, 4, number);
    bind_text(box->event, 5, "dev.countertop.loyalty.tap.v1");
    sqlite3_bind_int64(box->event, 6, 0);
    bind_text(box->event, 8, body);
    return run(box->tap) || run(box->event) || run(box->commit);
}

void baseline_outbox_close(baseline_outbox *box) {
    sqlite3_finalize(box->begin);
    sqlite3_finalize(box->tap);
    sqlite3_finalize(box->event);
    sqlite3_finalize(box->commit);
    sqlite3_close(box->database);
    free(box);
}
