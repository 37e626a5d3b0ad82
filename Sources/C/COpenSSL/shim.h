#ifndef RANGERS_COPENSSL_SHIM_H
#define RANGERS_COPENSSL_SHIM_H

#include <openssl/bio.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/rsa.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

// Swift imports neither function-like macros nor variadic functions. Each function here wraps the one in its name.

static inline long rangers_SSL_CTX_set_min_proto_version(SSL_CTX *context, int version) {
    return SSL_CTX_set_min_proto_version(context, version);
}

static inline long rangers_SSL_CTX_set_mode(SSL_CTX *context, long mode) {
    return SSL_CTX_set_mode(context, mode);
}

// Refuses the peer's renegotiations of TLS 1.2, each of which costs a handshake.
static inline void rangers_SSL_CTX_refuse_renegotiation(SSL_CTX *context) {
    SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION);
}

static inline int rangers_SSL_CTX_refuses_renegotiation(SSL_CTX *context) {
    return (SSL_CTX_get_options(context) & SSL_OP_NO_RENEGOTIATION) != 0;
}

static inline long rangers_SSL_CTX_set_read_ahead(SSL_CTX *context, int on) {
    return SSL_CTX_set_read_ahead(context, on);
}

static inline long rangers_SSL_CTX_add0_chain_cert(SSL_CTX *context, X509 *certificate) {
    return SSL_CTX_add0_chain_cert(context, certificate);
}

static inline long rangers_SSL_set_tlsext_host_name(SSL *ssl, const char *name) {
    return SSL_set_tlsext_host_name(ssl, name);
}

// Returns the bytes of a memory BIO, which owns them.
static inline long rangers_BIO_get_mem_data(BIO *bio, char **bytes) {
    return BIO_get_mem_data(bio, bytes);
}

// Generates a key pair on the curve P-256.
static inline EVP_PKEY *rangers_EVP_EC_gen_P256(void) {
    return EVP_EC_gen("P-256");
}

// Generates an RSA key pair of 2,048 bits.
static inline EVP_PKEY *rangers_EVP_RSA_gen_2048(void) {
    return EVP_RSA_gen(2048);
}

#endif
