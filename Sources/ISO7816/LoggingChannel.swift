// SPDX-License-Identifier: Apache-2.0

public import Logging

/// Logs every exchange at trace level: header, lengths and status word. No data, unless asked for.
public struct LoggingChannel<Base: CardChannel>: CardChannel {
    private let base: Base
    private let logger: Logger
    private let showsData: Bool

    /// Logs to an injected logger.
    ///
    /// - Parameters:
    ///   - base: the channel that carries the commands.
    ///   - logger: gets a line at level trace for each command and each response.
    ///   - showsData: logs commands and responses whole. They may hold card numbers: for test cards only.
    public init(_ base: Base, logger: Logger, showsData: Bool = false) {
        (self.base, self.logger, self.showsData) = (base, logger, showsData)
    }

    /// The base's response.
    public func transmit(_ command: [UInt8]) throws(CardChannelError) -> [UInt8] {
        logger.trace("command \(text(command, shown: command.prefix(4)))")
        do {
            let response = try base.transmit(command)
            logger.trace("response \(text(response, shown: response.suffix(2)))")
            return response
        } catch {
            logger.trace("no response: \(error.code.rawValue)")
            throw error
        }
    }

    private func text(_ bytes: [UInt8], shown: ArraySlice<UInt8>) -> String {
        "\(Hex.encode(showsData ? bytes[...] : shown)), \(bytes.count) bytes"
    }
}
