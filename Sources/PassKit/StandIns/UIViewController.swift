// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// Stand-in for UIKit's class: the root of what can be presented or pressed.
@preconcurrency @MainActor
open class UIResponder: NSObject {
    /// A responder.
    public nonisolated override init() { super.init() }
}

/// Stand-in for UIKit's class, without a screen: it remembers what it presents.
///
/// Presenting a ``PKAddPaymentPassViewController`` hands it to the ``ProvisioningWallet`` it was made for, which then
/// plays the user and the phone.
@preconcurrency @MainActor
open class UIViewController: UIResponder {
    /// A view controller that nobody presents.
    public nonisolated override init() { super.init() }

    /// What this one presents.
    public private(set) var presentedViewController: UIViewController?
    /// Who presents this one. Both live until one is dismissed, as on a screen.
    public private(set) var presentingViewController: UIViewController?
    /// A text for people.
    open var title: String?
    /// Whether the swipe that dismisses is off. Nothing swipes here.
    open var isModalInPresentation = false
    /// Whether ``viewDidLoad()`` was called.
    public private(set) var isViewLoaded = false

    /// Calls ``viewDidLoad()`` if that was not done.
    public func loadViewIfNeeded() {
        guard !isViewLoaded else { return }
        isViewLoaded = true
        viewDidLoad()
    }

    /// Called once, before the controller is presented for the first time.
    open func viewDidLoad() {}

    /// Presents a controller, at once and without a picture.
    ///
    /// As UIKit, it ignores the call when this controller presents another one already.
    open func present(_ viewControllerToPresent: UIViewController, animated flag: Bool, completion: (() -> Void)? = nil)
    {
        guard presentedViewController == nil, viewControllerToPresent.presentingViewController == nil else {
            viewControllerToPresent.wasNotPresented()
            return
        }
        presentedViewController = viewControllerToPresent
        viewControllerToPresent.presentingViewController = self
        viewControllerToPresent.loadViewIfNeeded()
        completion?()
        viewControllerToPresent.wasPresented()
    }

    /// Dismisses what this controller presents or, when it presents nothing, the controller itself.
    open func dismiss(animated flag: Bool, completion: (() -> Void)? = nil) {
        guard let presented = presentedViewController else {
            guard let presenter = presentingViewController else {
                completion?()
                return
            }
            presenter.dismiss(animated: flag, completion: completion)
            return
        }
        presentedViewController = nil
        presented.presentingViewController = nil
        presented.wasDismissed()
        completion?()
    }

    /// For subclasses in this module: the controller is presented now.
    func wasPresented() {}
    /// For subclasses in this module: presenting it was refused.
    func wasNotPresented() {}
    /// For subclasses in this module: the controller is presented no longer.
    func wasDismissed() {}
}
