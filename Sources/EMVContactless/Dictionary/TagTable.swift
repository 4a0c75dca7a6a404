// SPDX-License-Identifier: Apache-2.0

/// The tag dictionary's rows: tag, context, format, length in bytes, source, sensitivity, name.
///
/// Formats as in EMV Book 3, 4.3: `n` numeric, `cn` compressed numeric, `an`, `ans`, `b` binary, `t` template.
/// `s` in the sixth column marks cardholder data and cryptograms, which must not be shown.
/// Sources: EMV Book 3, Annex A (EMV); EMV Contactless Books C-2 to C-7, Annex A (k2 to k7); Interac terminal tags as
/// Amadis documents them; Apple VAS as kormax/apple-vas README has them; ISO/IEC 7816-4 and -6 for the templates.
let tagTableText = """
    42|emv|n|3|card||Issuer Identification Number (IIN)
    4F|emv|b|5-16|card||Application Dedicated File (ADF) Name
    50|emv|ans|1-16|card||Application Label
    52|emv|b|0-|card||Command to Perform
    56|emv|ans|0-76|card|s|Track 1 Data
    57|emv|b|0-19|card|s|Track 2 Equivalent Data
    5A|emv|cn|0-10|card|s|Application Primary Account Number (PAN)
    5D|emv|b|0-|card||Deleted (former Directory Definition File Name)
    5F20|emv|ans|0-26|card|s|Cardholder Name
    5F24|emv|n|3|card|s|Application Expiration Date
    5F25|emv|n|3|card||Application Effective Date
    5F28|emv|n|2|card||Issuer Country Code
    5F2A|emv|n|2|terminal||Transaction Currency Code
    5F2D|emv|an|2-8|card||Language Preference
    5F30|emv|n|2|card||Service Code
    5F34|emv|n|1|card|s|Application Primary Account Number (PAN) Sequence Number
    5F36|emv|n|1|terminal||Transaction Currency Exponent
    5F50|emv|ans|0-|card||Issuer URL
    5F53|emv|b|0-34|card|s|International Bank Account Number (IBAN)
    5F54|emv|b|8-11|card||Bank Identifier Code (BIC)
    5F55|emv|an|2|card||Issuer Country Code (alpha2 format)
    5F56|emv|an|3|card||Issuer Country Code (alpha3 format)
    5F57|emv|n|1|terminal||Account Type
    61|emv|t|0-252|card||Application Template
    62|emv|t|0-|card||File Control Parameters (FCP) Template
    6F|emv|t|0-252|card||File Control Information (FCI) Template
    70|emv|t|0-252|card||READ RECORD Response Message Template
    71|emv|t|0-|issuer||Issuer Script Template 1
    72|emv|t|0-|issuer||Issuer Script Template 2
    73|emv|t|0-252|card||Directory Discretionary Template
    77|emv|t|0-|card||Response Message Template Format 2
    80|emv|b|0-|card||Response Message Template Format 1
    81|emv|b|4|terminal||Amount, Authorised (Binary)
    82|emv|b|2|card||Application Interchange Profile
    83|emv|b|0-|terminal||Command Template
    84|emv|b|5-16|card||Dedicated File (DF) Name
    86|emv|b|0-261|issuer||Issuer Script Command
    87|emv|b|1|card||Application Priority Indicator
    88|emv|b|1|card||Short File Identifier (SFI)
    89|emv|b|6|issuer||Authorisation Code
    8A|emv|an|2|terminal||Authorisation Response Code
    8C|emv|b|0-252|card||Card Risk Management Data Object List 1 (CDOL1)
    8D|emv|b|0-252|card||Card Risk Management Data Object List 2 (CDOL2)
    8E|emv|b|0-252|card||Cardholder Verification Method (CVM) List
    8F|emv|b|1|card||Certification Authority Public Key Index (card)
    90|emv|b|0-|card||Issuer Public Key Certificate
    91|emv|b|8-16|issuer||Issuer Authentication Data
    92|emv|b|0-|card||Issuer Public Key Remainder
    93|emv|b|0-|card|s|Signed Static Application Data
    94|emv|b|0-252|card||Application File Locator (AFL)
    95|emv|b|5|terminal||Terminal Verification Results
    97|emv|b|0-252|card||Transaction Certificate Data Object List (TDOL)
    98|emv|b|20|terminal|s|Transaction Certificate (TC) Hash Value
    99|emv|b|0-|terminal|s|Transaction Personal Identification Number (PIN) Data
    9A|emv|n|3|terminal||Transaction Date
    9B|emv|b|2|terminal||Transaction Status Information
    9C|emv|n|1|terminal||Transaction Type
    9D|emv|b|5-16|card||Directory Definition File (DDF) Name
    9F01|emv|n|6|terminal||Acquirer Identifier
    9F02|emv|n|6|terminal||Amount, Authorised (Numeric)
    9F03|emv|n|6|terminal||Amount, Other (Numeric)
    9F04|emv|b|4|terminal||Amount, Other (Binary)
    9F05|emv|b|1-32|card||Application Discretionary Data
    9F06|emv|b|5-16|terminal||Application Identifier (AID), terminal
    9F07|emv|b|2|card||Application Usage Control
    9F08|emv|b|2|card||Application Version Number (card)
    9F09|emv|b|2|terminal||Application Version Number (reader)
    9F0A|emv|b|0-|card||Application Selection Registered Proprietary Data
    9F0B|emv|ans|27-45|card|s|Cardholder Name Extended
    9F0C|emv|b|0-|card||Issuer Identification Number Extended (IINE)
    9F0D|emv|b|5|card||Issuer Action Code - Default
    9F0E|emv|b|5|card||Issuer Action Code - Denial
    9F0F|emv|b|5|card||Issuer Action Code - Online
    9F10|emv|b|0-32|card|s|Issuer Application Data
    9F11|emv|n|1|card||Issuer Code Table Index
    9F12|emv|ans|1-16|card||Application Preferred Name
    9F13|emv|b|2|card||Last Online Application Transaction Counter (ATC) Register
    9F14|emv|b|1|card||Lower Consecutive Offline Limit
    9F15|emv|n|2|terminal||Merchant Category Code
    9F16|emv|ans|15|terminal||Merchant Identifier
    9F17|emv|b|1|card||Personal Identification Number (PIN) Try Counter
    9F18|emv|b|4|issuer||Issuer Script Identifier
    9F19|emv|n|6|card||Token Requestor ID
    9F1A|emv|n|2|terminal||Terminal Country Code
    9F1B|emv|b|4|terminal||Terminal Floor Limit
    9F1C|emv|an|8|terminal||Terminal Identification
    9F1D|emv|b|1-8|terminal||Terminal Risk Management Data
    9F1E|emv|an|8|terminal||Interface Device (IFD) Serial Number
    9F1F|emv|ans|0-|card|s|Track 1 Discretionary Data
    9F20|emv|cn|0-|card|s|Track 2 Discretionary Data
    9F21|emv|n|3|terminal||Transaction Time
    9F21|vas|b|2|card||Protocol Version (wallet)
    9F22|emv|b|1|terminal||Certification Authority Public Key Index (terminal)
    9F22|vas|b|2|terminal||Protocol Version of the reader in GET DATA
    9F23|emv|b|4|terminal||Upper Consecutive Offline Limit
    9F23|vas|b|4|card||Wallet Capabilities
    9F24|emv|an|29|card|s|Payment Account Reference (PAR)
    9F24|vas|b|4|card||Card Nonce
    9F25|emv|n|2|card||Last 4 Digits of PAN
    9F25|vas|b|32|terminal||Merchant Pass Identifier (SHA-256)
    9F26|emv|b|8|card|s|Application Cryptogram
    9F26|vas|b|4|terminal||Terminal Capabilities and Mode
    9F27|emv|b|1|card||Cryptogram Information Data
    9F27|vas|b|0-|card|s|Encrypted Pass Data
    9F28|emv|b|0-|card||Issuer Proprietary Data in a Directory Entry
    9F28|vas|b|4|terminal||Reader Nonce
    9F29|emv|b|0-11|card||Extended Selection
    9F29|vas|ans|0-|terminal||Merchant URL
    9F2A|emv|b|0-8|card||Kernel Identifier
    9F2A|vas|b|0-|card||Mobile Token
    9F2B|k8|b|8|terminal||Kernel Qualifier
    9F2B|vas|b|5|terminal||Merchant Pass Filter
    9F2D|emv|b|0-|card||ICC PIN Encipherment Public Key Certificate
    9F2E|emv|b|1-3|card||ICC PIN Encipherment Public Key Exponent
    9F2F|emv|b|0-|card||ICC PIN Encipherment Public Key Remainder
    9F32|emv|b|1-3|card||Issuer Public Key Exponent
    9F33|emv|b|3|terminal||Terminal Capabilities
    9F34|emv|b|3|terminal||Cardholder Verification Method (CVM) Results
    9F35|emv|n|1|terminal||Terminal Type
    9F36|emv|b|2|card||Application Transaction Counter (ATC)
    9F37|emv|b|4|terminal||Unpredictable Number
    9F38|emv|b|0-|card||Processing Options Data Object List (PDOL)
    9F39|emv|n|1|terminal||Point-of-Service (POS) Entry Mode
    9F3A|emv|b|4|terminal||Amount, Reference Currency
    9F3B|emv|n|2-8|card||Application Reference Currency
    9F3C|emv|n|2|terminal||Transaction Reference Currency Code
    9F3D|emv|n|1|terminal||Transaction Reference Currency Exponent
    9F40|emv|b|5|terminal||Additional Terminal Capabilities
    9F41|emv|n|2-4|terminal||Transaction Sequence Counter
    9F42|emv|n|2|card||Application Currency Code
    9F43|emv|n|1-4|card||Application Reference Currency Exponent
    9F44|emv|n|1|card||Application Currency Exponent
    9F45|emv|b|2|card||Data Authentication Code
    9F46|emv|b|0-|card|s|ICC Public Key Certificate
    9F47|emv|b|1-3|card||ICC Public Key Exponent
    9F48|emv|b|0-|card||ICC Public Key Remainder
    9F49|emv|b|0-252|card||Dynamic Data Authentication Data Object List (DDOL)
    9F4A|emv|b|0-|card||Static Data Authentication Tag List
    9F4B|emv|b|0-|card|s|Signed Dynamic Application Data
    9F4C|emv|b|2-8|card||ICC Dynamic Number
    9F4D|emv|b|2|card||Log Entry
    9F4E|emv|ans|0-|terminal||Merchant Name and Location
    9F4F|emv|b|0-|card||Log Format
    9F50|emv|n|6|card||Offline Accumulator Balance
    9F51|emv|b|0-|card||DRDOL or Application Currency Code (proprietary)
    9F51|k2|b|0-250|card||DRDOL
    9F52|emv|b|0-|card||Application Default Action (proprietary)
    9F52|k5|b|0-|card||Terminal Compatibility Indicator
    9F53|k2|an|1|terminal||Transaction Category Code
    9F53|k3|b|1|card||Consecutive Transaction Limit (International)
    9F53|k5|b|3|terminal||Terminal Interchange Profile
    9F54|k2|b|1-160|card||DS ODS Card
    9F54|k3|n|6|card||Cumulative Total Transaction Amount Limit
    9F55|k2|b|1|card||Mobile Support Indicator
    9F55|k3|b|0-|card||Geographic Indicator
    9F57|k3|n|2|card||Issuer Country Code (VSDC)
    9F58|interac|n|1|terminal||Merchant Type Indicator
    9F58|k3|b|1|card||Consecutive Transaction Limit
    9F59|interac|b|3|terminal||Terminal Transaction Information
    9F59|k3|b|1|card||Consecutive Transaction Upper Limit
    9F5A|k3|b|1-16|card||Application Program Identifier
    9F5A|emv|b|1-16|card||Application Program Identifier
    9F5A|interac|b|1|terminal||Terminal Transaction Type
    9F5B|emv|b|0-|card||Issuer Script Results
    9F5B|k2|b|0-|card||DSDOL
    9F5B|k4|ans|0-|card||Product Membership Number
    9F5C|k2|b|8|card||DS Requested Operator ID
    9F5D|k2|b|3|card||Application Capabilities Information
    9F5D|k3|n|6|card||Available Offline Spending Amount
    9F5D|k7|n|6|card||Available Offline Spending Amount
    9F5D|interac|n|6|terminal||Contactless Receipt Required Limit
    9F5E|k2|n|8-11|card||Data Storage Identifier
    9F5E|interac|b|2|terminal||Terminal Option Status
    9F5F|k2|b|1|card||DS Slot Availability
    9F5F|k5|n|6|card||Offline Balance
    9F5F|interac|n|6|terminal||Reader Contactless Floor Limit
    9F60|k2|b|2|card|s|CVC3 (Track1)
    9F61|k2|b|2|card|s|CVC3 (Track2)
    9F61|k7|ans|0-40|card|s|Cardholder ID Number
    9F62|k2|b|6|card||PCVC3 (Track1) Bit Map
    9F62|k7|b|1|card||Cardholder ID Type
    9F63|k2|b|6|card||PUNATC(Track1)
    9F63|k3|b|0-|card||Offline Counter Initial Value
    9F63|k7|b|16|card||Product Identification Information
    9F64|k2|b|1|card||NATC(Track1)
    9F65|k2|b|2|card||PCVC3 (Track2) Bit Map
    9F66|emv|b|4|terminal||Terminal Transaction Qualifiers
    9F66|k2|b|2|card||PUNATC(Track2)
    9F67|k2|b|1|card||NATC(Track2)
    9F68|k3|b|4|card||Card Additional Processes
    9F69|k2|b|0-|card||UDOL
    9F69|k3|b|5-16|card||Card Authentication Related Data
    9F69|k7|b|5-16|card||Card Authentication Related Data
    9F6A|k2|n|4|terminal||Unpredictable Number (Numeric)
    9F6B|emv|b|0-19|card|s|Track 2 Data
    9F6B|k3|n|6|card||Card CVM Limit
    9F6C|k2|b|2|card||Mag-stripe Application Version Number (Card)
    9F6C|k3|b|2|card||Card Transaction Qualifiers
    9F6C|k7|b|2|card||Card Transaction Qualifiers
    9F6D|k2|b|2|terminal||Mag-stripe Application Version Number (Reader)
    9F6D|k3|b|2|card||VLP Reset Threshold
    9F6D|k4|b|1|terminal||Contactless Reader Capabilities
    9F6D|k7|n|6|card||Electronic Cash Reset Threshold
    9F6E|k2|b|5-32|card||Third Party Data
    9F6E|k3|b|4|card||Form Factor Indicator
    9F6E|k4|b|4|terminal||Enhanced Contactless Reader Capabilities
    9F6E|k6|b|4|card||Form Factor Indicator
    9F6F|k2|b|0-|card||DS Slot Management Control
    9F70|k2|b|0-192|card||Protected Data Envelope 1
    9F70|k4|b|2|card||Card Interface Capabilities
    9F71|k2|b|0-192|card||Protected Data Envelope 2
    9F71|k4|b|3|card||Mobile CVM Results
    9F71|k6|b|2|card||Card Processing Requirements
    9F72|k2|b|0-192|card||Protected Data Envelope 3
    9F73|k2|b|0-192|card||Protected Data Envelope 4
    9F74|k2|b|0-192|card||Protected Data Envelope 5
    9F74|k7|an|6|card||Electronic Cash Issuer Authorisation Code
    9F75|k2|b|0-192|card||Unprotected Data Envelope 1
    9F76|k2|b|0-192|card||Unprotected Data Envelope 2
    9F77|k2|b|0-192|card||Unprotected Data Envelope 3
    9F77|k7|n|6|card||Electronic Cash Balance Limit
    9F78|k2|b|0-192|card||Unprotected Data Envelope 4
    9F78|k7|n|6|card||Electronic Cash Single Transaction Limit
    9F79|k2|b|0-192|card||Unprotected Data Envelope 5
    9F79|k7|n|6|card||Electronic Cash Balance
    9F7A|k7|n|1|terminal||Electronic Cash Terminal Support Indicator
    9F7B|k7|n|6|terminal||Electronic Cash Terminal Transaction Limit
    9F7C|k2|b|20|terminal||Merchant Custom Data
    9F7C|k3|b|0-32|card||Customer Exclusive Data
    9F7D|k2|b|16|card||DS Summary 1
    9F7E|k2|b|1|card||Mobile Support Indicator (legacy)
    9F7E|k3|b|48|card||Application Life Cycle Data
    9F7F|emv|b|0-|card||Card Production Life Cycle (CPLC) Data
    A5|emv|t|0-|card||File Control Information (FCI) Proprietary Template
    BF0C|emv|t|0-222|card||File Control Information (FCI) Issuer Discretionary Data
    BF11|k6|t|0-|card||Data Storage Container
    BF60|k8|t|0-|card||Integrated Data Storage Record Update Template
    BF63|emv|t|0-|card||Directory Entry Proprietary Template
    DF4F|emv|b|0-|card|s|JIS 2 Equivalent Data
    DF60|emv|b|0-|card||VISA Log Entry
    DF61|emv|b|0-|card||Application Discretionary Data (proprietary)
    DF62|emv|b|0-|card||Application Selection Flag (proprietary)
    DF8104|k2|n|6|card||Balance Read Before Gen AC
    DF8105|k2|n|6|card||Balance Read After Gen AC
    DF8108|k2|b|8|terminal||DS AC Type
    DF8115|k2|b|6|terminal||Error Indication
    DF8116|k2|b|22|terminal||User Interface Request Data
    DF8117|k2|b|1|terminal||Card Data Input Capability
    DF8118|k2|b|1|terminal||CVM Capability - CVM Required
    DF8119|k2|b|1|terminal||CVM Capability - No CVM Required
    DF811A|k2|b|3|terminal||Default UDOL
    DF811B|k2|b|1|terminal||Kernel Configuration
    DF811C|k2|b|2|terminal||Max Lifetime of Torn Transaction Log Record
    DF811D|k2|b|1|terminal||Max Number of Torn Transaction Log Records
    DF811E|k2|b|1|terminal||Mag-stripe CVM Capability - CVM Required
    DF811F|k2|b|1|terminal||Security Capability
    DF8120|k2|b|5|terminal||Terminal Action Code - Default
    DF8121|k2|b|5|terminal||Terminal Action Code - Denial
    DF8122|k2|b|5|terminal||Terminal Action Code - Online
    DF8123|k2|n|6|terminal||Reader Contactless Floor Limit
    DF8124|k2|n|6|terminal||Reader Contactless Transaction Limit (No On-device CVM)
    DF8125|k2|n|6|terminal||Reader Contactless Transaction Limit (On-device CVM)
    DF8126|k2|n|6|terminal||Reader CVM Required Limit
    DF8127|k2|b|2|terminal||Time Out Value
    DF8129|k2|b|8|terminal||Outcome Parameter Set
    DF812C|k2|b|1|terminal||Mag-stripe CVM Capability - No CVM Required
    DF812D|k2|b|3|terminal||Message Hold Time
    DF8130|k2|b|1|terminal||Hold Time Value
    DF8131|k2|b|0-|terminal||Phone Message Table
    """
