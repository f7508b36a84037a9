// The certificates of a handshake, as the files of this target share them.
#ifndef CMOYAPRESENTED_H
#define CMOYAPRESENTED_H

#include "CMoyaTrust.h"

#include <openssl/x509.h>

struct moya_presented {
    X509 *certificate;
    /// Everything that the server sent.
    STACK_OF(X509) * shown;
    /// The anchors of the session.
    X509_STORE *store;
    /// The level of the connection, as SSL_CTX_set_security_level(3) has it.
    int security_level;
    STACK_OF(X509) * chain;
    int validation_error;
    const unsigned char *staple;
    long staple_length;
    /// `true` if the handshake has not come to the stapled response yet.
    bool staple_is_to_come;
    /// `true` if the policy has requested it nevertheless.
    bool awaits_staple;
};

#endif
