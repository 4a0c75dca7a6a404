// SPDX-License-Identifier: Apache-2.0
#include "baseline.h"

#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/kdf.h>
#include <openssl/param_build.h>
#include <stdlib.h>
#include <string.h>

struct baseline_decryptor {
    EVP_PKEY *key;
    EVP_KDF *kdf;
    EVP_CIPHER *cipher;
};

static EVP_PKEY *private_key(const uint8_t scalar[32], const uint8_t point[65]) {
    BIGNUM *number = BN_bin2bn(scalar, 32, NULL);
    OSSL_PARAM_BLD *builder = OSSL_PARAM_BLD_new();
    OSSL_PARAM_BLD_push_utf8_string(builder, OSSL_PKEY_PARAM_GROUP_NAME, "P-256", 0);
    OSSL_PARAM_BLD_push_BN(builder, OSSL_PKEY_PARAM_PRIV_KEY, number);
    OSSL_PARAM_BLD_push_octet_string(builder, OSSL_PKEY_PARAM_PUB_KEY, point, 65);
    OSSL_PARAM *parameters = OSSL_PARAM_BLD_to_param(builder);
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_name(NULL, "EC", NULL);
    EVP_PKEY *key = NULL;
    if (EVP_PKEY_fromdata_init(context) <= 0 ||
        EVP_PKEY_fromdata(context, &key, EVP_PKEY_KEYPAIR, parameters) <= 0)
        key = NULL;
    EVP_PKEY_CTX_free(context);
    OSSL_PARAM_free(parameters);
    OSSL_PARAM_BLD_free(builder);
    BN_free(number);
    return key;
}

baseline_decryptor *baseline_decryptor_new(const uint8_t scalar[32], const uint8_t point[65]) {
    baseline_decryptor *self = calloc(1, sizeof *self);
    self->key = private_key(scalar, point);
    self->kdf = EVP_KDF_fetch(NULL, "X963KDF", NULL);
    self->cipher = EVP_CIPHER_fetch(NULL, "AES-256-GCM", NULL);
    if (!self->key || !self->kdf || !self->cipher) {
        baseline_decryptor_free(self);
        return NULL;
    }
    return self;
}

void baseline_decryptor_free(baseline_decryptor *self) {
    EVP_PKEY_free(self->key);
    EVP_KDF_free(self->kdf);
    EVP_CIPHER_free(self->cipher);
    free(self);
}

static int agree(EVP_PKEY *key, const uint8_t x[32], uint8_t z[32]) {
    uint8_t point[33] = {2};
    memcpy(point + 1, x, 32);
    EVP_PKEY *peer = EVP_PKEY_new();
    EVP_PKEY_CTX *context = NULL;
    size_t length = 32;
    int done = EVP_PKEY_copy_parameters(peer, key) > 0 &&
               EVP_PKEY_set1_encoded_public_key(peer, point, sizeof point) > 0 &&
               (context = EVP_PKEY_CTX_new(key, NULL)) && EVP_PKEY_derive_init(context) > 0 &&
               EVP_PKEY_derive_set_peer(context, peer) > 0 && EVP_PKEY_derive(context, z, &length) > 0;
    EVP_PKEY_CTX_free(context);
    EVP_PKEY_free(peer);
    return done;
}

static int derive(EVP_KDF *kdf, uint8_t z[32], const uint8_t *info, size_t info_length, uint8_t key[32]) {
    EVP_KDF_CTX *context = EVP_KDF_CTX_new(kdf);
    OSSL_PARAM parameters[] = {
        OSSL_PARAM_construct_utf8_string(OSSL_KDF_PARAM_DIGEST, "SHA256", 0),
        OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_KEY, z, 32),
        OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_INFO, (void *)info, info_length),
        OSSL_PARAM_construct_end(),
    };
    int done = EVP_KDF_derive(context, key, 32, parameters) > 0;
    EVP_KDF_CTX_free(context);
    return done;
}

static int open_gcm(EVP_CIPHER *cipher, const uint8_t key[32], const uint8_t *text, int length, uint8_t *plaintext) {
    static const uint8_t iv[16];
    int written = 0, last = 0;
    EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
    int done = EVP_DecryptInit_ex2(context, cipher, NULL, NULL, NULL) > 0 &&
               EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_IVLEN, 16, NULL) > 0 &&
               EVP_DecryptInit_ex2(context, NULL, key, iv, NULL) > 0 &&
               EVP_DecryptUpdate(context, plaintext, &written, text, length) > 0 &&
               EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, 16, (void *)(text + length)) > 0 &&
               EVP_DecryptFinal_ex(context, plaintext + written, &last) > 0;
    EVP_CIPHER_CTX_free(context);
    return done ? written + last : -1;
}

int baseline_decrypt(
    baseline_decryptor *self, const uint8_t *cryptogram, size_t length, const uint8_t *info, size_t info_length,
    uint8_t *plaintext) {
    uint8_t z[32], key[32];
    if (length < 56 || !agree(self->key, cryptogram + 4, z) || !derive(self->kdf, z, info, info_length, key))
        return -1;
    return open_gcm(self->cipher, key, cryptogram + 36, (int)length - 36 - 16, plaintext);
}
