// OpenSSL's verify callback: called in every handshake, before the first request byte, to accept or refuse the server.
#ifndef CMOYATRUST_H
#define CMOYATRUST_H

#if defined(__linux__)

#include "CMoyaCurl.h"

#include <openssl/x509_vfy.h>

#pragma clang assume_nonnull begin

/// The certificates that a server presented, valid during their evaluation.
typedef struct moya_presented moya_presented;

/// Makes the context of a handshake from the context of a transfer; released with the TLS context.
typedef void *_Nonnull (*moya_handshake_begin)(void *transfer);
/// Returns 1 to accept the server, 0 to refuse it.
typedef int (*moya_handshake_evaluate)(void *handshake, moya_presented *presented);
typedef void (*moya_handshake_release)(void *handshake);
/// Returns the descriptor for the keys of a transfer's connections, or a negative number for none.
typedef int (*moya_handshake_key_log)(void *transfer);
/// Retains the trusted root certificates of a transfer's connections; NULL to end the transfer.
typedef X509_STORE *_Nullable (*moya_handshake_authorities)(void *transfer);

/// Sets the callbacks; once per process, before the first transfer.
void moya_trust_install(
    moya_handshake_begin begin, moya_handshake_evaluate evaluate, moya_handshake_release release,
    moya_handshake_key_log key_log, moya_handshake_authorities authorities);

/// Makes every connection of the handle ask for its authorities and its key log, regardless of SSLKEYLOGFILE, and call
/// the policy, if there is one; fails if libcurl does not use OpenSSL.
///
/// Without a policy, the transfer has OpenSSL's reason for refusing a server, which libcurl may not know, and a server
/// whose certificate names no host is refused: libcurl would use its common name.
///
/// A TLS context whose maximum version is set to TLS 1.3 is a proxy's, for which the policy is not called: libcurl
/// offers no other way to recognize it. So no other context may have that setting.
CURLcode moya_easy_set_trust(CURL *easy, void *transfer, bool has_policy);

/// The end of a TLS connection, which outlives the connection.
typedef struct moya_connection_end moya_connection_end;

/// Retains the end of the handle's TLS connection, on which a request is about to be sent; NULL for any other
/// connection. Must be released.
moya_connection_end *_Nullable moya_easy_hold_connection_end(CURL *easy);
/// Returns whether the server has sent a close notification (RFC 8446 section 6.1).
bool moya_connection_end_is_announced(const moya_connection_end *end);
void moya_connection_end_release(moya_connection_end *_Nullable end);

/// The number of certificates in the chain: as validated or, if it is invalid, those presented certificates of which
/// each has signed the previous one, with a key and a signature that the security level accepts.
int moya_presented_count(const moya_presented *presented);
/// Returns the DER form of a certificate and its length; free with moya_presented_free.
int moya_presented_der(const moya_presented *presented, int index, unsigned char *_Nullable *_Nonnull der);
void moya_presented_free(unsigned char *_Nullable der);

/// Returns X509_V_OK if the chain leads to an anchor, is within its validity period, valid for a server, and of the
/// strength that the security level of the connection requires; else the error, or -1 if an anchor is no certificate.
///
/// With anchors, a valid chain to one of them is kept for the revocation checks that follow; without, the anchors are
/// those of the session.
int moya_presented_validate(
    moya_presented *presented, const unsigned char *const _Nonnull *_Nullable anchors,
    const size_t *_Nullable lengths, size_t anchor_count);
/// OpenSSL's message for an X509_V_ERR code.
const char *moya_verify_error_text(long error);
/// Returns whether the server's certificate has a DNS name or an IP address as a subject alternative name; without one
/// it matches no host (RFC 9525 section 6.3).
bool moya_presented_names_hosts(const moya_presented *presented);
/// Returns whether the server's certificate is valid for the host, a name or an IP address.
bool moya_presented_matches_host(const moya_presented *presented, const char *host);

/// The revocation status of a certificate.
typedef enum {
    MOYA_REVOCATION_UNKNOWN = 0,
    MOYA_REVOCATION_GOOD = 1,
    MOYA_REVOCATION_REVOKED = 2,
} moya_revocation;

/// The number of chains in which a certificate may be revoked, at least one: each that was validated with anchors, and
/// the one of moya_presented_count.
int moya_presented_chain_count(const moya_presented *presented);
/// The number of certificates in such a chain.
int moya_presented_chain_length(const moya_presented *presented, int chain);
/// The number of certificates of a chain, from the server's own on, whose status a strict check needs: all below the
/// anchor, or none if the server is trusted for another chain.
int moya_presented_revocable_count(const moya_presented *presented, int chain);

/// Looks up a chain's certificates in lists in DER form, and writes the status of each.
///
/// Returns -1, or the index of a malformed list.
int moya_presented_look_up(
    const moya_presented *presented, int chain, const unsigned char *const _Nonnull *_Nullable lists,
    const size_t *_Nullable lengths, size_t list_count, moya_revocation *found, int found_count);

/// The status of the server's certificate in the OCSP response stapled to the handshake, from its authority in a chain.
///
/// Writes the reason for an unknown status. If the response comes later in the handshake, the status is unknown, and
/// the policy will be called again.
moya_revocation moya_presented_staple(
    moya_presented *presented, int chain, const char *_Nullable *_Nonnull why);
/// `true` if the stapled response, which the policy requested, comes later in the handshake.
bool moya_presented_awaits_staple(const moya_presented *presented);

#pragma clang assume_nonnull end

#endif
#endif
