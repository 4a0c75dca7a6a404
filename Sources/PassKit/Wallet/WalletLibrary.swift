// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import HostSystem
internal import Synchronization

/// What the library asks of its wallet.
extension ProvisioningWallet {
    var canAddPasses: Bool {
        let setup = self.setup
        return setup.hasEntitlement && !setup.isRestricted && setup.device == .phone
            && !setup.quirks.contains(.cannotAdd)
    }

    /// The passes on a device that the app may see now.
    func visiblePasses(onWatch: Bool) -> [PKPaymentPass] {
        let now = setup.time.uptime()
        return state.withLock { state in
            let setup = state.setup
            guard setup.hasAssociation, setup.device != .withoutWallet, !onWatch || setup.watch != nil else {
                return []
            }
            let device = onWatch ? setup.watch?.name ?? "" : "Emulated Phone"
            return (state.passes[onWatch ? .watch : .phone] ?? [])
                .filter { $0.isAssociated && $0.visibleFrom <= now }
                .map { PKPaymentPass($0, isOnWatch: onWatch, device: device) }
        }
    }

    /// Whether a present device lacks the account (PKPassLibrary.h). Passes that the app may not see do not count.
    func canAdd(_ account: String, needsEntitlement: Bool) -> Bool {
        let setup = self.setup
        guard setup.device == .phone, !setup.isRestricted, setup.hasEntitlement || !needsEntitlement else {
            return false
        }
        let devices = setup.quirks.contains(.ignoresWatch) ? [.phone] : presentDevices
        return devices.contains { device in
            !visiblePasses(onWatch: device == .watch).contains { $0.primaryAccountIdentifier == account }
        }
    }

    func contains(_ pass: PKPass) -> Bool {
        passes(on: pass.isOnWatch ? .watch : .phone).contains { $0.serialNumber == pass.record.serialNumber }
    }

    func remove(_ pass: PKPass) {
        guard setup.hasEntitlement else { return }
        let device = pass.isOnWatch ? WalletDevice.watch : .phone
        state.withLock { $0.passes[device]?.removeAll { $0.serialNumber == pass.record.serialNumber } }
        announce(device)
    }

    /// Activates a pass; nil when it worked.
    func activate(_ pass: PKSecureElementPass, with data: Data) -> PKPassKitError? {
        let device = pass.isOnWatch ? WalletDevice.watch : .phone
        let error: PKPassKitError? = state.withLock { state in
            guard state.setup.hasEntitlement else { return PKPassKitError(.notEntitledError) }
            let serial = pass.record.serialNumber
            guard let index = state.passes[device]?.firstIndex(where: { $0.serialNumber == serial }), !data.isEmpty
            else { return PKPassKitError(.invalidDataError) }
            guard state.setup.canActivate, state.passes[device]?[index].activation == .requiresActivation else {
                return PKPassKitError(.unsupportedVersionError)
            }
            state.passes[device]?[index].activation = .activated
            state.notes.append(.activatedPass(serial))
            return nil
        }
        if error == nil { announce(device) }
        return error
    }

    func libraryCame() { state.withLock { $0.libraries += 1 } }
    func libraryWent() { state.withLock { $0.libraries -= 1 } }

    /// Posts the notification of a change, if a library lives.
    func announce(_ device: WalletDevice) {
        guard state.withLock({ $0.libraries > 0 }) else { return }
        let name: PKPassLibraryNotificationName =
            device == .phone ? .PKPassLibraryDidChange : .PKPassLibraryRemotePaymentPassesDidChange
        NotificationCenter.default.post(name: Notification.Name(name.rawValue), object: nil)
    }

    func refuseSheet() {
        let setup = self.setup
        if !setup.hasEntitlement { record(.entitlement, "the sheet's initialiser gave nil") }
    }

    /// Puts a card on a device.
    func add(_ card: ProvisionedCard, to device: WalletDevice, account: String?, description: String?) -> PKPaymentPass
    {
        let mark = fingerprint(of: card.mark)
        let setup = self.setup
        let shown = setup.time.uptime() + (device == .watch ? setup.watch?.delay ?? .zero : .zero)
        let record: WalletPass = state.withLock { state in
            state.made += 1
            var pass = WalletPass(
                primaryAccountIdentifier: account ?? "account-\(mark)",
                suffix: card.suffix, device: device)
            pass.deviceAccountIdentifier = "\(device.rawValue)-\(state.made)-\(mark)"
            pass.serialNumber = pass.deviceAccountIdentifier
            pass.activation = card.requiresActivation ? .requiresActivation : .activated
            if let description, !description.isEmpty { pass.localizedDescription = description }
            (pass.visibleFrom, pass.fingerprint) = (device == .watch ? shown : .zero, mark)
            state.passes[device, default: []].append(pass)
            return pass
        }
        land(card, on: device == .phone ? setup.phone : setup.watchPhone)
        setup.cardAdded?(card, device)
        announce(device)
        return PKPaymentPass(
            record, isOnWatch: device == .watch,
            device: device == .watch ? setup.watch?.name ?? "" : "Emulated Phone")
    }
}

extension ProvisioningWallet {
    /// Whether a device has a card already, added by this wallet.
    func holds(_ card: ProvisionedCard, on device: WalletDevice) -> Bool {
        let mark = fingerprint(of: card.mark)
        return passes(on: device).contains { $0.fingerprint == mark }
    }
}
