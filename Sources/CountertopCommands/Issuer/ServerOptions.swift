// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import CounterServer

/// Where a service listens and what it writes down.
struct ServerOptions: ParsableArguments {
    @Option(help: ArgumentHelp("Where to listen; port 0 takes a free one.", valueName: "host:port"))
    var listen = "127.0.0.1:8080"

    @Flag(help: "Answer without a token on an address that others reach.")
    var allowAnyone = false

    @Option(help: ArgumentHelp("The server's certificate with its chain, PEM.", valueName: "file"))
    var tlsCertificate: String?

    @Option(help: ArgumentHelp("The key of it, PEM, a file that is yours alone.", valueName: "file"))
    var tlsKey: String?

    @Option(help: ArgumentHelp("Where the audit log goes: a file that grows, or `-`.", valueName: "file"))
    var audit: String?

    func settings() throws -> ServerSettings {
        var settings = ServerSettings()
        settings.address = try ListenAddress(parsing: listen)
        settings.allowsAnyone = allowAnyone
        switch (tlsCertificate, tlsKey) {
        case (nil, nil): break
        case (let certificate?, let key?):
            settings.identity = ServerIdentity(
                certificates: try InputFile.read(certificate, limit: InputFile.keyLimit),
                key: try PrivateFile.read(key))
        default: throw ToolError(.usage, "--tls-certificate and --tls-key belong together")
        }
        return settings
    }
}
