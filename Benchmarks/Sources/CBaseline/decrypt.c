// SPDX-License-Identifier: Apache-2.0
#include "baseline.h"

#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/kdf.h>
#include <openssl/obj_mac.h>
#include <stdlib.h>
#include <string.h>

struct baseline_decryptor {
    EC_GROUP *group;
    BIGNUM *scalar;
    EVP_KDF *kdf;
    EVP_CIPHER *cipher;
};

baseline_decryptor *baseline_decryptor_new(const uint8_t scalar[32]) {
    baseline_decryptor *self = calloc(1, sizeof *self);
    self->group = EC_GROUP_new_by_curve_name(NID_X9_62_prime256v1);
    self->scalar = BN_bin2bn(scalar, 32, NULL);
    self->kdf = EVP_KDF_fetch(NULL, "X963KDF", NULL);
    self->cipher = EVP_CIPHER_fetch(NULL, "AES-256-GCM", NULL);
    if (!self->group || !self->scalar || !self->kdf || !self->cipher) {
        baseline_decryptor_free(self);
        return NULL;
    }
    return self;
}

void baseline_decryptor_free(baseline_decryptor *self) {
    EC_GROUP_free(self->group);
    BN_clear_free(self->scalar);
    EVP_KDF_free(self->kdf);
    EVP_CIPHER_free(self->cipher);
    free(self);
}

// The cheapest way OpenSSL offers: EVP_PKEY_derive with its key objects takes about twice as long.
static int agree(const baseline_decryptor *self, const uint8_t x[32], uint8_t z[32]) {
    uint8_t encoded[33] = {2};
    memcpy(encoded + 1, x, 32);
    EC_POINT *point = EC_POINT_new(self->group), *product = EC_POINT_new(self->group);
    BIGNUM *coordinate = BN_new();
    int done = EC_POINT_oct2point(self->group, point, encoded, sizeof encoded, NULL) > 0 &&
               EC_POINT_mul(self->group, product, NULL, point, self->scalar, NULL) > 0 &&
               EC_POINT_get_affine_coordinates(self->group, product, coordinate, NULL, NULL) > 0 &&
               BN_bn2binpad(coordinate, z, 32) == 32;
    EC_POINT_free(point);
    EC_POINT_free(product);
    BN_free(coordinate);
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
    if (length < 56 || !agree(self, cryptogram + 4, z) || !derive(self->kdf, z, info, info_length, key))
        return -1;
    return open_gcm(self->cipher, key, cryptogram + 36, (int)length - 36 - 16, plaintext);
}
