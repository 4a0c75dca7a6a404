// SPDX-License-Identifier: Apache-2.0
// What the ratios are measured against: the same work in plain C over the same libraries.
#pragma once
#include <stddef.h>
#include <stdint.h>

/// Sends `command` `rounds` times to the first card of `reader` inside one transaction.
/// Writes nanoseconds per round to `nanoseconds`. Returns 0, or the PC/SC code of the call that failed.
long baseline_pcsc_round_trips(
    const char *reader, const uint8_t *command, size_t command_length, size_t rounds, uint64_t *nanoseconds);

/// Everything a VAS payload needs of OpenSSL, with the private key and the algorithms loaded once.
typedef struct baseline_decryptor baseline_decryptor;
baseline_decryptor *baseline_decryptor_new(const uint8_t scalar[32]);
void baseline_decryptor_free(baseline_decryptor *decryptor);

/// Point from X, ECDH, X9.63 KDF, AES-256-GCM: returns the length of the plaintext, or -1.
int baseline_decrypt(
    baseline_decryptor *decryptor, const uint8_t *cryptogram, size_t length, const uint8_t *shared_info,
    size_t shared_info_length, uint8_t *plaintext);

/// The bare operations of a payment read: a private key and the algorithms loaded once.
typedef struct baseline_payment baseline_payment;
baseline_payment *baseline_payment_new(const uint8_t scalar[32]);
void baseline_payment_free(baseline_payment *payment);

/// One RSA public operation with the exponent 3. Returns 1, or 0.
int baseline_recover(const uint8_t *modulus, const uint8_t *signature, size_t length, uint8_t *recovered);

/// One fresh key on P-256; writes its public point. Returns 1, or 0.
int baseline_make_key(const baseline_payment *payment, uint8_t point[65]);
/// One ECDH agreement. Returns 1, or 0.
int baseline_agree(const baseline_payment *payment, const uint8_t point[65], uint8_t z[32]);

/// One AES-256-GCM encryption; `sealed` has room for the text and 16 bytes. Returns 1, or 0.
int baseline_seal(
    const baseline_payment *payment, const uint8_t key[32], const uint8_t *text, size_t length, uint8_t *sealed);

/// The bare operations of an in-app provisioning envelope: the leaf's private key and the algorithms loaded once.
typedef struct baseline_envelope baseline_envelope;
baseline_envelope *baseline_envelope_new(const uint8_t scalar[32]);
void baseline_envelope_free(baseline_envelope *envelope);

/// Key generation, ECDH, AES-256-GCM under the shared secret; `sealed` has room for the text and 16 bytes. Returns 1,
/// or 0.
int baseline_envelope_seal(
    const baseline_envelope *envelope, const uint8_t leaf[65], const uint8_t *text, size_t length, uint8_t *sealed,
    uint8_t point[65]);

/// ECDH and AES-256-GCM. Returns 1, or 0.
int baseline_envelope_open(
    const baseline_envelope *envelope, const uint8_t point[65], const uint8_t *sealed, size_t length, uint8_t *text);
