// SPDX-License-Identifier: Apache-2.0
#include "baseline.h"

#include <openssl/bn.h>
#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/obj_mac.h>
#include <stdlib.h>

struct baseline_envelope {
    EC_GROUP *group;
    BIGNUM *scalar;
    EVP_CIPHER *cipher;
};

baseline_envelope *baseline_envelope_new(const uint8_t scalar[32]) {
    baseline_envelope *self = calloc(1, sizeof *self);
    self->group = EC_GROUP_new_by_curve_name(NID_X9_62_prime256v1);
    self->scalar = BN_bin2bn(scalar, 32, NULL);
    self->cipher = EVP_CIPHER_fetch(NULL, "AES-256-GCM", NULL);
    if (!self->group || !self->scalar || !self->cipher) {
        baseline_envelope_free(self);
        return NULL;
    }
    return self;
}

void baseline_envelope_free(baseline_envelope *self) {
    EC_GROUP_free(self->group);
    BN_clear_free(self->scalar);
    EVP_CIPHER_free(self->cipher);
    free(self);
}

static int agree(const EC_GROUP *group, const BIGNUM *scalar, const uint8_t point[65], uint8_t z[32]) {
    EC_POINT *other = EC_POINT_new(group), *product = EC_POINT_new(group);
    BIGNUM *coordinate = BN_new();
    int done = EC_POINT_oct2point(group, other, point, 65, NULL) > 0 &&
               EC_POINT_mul(group, product, NULL, other, scalar, NULL) > 0 &&
               EC_POINT_get_affine_coordinates(group, product, coordinate, NULL, NULL) > 0 &&
               BN_bn2binpad(coordinate, z, 32) == 32;
    EC_POINT_free(other);
    EC_POINT_free(product);
    BN_free(coordinate);
    return done;
}

static int generate(const EC_GROUP *group, BIGNUM *scalar, uint8_t point[65]) {
    EC_POINT *public = EC_POINT_new(group);
    int done = BN_priv_rand_range(scalar, EC_GROUP_get0_order(group)) > 0 &&
               EC_POINT_mul(group, public, scalar, NULL, NULL, NULL) > 0 &&
               EC_POINT_point2oct(group, public, POINT_CONVERSION_UNCOMPRESSED, point, 65, NULL) == 65;
    EC_POINT_free(public);
    return done;
}

static int gcm(
    EVP_CIPHER *cipher, int sealing, const uint8_t key[32], const uint8_t *in, int length, uint8_t *out, void *tag) {
    static const uint8_t iv[12];
    int written = 0, last = 0;
    EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
    int done = EVP_CipherInit_ex2(context, cipher, key, iv, sealing, NULL) > 0 &&
               EVP_CipherUpdate(context, out, &written, in, length) > 0 &&
               (sealing || EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, 16, tag) > 0) &&
               EVP_CipherFinal_ex(context, out + written, &last) > 0 &&
               (!sealing || EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, 16, tag) > 0);
    EVP_CIPHER_CTX_free(context);
    return done;
}

int baseline_envelope_seal(
    const baseline_envelope *self, const uint8_t leaf[65], const uint8_t *text, size_t length, uint8_t *sealed,
    uint8_t point[65]) {
    uint8_t z[32];
    BIGNUM *scalar = BN_secure_new();
    int done = generate(self->group, scalar, point) && agree(self->group, scalar, leaf, z) &&
               gcm(self->cipher, 1, z, text, (int)length, sealed, sealed + length);
    BN_clear_free(scalar);
    return done;
}

int baseline_envelope_open(
    const baseline_envelope *self, const uint8_t point[65], const uint8_t *sealed, size_t length, uint8_t *text) {
    uint8_t z[32];
    return length >= 16 && agree(self->group, self->scalar, point, z) &&
           gcm(self->cipher, 0, z, sealed, (int)length - 16, text, (void *)(sealed + length - 16));
}
