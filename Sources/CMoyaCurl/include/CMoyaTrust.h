// OpenSSL's verify callback: called in every handshake, before the first request byte, to accept or refuse the server.
#ifndef CMOYATRUST_H
#define CMOYATRUST_H

#if defined(__linux__)

#include "CMoyaCurl.h"

#include <openssl/x509_vfy.h>

#pragma clang assume_nonnull begin

/// The certificates that a server presented, valid while they are being evaluated.
typedef struct moya_presented moya_presented;

/// Makes the context of a handshake from the context of a transfer; the result is released with the TLS context.
typedef void *_Nonnull (*moya_handshake_begin)(void *transfer);
/// Returns 1 to talk to the server, 0 to refuse it.
typedef int (*moya_handshake_evaluate)(void *handshake, moya_presented *presented);
typedef void (*moya_handshake_release)(void *handshake);
/// Returns the descriptor that the keys of a transfer's connections are written to, or a negative number for none.
typedef int (*moya_handshake_key_log)(void *transfer);

/// Sets the policy callback; once for the process, before the first transfer with a policy.
void moya_trust_install(
    moya_handshake_begin begin, moya_handshake_evaluate evaluate, moya_handshake_release release,
    moya_handshake_key_log key_log);

/// Has every connection that the handle makes record why OpenSSL refuses a server, where libcurl would not know, and
/// refuse one whose certificate names no host: libcurl would go by its common name.
///
/// Keys are written to a descriptor, to none where it is negative, whatever SSLKEYLOGFILE says.
CURLcode moya_easy_set_platform_trust(CURL *easy, int key_log);

/// Has every connection that the handle makes call the policy; fails when libcurl does not use OpenSSL.
///
/// A TLS context whose newest version is set to TLS 1.3 is a proxy's, for which the policy is not called: libcurl
/// offers nothing else to recognize it by. So no other context may have that set.
CURLcode moya_easy_set_trust(CURL *easy, void *transfer);

/// The number of certificates in the chain: as it was validated, or, when it is not valid, those of the presented
/// certificates of which each has signed the one before, with a key and a signature that the security level accepts.
int moya_presented_count(const moya_presented *presented);
/// Gives the DER form of a certificate and returns its length; to be freed with moya_presented_free.
int moya_presented_der(const moya_presented *presented, int index, unsigned char *_Nullable *_Nonnull der);
void moya_presented_free(unsigned char *_Nullable der);

/// Returns X509_V_OK when the chain leads to an anchor, is in its validity period, fit for a server, and of the
/// strength that the security level of the connection requires; else the error.
int moya_presented_validate(
    const moya_presented *presented, const unsigned char *const _Nonnull *_Nullable anchors,
    const size_t *_Nullable lengths, size_t anchor_count);
/// OpenSSL's words for an X509_V_ERR code.
const char *moya_verify_error_text(long error);
/// Returns whether the server's certificate has a subject alternative name that is a DNS name or an IP address; without
/// one it matches no host (RFC 9525 section 6.3).
bool moya_presented_names_hosts(const moya_presented *presented);
/// Returns whether the server's certificate is for the host, a name or an IP address.
bool moya_presented_matches_host(const moya_presented *presented, const char *host);

/// The revocation status of a certificate.
typedef enum {
    MOYA_REVOCATION_UNKNOWN = 0,
    MOYA_REVOCATION_GOOD = 1,
    MOYA_REVOCATION_REVOKED = 2,
} moya_revocation;

/// The number of certificates of the chain, from the server's own on, that can have been revoked: all but the anchor.
int moya_presented_revocable_count(const moya_presented *presented);

/// Looks the chain's certificates up in lists in DER form, and writes what is known of each.
///
/// Returns -1, or the index of a malformed list.
int moya_presented_look_up(
    const moya_presented *presented, const unsigned char *const _Nonnull *_Nullable lists,
    const size_t *_Nullable lengths, size_t list_count, moya_revocation *found, int found_count);

/// The status of the server's certificate in the OCSP response stapled to the handshake.
///
/// Writes why nothing is known when that is so. Where the response comes later in the handshake, the answer is unknown,
/// and the policy will be called again.
moya_revocation moya_presented_staple(moya_presented *presented, const char *_Nullable *_Nonnull why);
/// `true` if the stapled response, which the policy requested, comes later in the handshake.
bool moya_presented_awaits_staple(const moya_presented *presented);

#pragma clang assume_nonnull end

#endif
#endif
