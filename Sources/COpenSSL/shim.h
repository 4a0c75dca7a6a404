// SPDX-License-Identifier: Apache-2.0
// OpenSSL 3 for WalletCrypto. Swift does not see function-like macros and casts, so each one needed has a function here.
#ifndef COUNTERTOP_OPENSSL_SHIM_H
#define COUNTERTOP_OPENSSL_SHIM_H

#define OPENSSL_API_COMPAT 30000
#define OPENSSL_NO_DEPRECATED

#include <openssl/bio.h>
#include <openssl/bn.h>
#include <openssl/cms.h>
#include <openssl/cmserr.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/kdf.h>
#include <openssl/objects.h>
#include <openssl/param_build.h>
#include <openssl/rand.h>
#include <openssl/rsa.h>
#include <openssl/x509.h>
#include <openssl/x509_vfy.h>
#include <openssl/x509v3.h>

// Parameters keep pointers to their names and values, which Swift lends for one call only: so both are made here.

// A P-256 key from its public point (65 bytes) and, unless NULL, its private scalar.
static inline EVP_PKEY *countertop_p256_key(const unsigned char *point, size_t count, const BIGNUM *scalar) {
    EVP_PKEY *key = NULL;
    OSSL_PARAM *parameters = NULL;
    OSSL_PARAM_BLD *builder = OSSL_PARAM_BLD_new();
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_name(NULL, "EC", NULL);
    if (builder != NULL && context != NULL
        && OSSL_PARAM_BLD_push_utf8_string(builder, OSSL_PKEY_PARAM_GROUP_NAME, "prime256v1", 0) == 1
        && OSSL_PARAM_BLD_push_octet_string(builder, OSSL_PKEY_PARAM_PUB_KEY, point, count) == 1
        && (scalar == NULL || OSSL_PARAM_BLD_push_BN(builder, OSSL_PKEY_PARAM_PRIV_KEY, scalar) == 1)
        && (parameters = OSSL_PARAM_BLD_to_param(builder)) != NULL
        && EVP_PKEY_fromdata_init(context) == 1)
        EVP_PKEY_fromdata(context, &key, scalar == NULL ? EVP_PKEY_PUBLIC_KEY : EVP_PKEY_KEYPAIR, parameters);
    OSSL_PARAM_free(parameters);
    OSSL_PARAM_BLD_free(builder);
    EVP_PKEY_CTX_free(context);
    return key;
}

// Begins an HMAC with SHA-256.
static inline int countertop_hmac_sha256_init(EVP_MAC_CTX *context, const unsigned char *key, size_t count) {
    char digest[] = "SHA2-256";
    OSSL_PARAM parameters[] = {
        OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, digest, 0), OSSL_PARAM_construct_end()};
    // Without an address the key would be "the one set before".
    return EVP_MAC_init(context, key != NULL ? key : (const unsigned char *)"", count, parameters);
}

// Derives a key with SHA-256 by the X963KDF, SSKDF or HKDF that `kdf` is. Without an address an octet string is empty.
static inline int countertop_kdf_sha256(
    EVP_KDF *kdf, unsigned char *output, size_t count, const unsigned char *key, size_t key_count,
    const unsigned char *salt, size_t salt_count, const unsigned char *info, size_t info_count) {
    char digest[] = "SHA2-256";
    unsigned char *const none = (unsigned char *)"";
    OSSL_PARAM parameters[5], *next = parameters;
    *next++ = OSSL_PARAM_construct_utf8_string(OSSL_KDF_PARAM_DIGEST, digest, 0);
    *next++ = OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_KEY, key ? (void *)key : none, key_count);
    if (salt_count > 0) *next++ = OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_SALT, (void *)salt, salt_count);
    *next++ = OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_INFO, info ? (void *)info : none, info_count);
    *next = OSSL_PARAM_construct_end();
    EVP_KDF_CTX *context = EVP_KDF_CTX_new(kdf);
    int done = context != NULL && EVP_KDF_derive(context, output, count, parameters) == 1;
    EVP_KDF_CTX_free(context);
    return done;
}

// A fresh RSA key; NULL when OpenSSL does not make one.
static inline EVP_PKEY *countertop_rsa_generate(size_t bits, unsigned long exponent) {
    EVP_PKEY *key = NULL;
    unsigned int size = (unsigned int)bits;
    OSSL_PARAM parameters[] = {
        OSSL_PARAM_construct_uint(OSSL_PKEY_PARAM_RSA_BITS, &size),
        OSSL_PARAM_construct_ulong(OSSL_PKEY_PARAM_RSA_E, &exponent), OSSL_PARAM_construct_end()};
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_name(NULL, "RSA", NULL);
    if (context == NULL || EVP_PKEY_keygen_init(context) != 1 || EVP_PKEY_CTX_set_params(context, parameters) != 1
        || EVP_PKEY_generate(context, &key) != 1)
        key = NULL;
    EVP_PKEY_CTX_free(context);
    return key;
}

static inline void countertop_free(void *memory) { OPENSSL_free(memory); }

// The bytes in a memory BIO; they stay the BIO's.
static inline long countertop_bio_bytes(BIO *bio, unsigned char **bytes) { return BIO_get_mem_data(bio, (char **)bytes); }

// Stacks of certificates.
static inline STACK_OF(X509) *countertop_certificates_new(void) { return sk_X509_new_null(); }
static inline int countertop_certificates_push(STACK_OF(X509) *stack, X509 *certificate) {
    return sk_X509_push(stack, certificate);
}
static inline int countertop_certificates_count(const STACK_OF(X509) *stack) { return stack ? sk_X509_num(stack) : 0; }
static inline X509 *countertop_certificates_at(const STACK_OF(X509) *stack, int index) {
    return sk_X509_value(stack, index);
}
static inline void countertop_certificates_free(STACK_OF(X509) *stack) { sk_X509_pop_free(stack, X509_free); }
// Frees the stack only; its certificates belong to someone else.
static inline void countertop_certificates_release(STACK_OF(X509) *stack) { sk_X509_free(stack); }

// Names as RFC 2253 writes them, but UTF-8 as it is.
static inline unsigned long countertop_name_flags(void) { return XN_FLAG_RFC2253 & ~ASN1_STRFLGS_ESC_MSB; }

// Stacks of CMS signers.
static inline int countertop_signers_count(const STACK_OF(CMS_SignerInfo) *stack) {
    return stack ? sk_CMS_SignerInfo_num(stack) : 0;
}
static inline CMS_SignerInfo *countertop_signers_at(const STACK_OF(CMS_SignerInfo) *stack, int index) {
    return sk_CMS_SignerInfo_value(stack, index);
}

#endif
