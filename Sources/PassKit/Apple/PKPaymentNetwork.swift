// SPDX-License-Identifier: Apache-2.0

/// A payment network, by Apple's name of it.
///
/// The constants and their versions are those of Apple's documentation and SDK. The raw values up to iOS 12 are those
/// that public bindings of Apple's constants print; of the younger ones nothing public was found, and their own name
/// stands in. Compare constants, never strings.
@available(iOS 8.0, macCatalyst 13.1, visionOS 1.0, watchOS 3.0, *)
public struct PKPaymentNetwork: RawRepresentable, Hashable, Sendable {
    /// Apple's name of the network.
    public let rawValue: String
    /// A network by Apple's name.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// A network by Apple's name.
    public init(_ rawValue: String) { self.rawValue = rawValue }
}

extension PKPaymentNetwork {
    /// American Express.
    @available(iOS 8.0, *)
    public static let amex = PKPaymentNetwork(rawValue: "AmEx")
    /// Visa.
    @available(iOS 8.0, *)
    public static let visa = PKPaymentNetwork(rawValue: "Visa")
    /// Mastercard.
    @available(iOS 8.0, *)
    public static let masterCard = PKPaymentNetwork(rawValue: "MasterCard")
    /// Discover.
    @available(iOS 9.0, *)
    public static let discover = PKPaymentNetwork(rawValue: "Discover")
    /// A shop's own card.
    @available(iOS 9.0, *)
    public static let privateLabel = PKPaymentNetwork(rawValue: "PrivateLabel")
    /// UnionPay.
    @available(iOS 9.2, *)
    public static let chinaUnionPay = PKPaymentNetwork(rawValue: "ChinaUnionPay")
    /// Interac.
    @available(iOS 9.2, *)
    public static let interac = PKPaymentNetwork(rawValue: "Interac")
    // swift-format-ignore: AlwaysUseLowerCamelCase
    /// JCB.
    @available(iOS 10.1, *)
    public static let JCB = PKPaymentNetwork(rawValue: "JCB")
    /// Suica.
    @available(iOS 10.1, *)
    public static let suica = PKPaymentNetwork(rawValue: "Suica")
    /// iD.
    @available(iOS 10.3, *)
    public static let idCredit = PKPaymentNetwork(rawValue: "iD")
    /// QUICPay.
    @available(iOS 10.3, *)
    public static let quicPay = PKPaymentNetwork(rawValue: "QUICPay")
    /// Cartes Bancaires.
    @available(iOS 11.2, *)
    public static let cartesBancaires = PKPaymentNetwork(rawValue: "CartesBancaires")
    /// Eftpos.
    @available(iOS 12.0, *)
    public static let eftpos = PKPaymentNetwork(rawValue: "Eftpos")
    /// Electron.
    @available(iOS 12.0, *)
    public static let electron = PKPaymentNetwork(rawValue: "Electron")
    /// Maestro.
    @available(iOS 12.0, *)
    public static let maestro = PKPaymentNetwork(rawValue: "Maestro")
    /// VPay.
    @available(iOS 12.0, *)
    public static let vPay = PKPaymentNetwork(rawValue: "VPay")
    /// Elo.
    @available(iOS 12.1.1, *)
    public static let elo = PKPaymentNetwork(rawValue: "Elo")
    /// Mada.
    @available(iOS 12.1.1, *)
    public static let mada = PKPaymentNetwork(rawValue: "mada")
    /// Girocard.
    @available(iOS 14.0, *)
    public static let girocard = PKPaymentNetwork(rawValue: "Girocard")
    /// Cards with a barcode.
    @available(iOS 14.0, *)
    public static let barcode = PKPaymentNetwork(rawValue: "Barcode")
    /// Mir.
    @available(iOS 14.5, *)
    public static let mir = PKPaymentNetwork(rawValue: "Mir")
    /// Nanaco.
    @available(iOS 15.0, *)
    public static let nanaco = PKPaymentNetwork(rawValue: "Nanaco")
    /// Waon.
    @available(iOS 15.0, *)
    public static let waon = PKPaymentNetwork(rawValue: "Waon")
    /// Dankort.
    @available(iOS 15.1, *)
    public static let dankort = PKPaymentNetwork(rawValue: "Dankort")
    /// Bancontact.
    @available(iOS 16.0, *)
    public static let bancontact = PKPaymentNetwork(rawValue: "Bancontact")
    /// PostFinance.
    @available(iOS 16.4, *)
    public static let postFinance = PKPaymentNetwork(rawValue: "PostFinance")
    /// PagoBancomat.
    @available(iOS 17.0, *)
    public static let pagoBancomat = PKPaymentNetwork(rawValue: "PagoBancomat")
    // swift-format-ignore: AlwaysUseLowerCamelCase
    /// Tmoney.
    @available(iOS 17.0, *)
    public static let Tmoney = PKPaymentNetwork(rawValue: "Tmoney")
    /// Meeza.
    @available(iOS 17.4, *)
    public static let meeza = PKPaymentNetwork(rawValue: "Meeza")
    /// BankAxept.
    @available(iOS 17.5, *)
    public static let bankAxept = PKPaymentNetwork(rawValue: "BankAxept")
    // swift-format-ignore: AlwaysUseLowerCamelCase
    /// NAPAS.
    @available(iOS 17.5, *)
    public static let NAPAS = PKPaymentNetwork(rawValue: "NAPAS")
    /// Himyan.
    @available(iOS 18.4, *)
    public static let himyan = PKPaymentNetwork(rawValue: "Himyan")
    /// Jaywan.
    @available(iOS 18.4, *)
    public static let jaywan = PKPaymentNetwork(rawValue: "Jaywan")
    /// MyDebit.
    @available(iOS 26.0, *)
    public static let myDebit = PKPaymentNetwork(rawValue: "MyDebit")
    /// Conecs.
    @available(iOS 26.2, *)
    public static let conecs = PKPaymentNetwork(rawValue: "Conecs")
    /// ElCorteIngles.
    @available(iOS 26.4, *)
    public static let elCorteIngles = PKPaymentNetwork(rawValue: "ElCorteIngles")
    /// Elcard.
    @available(iOS 27.0, *)
    public static let elcard = PKPaymentNetwork(rawValue: "Elcard")
    /// Humo.
    @available(iOS 27.0, *)
    public static let humo = PKPaymentNetwork(rawValue: "Humo")
    /// Maal.
    @available(iOS 27.0, *)
    public static let maal = PKPaymentNetwork(rawValue: "Maal")
    /// PayPak.
    @available(iOS 27.0, *)
    public static let payPak = PKPaymentNetwork(rawValue: "PayPak")
    /// RuPay.
    @available(iOS 27.0, *)
    public static let ruPay = PKPaymentNetwork(rawValue: "RuPay")
    /// UzCard.
    @available(iOS 27.0, *)
    public static let uzCard = PKPaymentNetwork(rawValue: "UzCard")
    /// Verve.
    @available(iOS 27.0, *)
    public static let verve = PKPaymentNetwork(rawValue: "Verve")
    /// Cartes Bancaires: the older name.
    @available(iOS, introduced: 10.3, deprecated: 11.0, renamed: "cartesBancaires")
    @available(*, deprecated, renamed: "cartesBancaires")
    public static let carteBancaire = PKPaymentNetwork(rawValue: "CarteBancaire")
    /// Cartes Bancaires: the older name.
    @available(iOS, introduced: 11.0, deprecated: 11.2, renamed: "cartesBancaires")
    @available(*, deprecated, renamed: "cartesBancaires")
    public static let carteBancaires = PKPaymentNetwork(rawValue: "CarteBancaires")
    /// Bancomat: the older name.
    @available(iOS, introduced: 16.0, deprecated: 17.0, renamed: "pagoBancomat")
    @available(*, deprecated, renamed: "pagoBancomat")
    public static let bancomat = PKPaymentNetwork(rawValue: "Bancomat")
}
