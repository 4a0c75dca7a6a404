// SPDX-License-Identifier: Apache-2.0

internal import CPostgreSQL
public import WalletCrypto

/// Where a PostgreSQL server is, and how to get in.
public struct PostgresOptions: Sendable {
    /// A connection string of libpq, `host=… dbname=…` or `postgresql://…` (PostgreSQL documentation, 34.1.1).
    public let connection: String
    /// The password, where it is not in a password file (`PGPASSFILE`) or a service file.
    public var password: SecretBytes?
    /// How long to wait for a connection, and for the answer to a statement.
    public var timeout = Duration.seconds(30)

    /// Options for a connection string.
    ///
    /// - Throws: `BrokerError` when libpq cannot read it, or it holds a password.
    public init(connection: String) throws(BrokerError) {
        var message: UnsafeMutablePointer<CChar>?
        let options = PQconninfoParse(connection, &message)
        defer {
            PQconninfoFree(options)
            PQfreemem(message)
        }
        guard let options else {
            // libpq's own words quote the string, and with it what may be a secret.
            throw BrokerError(
                .invalidSetting, "libpq cannot read the connection string",
                hint: "such as \"host=/run/postgresql dbname=loyalty\" or postgresql://user@host/loyalty")
        }
        var option = options
        while let keyword = option.pointee.keyword {
            let isSecret = ["password", "sslpassword"].contains(String(cString: keyword))
            if isSecret, let value = option.pointee.val, value.pointee != 0 {
                throw BrokerError(
                    .invalidSetting,
                    "the connection string must not hold a password: others see it in the process list",
                    hint: "use --postgres-password-file, PGPASSFILE or a service")
            }
            option += 1
        }
        self.connection = connection
    }
}
