// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// libarchive converts names through the thread's locale, and loses every name beyond ASCII in the plain C locale that
/// servers and CI run in.
enum UTF8Locale {
    /// Runs `body` with a UTF-8 locale on this thread, and puts the old one back.
    static func run<R>(_ body: () throws(WalletError) -> R) throws(WalletError) -> R {
        #if canImport(Glibc)
            let mask = Int32(LC_CTYPE_MASK)
        #else
            let mask = LC_CTYPE_MASK
        #endif
        guard let locale = newlocale(mask, "C.UTF-8", nil) ?? newlocale(mask, "en_US.UTF-8", nil) else {
            return try body()
        }
        let previous = uselocale(locale)
        defer {
            uselocale(previous)
            freelocale(locale)
        }
        return try body()
    }
}
