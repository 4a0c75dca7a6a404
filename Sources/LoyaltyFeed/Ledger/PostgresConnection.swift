// SPDX-License-Identifier: Apache-2.0

internal import CPostgreSQL
internal import WalletCrypto

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// One connection of libpq, used through its asynchronous calls, so that nothing waits longer than a deadline. It is
/// never mended: who finds it dead makes another. For one thread at a time.
final class PostgresConnection {
    private let pointer: OpaquePointer

    /// Connects.
    init(_ options: PostgresOptions, by deadline: Deadline) throws(BrokerError) {
        guard let pointer = Self.begin(options) else { throw BrokerError(.unreachable, "libpq does not start") }
        self.pointer = pointer
        // Without a receiver of ours the library writes notices to standard error.
        PQsetNoticeReceiver(pointer, { _, _ in }, nil)
        try finishConnecting(by: deadline)
    }

    deinit { PQfinish(pointer) }

    /// Runs one statement; its parameters are bound, never put into the text.
    ///
    /// - Returns: the rows, and how many rows the statement changed.
    @discardableResult
    func run(
        _ statement: String, _ parameters: [String?] = [], by deadline: Deadline
    ) throws(BrokerError) -> PostgresResult {
        let values = CStrings(parameters)
        let isSent = withExtendedLifetime(values) {
            PQsendQueryParams(
                pointer, statement, Int32(clamping: parameters.count), nil, values.pointers, nil, nil, 0)
        }
        guard isSent == 1 else { throw failure("the statement cannot be sent") }
        return try answer(by: deadline)
    }

    private static func begin(_ options: PostgresOptions) -> OpaquePointer? {
        let keys = CStrings(["fallback_application_name", "tcp_user_timeout", "dbname", "password"])
        let values = CStrings(["countertop ledger", "20000", options.connection])
        func connect(_ password: UnsafePointer<CChar>?) -> OpaquePointer? {
            // What stands later wins, and `dbname` is expanded: so the string comes before the password alone.
            let count = password == nil ? 3 : 4
            let names = keys.pointers.prefix(count) + [nil]
            let texts = values.pointers + (password == nil ? [nil] : [password, nil])
            return withExtendedLifetime((keys, values)) { PQconnectStartParams(Array(names), texts, 1) }
        }
        return options.password.map { $0.withText(connect) } ?? connect(nil)
    }

    private func finishConnecting(by deadline: Deadline) throws(BrokerError) {
        guard PQstatus(pointer) != CONNECTION_BAD else { throw failure("cannot connect") }
        var wants = PGRES_POLLING_WRITING
        while true {
            switch wants {
            case PGRES_POLLING_OK:
                PQsetnonblocking(pointer, 1)
                return
            case PGRES_POLLING_WRITING: try wait(POLLOUT, by: deadline)
            case PGRES_POLLING_READING: try wait(POLLIN, by: deadline)
            default: throw failure("cannot connect")
            }
            wants = PQconnectPoll(pointer)
        }
    }

    private func answer(by deadline: Deadline) throws(BrokerError) -> PostgresResult {
        var last: PostgresResult?
        var problem: BrokerError?
        while true {
            while PQisBusy(pointer) == 1 {
                // What could not be sent at once goes out here.
                let isSent = PQflush(pointer)
                guard isSent >= 0 else { throw failure("the connection was lost") }
                try wait(isSent == 1 ? POLLIN | POLLOUT : POLLIN, by: deadline)
                guard PQconsumeInput(pointer) == 1 else { throw failure("the connection was lost") }
            }
            guard let result = PQgetResult(pointer) else { break }
            defer { PQclear(result) }
            let status = PQresultStatus(result)
            if status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK {
                last = PostgresResult(result)
            } else {
                problem = problem ?? BrokerError(postgres: result)
            }
        }
        if PQstatus(pointer) == CONNECTION_BAD { throw failure("the connection was lost") }
        if let problem { throw problem }
        return last ?? PostgresResult()
    }

    private func wait(_ events: Int32, by deadline: Deadline) throws(BrokerError) {
        while true {
            guard !deadline.isOver else { throw BrokerError(.timedOut, "PostgreSQL does not answer") }
            var descriptor = pollfd(fd: PQsocket(pointer), events: Int16(truncatingIfNeeded: events), revents: 0)
            guard descriptor.fd >= 0 else { throw BrokerError(.unreachable, "the connection was lost") }
            let count = poll(&descriptor, 1, Int32(clamping: deadline.sliceMilliseconds))
            if count > 0 { return }
            guard count == 0 || errno == EINTR else { throw BrokerError(.unreachable, "the connection was lost") }
        }
    }

    /// libpq's message names hosts, databases and users, never a password.
    private func failure(_ what: String) -> BrokerError {
        let words = PQerrorMessage(pointer).map { String(cString: $0) } ?? ""
        let line = words.split(whereSeparator: \.isNewline).first.map { ": " + String($0).trimmed } ?? ""
        return BrokerError(.unreachable, what + line)
    }
}

/// What a statement gave.
struct PostgresResult {
    /// Rows of texts; nil is SQL's null.
    private(set) var rows: [[String?]] = []
    /// How many rows were inserted or changed.
    private(set) var changed = 0

    init() {}

    init(_ result: OpaquePointer) {
        changed = PQcmdTuples(result).flatMap { Int(String(cString: $0)) } ?? 0
        rows = (0..<PQntuples(result)).map { row in
            (0..<PQnfields(result)).map { column in
                guard PQgetisnull(result, row, column) == 0, let text = PQgetvalue(result, row, column) else {
                    return nil
                }
                return String(cString: text)
            }
        }
    }
}

extension BrokerError {
    /// An error of the server, by the class of its SQLSTATE (PostgreSQL documentation, appendix A).
    init(postgres result: OpaquePointer) {
        func field(_ code: Character) -> String? {
            PQresultErrorField(result, Int32(code.asciiValue ?? 0)).map { String(cString: $0) }
        }
        // 'C' and 'M' are PG_DIAG_SQLSTATE and PG_DIAG_MESSAGE_PRIMARY (postgres_ext.h). The detail is left out: it
        // quotes values.
        let state = field("C") ?? ""
        let words = (field("M") ?? "no reason given").split(whereSeparator: \.isNewline).first ?? ""
        // Class 54, a limit of the program, is a value's size, such as one that does not fit into an index's page.
        let isData = ["22", "23", "54"].contains(state.prefix(2))
        // A primary message about data quotes the value, too.
        let reason = isData ? "the value does not fit (SQLSTATE \(state))" : "\(words) (SQLSTATE \(state))"
        self.init(isData ? .invalidData : Self.postgresCodes[String(state.prefix(2))] ?? .refused, reason)
    }

    private static let postgresCodes: [String: Code] = [
        "08": .unreachable, "57": .unreachable, "53": .unreachable, "28": .denied, "42": .refused, "3D": .notFound,
        "40": .unreachable,
    ]
}
