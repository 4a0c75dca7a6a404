// SPDX-License-Identifier: Apache-2.0
#include "baseline.h"

#include <openssl/bn.h>
#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/obj_mac.h>
#include <stdlib.h>

struct baseline_payment {
    EC_GROUP *group;
    BIGNUM *scalar;
    EVP_CIPHER *cipher;
};

baseline_payment *baseline_payment_new(const uint8_t scalar[32]) {
    baseline_payment *self = calloc(1, sizeof *self);
    self->group = EC_GROUP_new_by_curve_name(NID_X9_62_prime256v1);
    self->scalar = BN_bin2bn(scalar, 32, NULL);
    self->cipher = EVP_CIPHER_fetch(NULL, "AES-256-GCM", NULL);
    if (!self->group || !self->scalar || !self->cipher) {
        baseline_payment_free(self);
        return NULL;
    }
    return self;
}

void baseline_payment_free(baseline_payment *self) {
    EC_GROUP_free(self->group);
    BN_clear_free(self->scalar);
    EVP_CIPHER_free(self->cipher);
    free(self);
}

// A key that was just read from a certificate is used once: nothing of it can be set up before.
int baseline_recover(const uint8_t *modulus, const uint8_t *signature, size_t length, uint8_t *recovered) {
    BN_CTX *context = BN_CTX_new();
    BIGNUM *n = BN_bin2bn(modulus, (int)length, NULL), *s = BN_bin2bn(signature, (int)length, NULL);
    BIGNUM *e = BN_new(), *m = BN_new();
    int done = BN_set_word(e, 3) && BN_mod_exp(m, s, e, n, context) && BN_bn2binpad(m, recovered, (int)length) > 0;
    BN_free(n);
    BN_free(s);
    BN_free(e);
    BN_free(m);
    BN_CTX_free(context);
    return done;
}

int baseline_make_key(const baseline_payment *self, uint8_t point[65]) {
    BIGNUM *scalar = BN_new();
    EC_POINT *product = EC_POINT_new(self->group);
    int done = BN_priv_rand_range_ex(scalar, EC_GROUP_get0_order(self->group), 0, NULL) > 0 &&
               EC_POINT_mul(self->group, product, scalar, NULL, NULL, NULL) > 0 &&
               EC_POINT_point2oct(self->group, product, POINT_CONVERSION_UNCOMPRESSED, point, 65, NULL) == 65;
    EC_POINT_free(product);
    BN_clear_free(scalar);
    return done;
}

int baseline_agree(const baseline_payment *self, const uint8_t point[65], uint8_t z[32]) {
    EC_POINT *other = EC_POINT_new(self->group), *product = EC_POINT_new(self->group);
    BIGNUM *coordinate = BN_new();
    int done = EC_POINT_oct2point(self->group, other, point, 65, NULL) > 0 &&
               EC_POINT_mul(self->group, product, NULL, other, self->scalar, NULL) > 0 &&
               EC_POINT_get_affine_coordinates(self->group, product, coordinate, NULL, NULL) > 0 &&
               BN_bn2binpad(coordinate, z, 32) == 32;
    EC_POINT_free(other);
    EC_POINT_free(product);
    BN_free(coordinate);
    return done;
}

int baseline_seal(
    const baseline_payment *self, const uint8_t key[32], const uint8_t *text, size_t length, uint8_t *sealed) {
    static const uint8_t iv[12];
    int written = 0, last = 0;
    EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
    int done = EVP_EncryptInit_ex2(context, self->cipher, key, iv, NULL) > 0 &&
               EVP_EncryptUpdate(context, sealed, &written, text, (int)length) > 0 &&
               EVP_EncryptFinal_ex(context, sealed + written, &last) > 0 &&
               EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, 16, sealed + length) > 0;
    EVP_CIPHER_CTX_free(context);
    return done;
}
