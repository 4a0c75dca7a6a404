// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <reader.h>
#include <winscard.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

/// Protocol control information for an active protocol: the SCARD_PCI_ macros are addresses of globals, which Swift
/// does not import.
static inline const SCARD_IO_REQUEST *countertop_pci(DWORD protocol) {
    return protocol == SCARD_PROTOCOL_T0 ? SCARD_PCI_T0 : protocol == SCARD_PROTOCOL_T1 ? SCARD_PCI_T1 : SCARD_PCI_RAW;
}

/// A control code from its number (function-like macro SCARD_CTL_CODE).
static inline DWORD countertop_control_code(DWORD number) { return SCARD_CTL_CODE(number); }

/// SCARD_ATTR_VENDOR_NAME (function-like macro).
static inline DWORD countertop_attr_vendor_name(void) { return SCARD_ATTR_VENDOR_NAME; }

/// Names the calling thread for debuggers and top; at most 15 characters.
static inline void countertop_name_thread(const char *name) {
#ifdef __linux__
    prctl(PR_SET_NAME, name, 0, 0, 0);
#else
    (void)name;
#endif
}
