// SPDX-License-Identifier: Apache-2.0

/// Keys that are none for a pass, made for these tests with OpenSSL and used nowhere else.
enum WrongKeys {
    static let p384 = """
        -----BEGIN EC PRIVATE KEY-----
        MIGkAgEBBDBbdIZzbst1+18ufHoyCZP8YSKPKU7Mqgtp+2KH5C7USPmcEwdmE8SS
        ysN/soUGbAegBwYFK4EEACKhZANiAATuWOfE0qVRVF/tA6tc9H4T8i7KjIIC87ka
        s3QOFqfqwcj087W0qL5iWrxS/RgVFiXgVCr7P4n/riDK5kBiCiXLtArtUygJntmY
        urdVAA5D1UCs3MpOOwKcOgAZqiBwRxU=
        -----END EC PRIVATE KEY-----
        """

    /// P-256, under a passphrase.
    static let encrypted = """
        -----BEGIN ENCRYPTED PRIVATE KEY-----
        MIHsMFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAgiFlt39/UTHgICCAAw
        DAYIKoZIhvcNAgkFADAdBglghkgBZQMEASoEEJ1Hm7eRaS3f6GYGG7+oSdIEgZCi
        eSzeRtBhH5tLkaWcgeSQRvLmyZJ+dQC3mqJXpCJDm9RuQ2bIxhWQGl8hH7kbFK3R
        KVcJT+iEZND3CxHKEyCbg3GJjQyz30xNFiCH9V62ULPf/m5sLjk9pkCpU+Ux2Jpw
        T7FwfS8sFcfWeD2nuhDvZp0Ao8FBMl1Uq2ixjdorjcdpPx13WYLlZMTN8vSzAgo=
        -----END ENCRYPTED PRIVATE KEY-----
        """

    /// 1,024 bits.
    static let rsa = """
        -----BEGIN RSA PRIVATE KEY-----
        MIICXgIBAAKBgQDN+71TDA/UaAJSWs8I8X/mCykv+Qa85qnsIdehEWwrBpZqPRTz
        ZkOP/KtbJxurjZmo0BUQbeIl4N5rf2XGiLjQE0dWkq11cqr/HPq7fgHDwmpoulJo
        PVcvAHS2nNrjm4HbppTOQJeN5grAIfsyxKKUyH8ovQsaxeBE9yNC6eBbUwIDAQAB
        AoGBAIFrb0vzoyqI4xSNe9GZswt97bX3mFUt9Iupw8quoLDz5aQAlt5LXZ3lWmDe
        VJNYV7hqbSGyeMnl3LncBL1WAA+SYadBbAhACPBYkXM1WCPUv25+tqukuw3hKV/M
        uEF2U26EfL/1yPaG9AnXBh2PpL/QH1OABTDlg0sn5GQvzd85AkEA/ZLtojijHqFQ
        apBgeAIRXv/QAkBh1bdKZxHxuaHvxGogy06oq97Fd2Ibd/6/1xLc155kv5wcGT6k
        1tw6HO5tBwJBAM/0P70DuqJ3A2hQx6r6ldcdQtEkjk0SyWXujCzJ48clhsucj6pj
        hSud3TbKWruP1XRBj7b6Pr/NuA3tci22mFUCQHPqobUBnRfYeFFulJrnnxdFa8pL
        si2nb1y0qELK0zd/qGQoHhULbkuHzrTJANuJpOjwYG/zJikoKOSLogktuSsCQQCZ
        96K1hKxLm8iHFMAw5KXKhpyxEtrVT+KTuOJKSxR9n1hFKt7n7hVsbM6bwYkaM+17
        zQrmFDQfeOYcUcDm/bmdAkEAhnpwLbbsV66wzprVDAwrYY3hgv/KA71th82Ztui8
        zoHOc8O08y/DA8V81yOs4JE5YGV4g7TwMvAWH+0TKCu7qQ==
        -----END RSA PRIVATE KEY-----
        """
}
