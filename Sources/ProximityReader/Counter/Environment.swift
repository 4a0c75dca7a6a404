// SPDX-License-Identifier: Apache-2.0

internal import EMVContactless
public import Foundation

extension Counter.Configuration {
    /// What the environment says:
    ///
    /// - `COUNTERTOP_READER`: `pcsc:NAME`, `emulated:FILE` or `replay:FILE`; the first PC/SC reader when not set.
    /// - `COUNTERTOP_WAKE`: `1` sends the reader's polling frames, see ``wakesPhone``.
    /// - `COUNTERTOP_CONDITIONS`: ``Condition/list(parsing:)``.
    /// - `COUNTERTOP_DELAYS`: ``Delays/init(parsing:)``.
    /// - `COUNTERTOP_STORE`: the directory of stored reads, see ``storeDirectory``.
    /// - `COUNTERTOP_TOKEN_KEY`: a PEM file with the public key of tokens; the development key when not set.
    /// - `COUNTERTOP_PSP_KEY`: a PEM file with the public key that payments are sealed to.
    /// - `COUNTERTOP_CA_KEYS`: a JSON file with the certification authorities' test keys.
    /// - `COUNTERTOP_COUNTRY`: the counter's country, ISO 3166 number.
    ///
    /// - Throws: ``CounterSettingError`` that names the variable.
    public init(
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws(CounterSettingError) {
        self.init(reader: .pcsc(name: nil))
        if let text = environment["COUNTERTOP_READER"], !text.isEmpty {
            guard let choice = ReaderChoice(text) else {
                throw CounterSettingError(
                    "COUNTERTOP_READER: \"\(text)\" is no reader: write pcsc:NAME, emulated:FILE or replay:FILE")
            }
            reader = choice
        }
        do {
            conditions = try Condition.list(parsing: environment["COUNTERTOP_CONDITIONS"] ?? "")
        } catch { throw CounterSettingError("COUNTERTOP_CONDITIONS: \(error)") }
        do {
            delays = try Delays(parsing: environment["COUNTERTOP_DELAYS"] ?? "")
        } catch { throw CounterSettingError("COUNTERTOP_DELAYS: \(error)") }
        wakesPhone = environment["COUNTERTOP_WAKE"] == "1"
        storeDirectory = StoreDirectory.defaultPath(environment: environment)
        if let path = environment["COUNTERTOP_STORE"], !path.isEmpty { storeDirectory = path }
        if let path = environment["COUNTERTOP_TOKEN_KEY"], !path.isEmpty { tokenKey = .file(path) }
        try payment.read(environment)
    }
}

extension PaymentSetup {
    mutating func read(_ environment: [String: String]) throws(CounterSettingError) {
        if let path = environment["COUNTERTOP_PSP_KEY"], !path.isEmpty {
            guard let text = try? String(contentsOfFile: path, encoding: .utf8) else {
                throw CounterSettingError("COUNTERTOP_PSP_KEY: \(path) cannot be read")
            }
            do { provider = try ProviderKey(pem: text) } catch {
                throw CounterSettingError("COUNTERTOP_PSP_KEY: \(path): \(error)")
            }
        }
        if let path = environment["COUNTERTOP_CA_KEYS"], !path.isEmpty {
            do { authorityKeys = try AuthorityKeys(file: path) } catch {
                throw CounterSettingError("COUNTERTOP_CA_KEYS: \(path): \(error)")
            }
        }
        if let text = environment["COUNTERTOP_COUNTRY"], !text.isEmpty {
            guard let number = UInt16(text), (1...999).contains(number) else {
                throw CounterSettingError("COUNTERTOP_COUNTRY: \"\(text)\" is no ISO 3166 number such as 276")
            }
            country = number
        }
    }
}

extension Counter {
    /// The counter of ``PaymentCardReader/init(options:)``, one for the process, by the environment at its first use.
    ///
    /// A setting that cannot be read makes every preparation fail with `prepareFailed` and the reason.
    public static let standard = Counter(standardFor: ProcessInfo.processInfo.environment)

    convenience init(standardFor environment: [String: String]) {
        do {
            self.init(try Configuration(environment: environment))
        } catch {
            var configuration = Configuration(reader: .pcsc(name: nil))
            configuration.problem = error
            self.init(configuration)
        }
    }
}
