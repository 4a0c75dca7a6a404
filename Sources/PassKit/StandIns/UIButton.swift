// SPDX-License-Identifier: Apache-2.0

/// Stand-in for UIKit's class: something that is done when a control is used.
@preconcurrency @MainActor
open class UIAction: UIResponder {
    private let handler: (UIAction) -> Void
    /// A text for people.
    public let title: String

    /// An action by its closure.
    public init(title: String = "", handler: @escaping (UIAction) -> Void) {
        (self.title, self.handler) = (title, handler)
        super.init()
    }

    func run() { handler(self) }
}

/// Stand-in for UIKit's class, without a picture. Actions are closures: there are no selectors outside Apple's systems.
@preconcurrency @MainActor
open class UIControl: UIResponder {
    /// How a control is used.
    public struct Event: OptionSet, Hashable, Sendable {
        /// The bit, as UIKit numbers it.
        public let rawValue: UInt
        /// An event by its bit.
        public init(rawValue: UInt) { self.rawValue = rawValue }
        /// A finger was lifted inside the control.
        public static let touchUpInside = Event(rawValue: 1 << 6)
        /// The main use of the control, whatever it is.
        public static let primaryActionTriggered = Event(rawValue: 1 << 13)
    }

    private var actions: [(action: UIAction, events: Event)] = []

    /// Has the action done when one of the events happens.
    open func addAction(_ action: UIAction, for controlEvents: Event) { actions.append((action, controlEvents)) }

    /// Makes the events happen, as a finger would.
    open func sendActions(for controlEvents: Event) {
        for entry in actions where !entry.events.isDisjoint(with: controlEvents) { entry.action.run() }
    }
}

/// Stand-in for UIKit's class, without a picture.
@preconcurrency @MainActor
open class UIButton: UIControl {
    /// What kind of button it is.
    public enum ButtonType: Int, Sendable {
        /// Without style.
        case custom = 0
        /// As the system draws buttons.
        case system = 1
    }

    /// What kind of button it is.
    public let buttonType: ButtonType

    /// A button of a kind.
    public init(type buttonType: ButtonType) {
        self.buttonType = buttonType
        super.init()
    }
}
