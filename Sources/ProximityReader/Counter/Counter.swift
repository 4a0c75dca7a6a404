// SPDX-License-Identifier: Apache-2.0

public import HostSystem
public import ISO7816
public import Logging
internal import Synchronization

public import struct Foundation.Date
public import class Foundation.ProcessInfo

/// What stands behind Apple's API: the reader that is used, the conditions it works under, and how patient it is.
///
/// countertop's own; Apple's module has nothing like it. One counter is one device: a read and a preparation at a time,
/// over all the ``PaymentCardReader`` objects that share it. Usable from any thread.
public final class Counter: Sendable {
    /// How a counter is set up. All but the reader has a default.
    public struct Configuration: Sendable {
        /// Where taps come from.
        public var reader: ReaderChoice
        /// Whether a PC/SC reader is sent the polling frames of its route while it waits for a phone. Off by default: no
        /// route was ever tried on hardware.
        public var wakesPhone = false
        /// What is wrong with the device or the account. Changes while the counter works go to ``Counter/conditions``.
        public var conditions: [Condition] = []
        /// How long each step takes on top of its work.
        public var delays = Delays()
        /// How patient a read is.
        public var policy = RetryPolicy()
        /// The time, and how to wait.
        public var time = HostTime.system
        /// Where debug lines go; none by default.
        public var logger = Logger(label: "countertop.reader", factory: { _ in SwiftLogNoOpLogHandler() })
        /// What tokens are checked with; the development key by default.
        public var tokenKey = TokenKeySource.development
        /// How payment cards are read, and whom they are sealed for.
        public var payment = PaymentSetup()
        /// What ``PaymentCardReaderSession/currentOSVersionDeprecationDate`` says.
        public var osVersionDeprecationDate: Date?
        /// Where stored reads are kept, in a directory that is its owner's alone (0700) and is made when it is not there:
        /// `$XDG_STATE_HOME/countertop/store` by default. One process at a time.
        public var storeDirectory: String
        /// Which start of the machine this is; nil where it has no word for that, and then there is no store and
        /// forward.
        public var bootID: @Sendable () -> String? = { BootID.current() }
        /// The PIN pad; without one no PIN is captured.
        public var pinPad: (@Sendable (PINRequest) async -> PINEntry)?
        /// Put around the reader when it is opened, to record its taps, say.
        public var wrapReader: (@Sendable (any CardReader) -> any CardReader)?
        /// Told of every tap when it is over, on no particular thread.
        public var tapHandler: (@Sendable (TapReport) -> Void)?
        /// Told of every event of every reader, in the order in which they are sent, before anybody finds them in the stream.
        public var eventHandler: (@Sendable (PaymentCardReader.Event) -> Void)?
        /// Given each read that has its result, before the event `readCompleted` is sent and before the read returns; also
        /// when the task of the read was cancelled meanwhile. What it throws goes to the log: the read fails with
        /// `readerServiceError`, without that event. Not called for a PIN that is captured later.
        public var beforeCompletion: (@Sendable (CompletedRead) async throws -> Void)?

        /// A set-up with the defaults.
        public init(reader: ReaderChoice) {
            self.reader = reader
            storeDirectory = StoreDirectory.defaultPath(environment: ProcessInfo.processInfo.environment)
        }

        /// A setting that could not be read; preparing a reader tells it.
        var problem: CounterSettingError?
    }

    /// What the counter was set up with.
    public let configuration: Configuration

    /// A counter by its set-up. Nothing is opened before a reader is prepared.
    public init(_ configuration: Configuration) {
        self.configuration = configuration
        state = Mutex(State(conditions: configuration.conditions, delays: configuration.delays))
        engine = ReadEngine(configuration)
    }

    /// A counter with the defaults.
    public convenience init(reader: ReaderChoice) { self.init(Configuration(reader: reader)) }

    struct State {
        var conditions: [Condition]
        var delays: Delays
        var lastTap: TapReport?
        var linked: Set<String> = []
        var lives: [WeakLife] = []
        var store: StoreFile?
        /// Reads that a PIN may still be captured for.
        var recentReads: [RecentRead] = []
    }

    let state: Mutex<State>
    let engine: ReadEngine

    /// What is wrong at present. A condition set while a session lives acts from its next step on; `sessionLost` and
    /// `background` end the live sessions at once, with the event `notReady`.
    public var conditions: [Condition] {
        get { state.withLock { $0.conditions } }
        set {
            state.withLock { $0.conditions = newValue }
            endSessionsIfLost()
        }
    }

    /// Delays at present; a change acts from the next step on.
    public var delays: Delays {
        get { state.withLock { $0.delays } }
        set { state.withLock { $0.delays = newValue } }
    }

    /// What the last tap was like; nil before the first.
    public var lastTap: TapReport? { state.withLock { $0.lastTap } }

    func report(_ tap: TapReport) {
        state.withLock { $0.lastTap = tap }
        configuration.tapHandler?(tap)
    }
}
