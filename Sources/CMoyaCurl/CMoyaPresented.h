// The certificates of a handshake, shared by the files of this target.
#ifndef CMOYAPRESENTED_H
#define CMOYAPRESENTED_H

#include "CMoyaTrust.h"

#include <openssl/x509.h>

struct moya_presented {
    X509 *certificate;
    /// All certificates that the server sent.
    STACK_OF(X509) * shown;
    /// The anchors of the session.
    X509_STORE *store;
    /// The level of the connection, as in SSL_CTX_set_security_level(3).
    int security_level;
    STACK_OF(X509) * chain;
    int validation_error;
    const unsigned char *staple;
    long staple_length;
    /// `true` if the handshake has not reached the stapled response yet.
    bool staple_is_to_come;
    /// `true` if the policy has requested it meanwhile.
    bool awaits_staple;
};

#endif
