// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import Logging
public import LoyaltyFeed
public import ProximityReader

/// What `countertop serve` runs with: the settings of its TOML file, after flags and environment were put over it.
///
/// Every path in it is absolute, or a name that stands for itself such as `-`. No secret is in it, only the names of the
/// files that hold them; ``readSecret(_:)`` reads one.
public struct CounterConfiguration: Sendable {
    /// The table `[counter]`.
    public var counter: Counter
    /// The tables `[[pass]]`, in the order of the file.
    public var passes: [Pass] = []
    /// The table `[http]`.
    public var http = HTTP()
    /// The table `[basket]`.
    public var basket = Basket()
    /// The table `[log]`.
    public var log = Log()
    /// The tables `[[sink]]`, in the order of the file. ``makeSinks()`` turns them into sinks.
    public var sinks: [SinkTable] = []
    /// Where the values came from; empty when the configuration was made by hand.
    public internal(set) var sources = ConfigurationSources()

    /// A configuration with its defaults.
    public init(counter: Counter) { self.counter = counter }

    /// What is read at the counter, and where it is kept.
    public struct Counter: Sendable {
        /// Letters, digits, `-` and `_`; in the `source` of every event.
        public var id: String
        /// The reader.
        public var reader: ReaderChoice
        /// When an emulated phone taps; real ones come when they come.
        public var tap = Tap.manual
        /// The folder of the outbox.
        public var state: String
        /// Whose counter it is.
        public var tenant = "default"
        /// Where it stands.
        public var store = "default"
        /// What is read.
        public var mode = Mode.vas
        /// What is paid; not for ``Mode/vas``.
        public var amount: Decimal?
        /// Three letters of ISO 4217; together with ``amount``.
        public var currency: String?
        /// The file with the payment provider's public key, to which payment reads are sealed.
        public var pspKey: String?
        /// How many days delivered events are kept.
        public var keepDays = 7

        /// A counter with its defaults.
        public init(id: String, reader: ReaderChoice, state: String) {
            (self.id, self.reader, self.state) = (id, reader, state)
        }
    }

    /// When an emulated phone taps.
    public enum Tap: Hashable, Sendable {
        /// When `POST /v1/wallet/tap` says so.
        case manual
        /// On its own, this long after the last one ended.
        case every(Duration)
    }

    /// What is read at each tap.
    public enum Mode: String, CaseIterable, Sendable {
        /// Passes alone.
        case vas
        /// Passes, then a payment card.
        case vasAndPay
        /// A payment card alone.
        case pay
    }

    /// A kind of pass that is asked for.
    public struct Pass: Hashable, Sendable {
        /// The pass type identifier.
        public var id: String
        /// The files of the private keys that open its data; several while keys change.
        public var keys: [String] = []
        /// Where a phone without the pass is sent.
        public var url: String?

        /// A pass from its parts.
        public init(id: String, keys: [String] = [], url: String? = nil) {
            (self.id, self.keys, self.url) = (id, keys, url)
        }
    }

    /// The service.
    public struct HTTP: Hashable, Sendable {
        /// Where it listens.
        public var listen = ListenAddress(host: "127.0.0.1", port: 8787)
        /// The file with the bearer tokens, one a line; needed where others can reach the service.
        public var tokenFile: String?
        /// The certificate chain, PEM; needed where others can reach the service.
        public var tlsCertificate: String?
        /// The certificate's private key, PEM.
        public var tlsKey: String?
        /// Names of hosts that requests may be for, besides the address itself.
        public var allowedHosts: [String] = []
        /// The language that pages begin in: two letters of ISO 639.
        public var language = "en"

        /// Loopback, in English.
        public init() {}
    }

    /// Orders that the point of sale attaches to taps.
    public struct Basket: Hashable, Sendable {
        /// How long an event waits for its basket; zero for not at all.
        public var window = Duration.zero

        /// No basket.
        public init() {}
    }

    /// What is said while it runs.
    public struct Log: Hashable, Sendable {
        /// The form of a line.
        public enum Format: String, CaseIterable, Sendable {
            case text, json
        }

        /// The least that is said.
        public var level = Logger.Level.info
        /// How it is said.
        public var format = Format.text

        /// Text, from info.
        public init() {}
    }
}
