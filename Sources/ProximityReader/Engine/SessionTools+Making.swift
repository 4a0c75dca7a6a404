// SPDX-License-Identifier: Apache-2.0

internal import EMVContactless
internal import ISO7816
internal import Logging

extension ReaderCore {
    /// What a new session reads payment cards with. Says in the log what this counter is, and what it is not.
    func tools(
        for token: ReaderToken, kind: SessionKind = .plain
    ) async throws(PaymentCardReaderError) -> SessionTools {
        let setup = counter.configuration.payment
        let logger = counter.configuration.logger
        logger.notice("this is a test counter: what it brings are reads, never approvals")
        let name: String
        do { name = try await counter.engine.openReader().name } catch { throw FaultMapping.preparation(error) }
        if setup.provider == nil {
            logger.notice("no provider key is set: payment reads are sealed to a key that nobody has")
        }
        do {
            let envelope = PaymentEnvelope(
                provider: try setup.sealingKey(),
                readerID: setup.readerID ?? Self.identifier(ofReaderNamed: name),
                merchantID: setup.merchantID ?? token.merchantID)
            var emv = try setup.configuration(for: counter.configuration.reader, named: name)
            // Byte 2 of 9F33, bit 7: enciphered PIN for online verification (EMV Book 4, annex A2).
            if counter.configuration.pinPad != nil, !kind.isOffline, emv.terminal.capabilities.count > 1 {
                emv.terminal.capabilities[1] |= 0x40
                // Bit 3 of the TTQ's first byte says the same to kernels 3, 6 and 7 (Book A, table 5-4).
                for index in emv.combinations.indices {
                    guard var bytes = emv.combinations[index].qualifiers?.bytes, !bytes.isEmpty else { continue }
                    bytes[0] |= 0x04
                    emv.combinations[index].qualifiers = TerminalTransactionQualifiers(bytes)
                }
            }
            return SessionTools(emv: emv, sealing: Sealing(envelope: envelope), kind: kind)
        } catch {
            throw .prepareFailed("payment reads cannot be set up: \(error)")
        }
    }
}
