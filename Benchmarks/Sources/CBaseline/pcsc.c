// SPDX-License-Identifier: Apache-2.0
#include "baseline.h"

#include <time.h>
#include <winscard.h>

static uint64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static LONG round_trips(
    SCARDHANDLE card, DWORD protocol, const uint8_t *command, size_t length, size_t rounds, uint64_t *nanoseconds) {
    static uint8_t response[65538];
    const SCARD_IO_REQUEST *request = protocol == SCARD_PROTOCOL_T0 ? SCARD_PCI_T0 : SCARD_PCI_T1;
    uint64_t start = now();
    for (size_t round = 0; round < rounds; round++) {
        DWORD received = sizeof response;
        LONG code = SCardTransmit(card, request, command, length, NULL, response, &received);
        if (code != SCARD_S_SUCCESS) return code;
        if (received < 2) return SCARD_W_REMOVED_CARD;
    }
    *nanoseconds = (now() - start) / rounds;
    return SCARD_S_SUCCESS;
}

long baseline_pcsc_round_trips(
    const char *reader, const uint8_t *command, size_t length, size_t rounds, uint64_t *nanoseconds) {
    SCARDCONTEXT context;
    SCARDHANDLE card;
    DWORD protocol;
    LONG code = SCardEstablishContext(SCARD_SCOPE_SYSTEM, NULL, NULL, &context);
    if (code != SCARD_S_SUCCESS) return code;
    code = SCardConnect(
        context, reader, SCARD_SHARE_SHARED, SCARD_PROTOCOL_T0 | SCARD_PROTOCOL_T1, &card, &protocol);
    if (code == SCARD_S_SUCCESS) {
        code = SCardBeginTransaction(card);
        if (code == SCARD_S_SUCCESS) code = round_trips(card, protocol, command, length, rounds, nanoseconds);
        SCardEndTransaction(card, SCARD_LEAVE_CARD);
        SCardDisconnect(card, SCARD_LEAVE_CARD);
    }
    SCardReleaseContext(context);
    return code;
}
