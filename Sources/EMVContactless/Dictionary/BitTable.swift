// SPDX-License-Identifier: Apache-2.0

/// What the bits of data objects mean.
///
/// `= TAG CONTEXT NAME` begins an object. A rule is a list of conditions, then `:` and the meaning: `B.b` bit b of byte
/// B is set, `B.b=0` it is clear, `B==n` byte B has the decimal value n, `B:h-l` bits h to l of byte B are a number.
/// Byte 1 is leftmost, bit 8 the most significant. Objects without a context digit hold for every kernel.
///
/// Sources: EMV Book 3, Annex C; EMV Contactless Books C-3, C-4, C-7 Annex A; scheme editions as
/// binaryfoo/emv-bertlv lists them; emv.cool for newer TTQ bits.
let bitTableText = """
    = 82 emv Application Interchange Profile
    1.7 : SDA supported
    1.6 : DDA supported
    1.5 : Cardholder verification is supported
    1.4 : Terminal risk management is to be performed
    1.3 : Issuer authentication is supported
    1.1 : CDA supported
    2.8=0 : Magstripe mode only supported
    2.8 : EMV and magstripe modes supported
    2.7 : Expresspay Mobile supported
    = 82 k2 Application Interchange Profile
    1.7 : SDA supported
    1.6 : DDA supported
    1.5 : Cardholder verification is supported
    1.4 : Terminal risk management is to be performed
    1.3 : Issuer authentication is supported
    1.2 : On-device cardholder verification is supported
    1.1 : CDA supported
    2.8=0 : Magstripe mode only supported
    2.8 : EMV and magstripe modes supported
    2.1 : Relay resistance protocol is supported
    = 9F70 k4 Card Interface and Payment Capabilities
    1.8 : Keyed data entry supported (embossed or printed PAN)
    1.7 : Physical magnetic stripe supported
    1.6 : Contact EMV interface supported
    1.5 : Contactless EMV interface supported
    1.4 : Mobile interface supported
    = 9F71 k4 Mobile CVM Results
    1==1 : Mobile CVM performed
    1==63 : No CVM performed
    2==0 : Mobile CVM not required
    2==3 : Terminal required CVM
    3==1 : Mobile CVM failed
    3==2 : Mobile CVM successful
    3==3 : Mobile CVM blocked
    = 9F6D k4 Contactless Reader Capabilities
    1.8=0 1.7=0 : Expresspay 1.0
    1.8=0 1.7 : Expresspay 2.0 MSD
    1.8 1.7=0 : Expresspay 2.0 EMV and MSD
    1.8 1.7 : Expresspay Mobile - EMV
    1.4=0 : CVM not required
    1.4 : CVM required
    = 9F6E k4 Enhanced Contactless Reader Capabilities
    1.8 : AEIPS contact mode supported
    1.7 : Expresspay magstripe mode supported
    1.6 : Expresspay EMV full online mode supported
    1.5 : Expresspay EMV partial online mode supported
    1.4 : Expresspay Mobile supported
    1.2 : Signature supported
    2.8 : Mobile CVM supported
    2.7 : Online PIN supported
    2.6 : Signature
    2.5 : Plaintext offline PIN
    3.8 : Terminal is offline only
    3.7 : CVM required
    = 9F07 emv Application Usage Control
    1.8 : Valid for domestic cash transactions
    1.7 : Valid for international cash transactions
    1.6 : Valid for domestic goods
    1.5 : Valid for international goods
    1.4 : Valid for domestic services
    1.3 : Valid for international services
    1.2 : Valid at ATMs
    1.1 : Valid at terminals other than ATMs
    2.8 : Domestic cashback allowed
    2.7 : International cashback allowed
    = 9F6C k3 Card Transaction Qualifiers
    1.8 : Online PIN required
    1.7 : Signature required
    1.6 : Go online if offline data authentication fails and the reader is online capable
    1.5 : Switch interface if offline data authentication fails and the reader supports VIS
    1.4 : Go online if application expired
    1.3 : Switch interface for cash transactions
    1.2 : Switch interface for cashback transactions
    2.8 : Consumer device CVM performed
    2.7 : Card supports issuer update processing at the POS
    = 9F6C k7 Card Transaction Qualifiers
    1.8 : Online PIN required
    1.7 : Signature required
    1.6 : Go online if offline data authentication fails and the reader is online capable
    1.5 : Terminate if offline data authentication fails and the reader supports contact
    1.4 : Go online if application expired
    2.8 : Consumer device CVM performed
    = 9F10 k2 Card Verification Results inside M/Chip IAD
    1.8=0 1.7=0 : AAC returned in second GENERATE AC
    1.8=0 1.7 : TC returned in second GENERATE AC
    1.8 1.7=0 : Second GENERATE AC not requested
    1.6=0 1.5=0 : AAC returned in first GENERATE AC
    1.6=0 1.5 : TC returned in first GENERATE AC
    1.6 1.5=0 : ARQC returned in first GENERATE AC
    1.3 : Offline PIN verification performed
    1.2 : Offline encrypted PIN verification performed
    1.1 : Offline PIN verification successful
    2.8 : DDA returned
    2.7 : Combined DDA/AC generation returned in first GENERATE AC
    2.6 : Combined DDA/AC generation returned in second GENERATE AC
    2.5 : Issuer authentication performed
    2.4 : CIAC-Default skipped on CAT3
    3:8-5 : Right nibble of script counter
    3:4-1 : Right nibble of PIN try counter
    4.7 : Unable to go online indicated
    4.6 : Offline PIN verification not performed
    4.5 : Offline PIN verification failed
    4.4 : PIN try limit (PTL) exceeded
    4.3 : International transaction
    4.2 : Domestic transaction
    4.1 : Terminal erroneously considers offline PIN OK
    5.8 : Lower consecutive offline limit exceeded
    5.7 : Upper consecutive offline limit exceeded
    5.6 : Lower cumulative offline limit exceeded
    5.5 : Upper cumulative offline limit exceeded
    5.4 : Go online on next transaction was set
    5.3 : Issuer authentication failed
    5.2 : Script received
    5.1 : Script failed
    6.2 : Match found in additional check table
    6.1 : No match found in additional check table
    = 9F10 k3 Card Verification Results inside Visa IAD
    2.8=0 2.7=0 : AAC returned in second GENERATE AC
    2.8=0 2.7 : TC returned in second GENERATE AC
    2.8 2.7=0 : Second GENERATE AC not requested
    2.6=0 2.5=0 : AAC returned in GPO/first GENERATE AC
    2.6=0 2.5 : TC returned in GPO/first GENERATE AC
    2.6 2.5=0 : ARQC returned in GPO/first GENERATE AC
    2.4 : Issuer authentication performed and failed
    2.3 : Offline PIN verification performed
    2.2 : Offline encrypted PIN verification performed
    2.1 : Offline PIN verification successful
    3.8 : Last online transaction not completed
    3.7 : PIN try limit exceeded
    3.6 : Exceeded velocity checking counters
    3.5 : New card
    3.4 : Issuer authentication failure on last online transaction
    3.3 : Issuer authentication not performed after online authorisation
    3.2 : Application blocked by card because PIN try limit exceeded
    3.1 : Offline static data authentication failed on last transaction and transaction declined offline
    4:8-5 : Issuer script commands processed on last transaction
    4.4 : Issuer script processing failed on last transaction
    4.3 : Offline dynamic data authentication failed on last transaction and transaction declined offline
    4.2 : Offline dynamic data authentication performed
    = 9F33 emv Terminal Capabilities
    1.8 : Manual key entry
    1.7 : Magnetic stripe
    1.6 : IC with contacts
    1.5 : (RFU)
    1.4 : (RFU)
    1.3 : (RFU)
    1.2 : (RFU)
    1.1 : (RFU)
    2.8 : Plaintext PIN for ICC verification
    2.7 : Enciphered PIN for online verification
    2.6 : Signature (paper)
    2.5 : Enciphered PIN for offline verification
    2.4 : No CVM required
    2.3 : (RFU)
    2.2 : (RFU)
    2.1 : (RFU)
    3.8 : SDA
    3.7 : DDA
    3.6 : Card capture
    3.5 : (RFU)
    3.4 : CDA
    3.3 : (RFU)
    3.2 : (RFU)
    3.1 : (RFU)
    = 9F66 emv Terminal Transaction Qualifiers
    1.8 : MSD supported
    1.6 : qVSDC supported
    1.5 : EMV contact chip supported
    1.4 : Offline-only reader
    1.3 : Online PIN supported
    1.2 : Signature supported
    1.1 : Offline data authentication for online transactions supported
    2.8 : Online cryptogram required
    2.7 : CVM required
    2.6 : Contact chip offline PIN supported
    3.8 : Issuer update processing supported
    3.7 : Consumer device CVM supported (mobile device functionality)
    3.4 : Consumer device CVM required by reader
    4.8 : fDDA version 1 supported
    = 9F66 k7 Terminal Transaction Qualifiers
    1.7 : Contactless debit/credit supported
    1.6 : qPBOC supported
    1.5 : EMV contact chip supported
    1.4 : Offline-only reader
    1.3 : Online PIN supported
    1.2 : Signature supported
    2.8 : Online cryptogram required
    2.7 : CVM required
    2.6 : Contact chip offline PIN supported
    4.8 : fDDA version 01 supported
    = 9B emv Transaction Status Information
    1.8 : Offline data authentication was performed
    1.7 : Cardholder verification was performed
    1.6 : Card risk management was performed
    1.5 : Issuer authentication was performed
    1.4 : Terminal risk management was performed
    1.3 : Script processing was performed
    2.8 : RFU
    2.1 : RFU
    = 95 emv Terminal Verification Results
    1.8 : Offline data authentication was not performed
    1.7 : SDA failed
    1.6 : ICC data missing
    1.5 : Card appears on terminal exception file
    1.4 : DDA failed
    1.3 : CDA failed
    1.2 : SDA selected
    2.8 : ICC and terminal have different application versions
    2.7 : Expired application
    2.6 : Application not yet effective
    2.5 : Requested service not allowed for card product
    2.4 : New card
    3.8 : Cardholder verification was not successful
    3.7 : Unrecognised CVM
    3.6 : PIN try limit exceeded
    3.5 : PIN entry required and PIN pad not present or not working
    3.4 : PIN entry required, PIN pad present, but PIN was not entered
    3.3 : Online PIN entered
    4.8 : Transaction exceeds floor limit
    4.7 : Lower consecutive offline limit exceeded
    4.6 : Upper consecutive offline limit exceeded
    4.5 : Transaction selected randomly for online processing
    4.4 : Merchant forced transaction online
    5.8 : Default TDOL used
    5.7 : Issuer authentication failed
    5.6 : Script processing failed before final GENERATE AC
    5.5 : Script processing failed after final GENERATE AC
    = 9F27 emv Cryptogram Information Data
    1.8=0 1.7=0 : AAC (declined)
    1.8=0 1.7 : TC (approved offline)
    1.8 1.7=0 : ARQC (online authorisation requested)
    1.8 1.7 : RFU
    1.4 : Advice required
    1:3-1 : Reason or advice code
    = 87 emv Application Priority Indicator
    1.8 : Cardholder confirmation required
    1:4-1 : Priority (1 highest, 0 none)
    = 9F26 vas Terminal Capabilities and Mode
    2.8 : VAS supported
    2.7 : Authentication required
    4.8 : Another GET DATA for a further pass follows
    4.2=0 4.1=0 : VAS or payment
    4.2=0 4.1 : VAS and payment
    4.2 4.1=0 : VAS only
    4.2 4.1 : Payment only
    """
