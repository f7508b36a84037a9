#!/usr/bin/env bash
# Makes the files for the trust tests: authorities, valid and invalid servers, revocation lists, OCSP responses, clients.
#
#   make-trust-certificates.sh DIRECTORY
#
# For each server NAME it writes NAME.pem (its certificate chain), NAME.key and, if the server staples an OCSP response,
# NAME.ocsp; its host name is NAME.localhost:
#   good-ec, good-rsa            valid
#   expired, not-yet-valid       outside their validity period
#   wrong-host                   for another host
#   foreign                      from an untrusted authority, with its authority's certificate
#   sent-along                   the same, followed by the certificates of good-ec, which did not sign it
#   below-leaf, below-client     signed with the key of another server's or a client's certificate
#   below-pathlen                below an authority that may not have another one below it
#   missing-intermediate         without the intermediate certificate
#   self-signed                  self-signed
#   wrong-purpose                for clients
#   tampered                     one bit of its signature is wrong
#   revoked                      on the revocation list of its authority
#   revoked-authority            valid, but its authority is on the list of the root
#   stapled-good, stapled-revoked, stapled-delegated   with an OCSP response, the last one by a responder
#   stapled-foreign              with an OCSP response signed by another authority
#   stapled-other                with the OCSP response for another certificate
#   stapled-refusal              with an OCSP response that contains only an error
#   weak-key, sha1, md5          with an RSA-1024 key, or a signature with SHA-1 or MD5
#   weak-key-above, sha1-above, md5-above      valid, but the intermediate certificate has such a key or signature
#   no-names, common-name        with no subject alternative name; the common name is another host, or the server's
#   mail-name                    the same, with an alternative name that is not a host name
#   top-wildcard, part.below     for *.localhost and pa*.below.localhost, which match nothing
#   cut-name                     for a name that begins with the server's, followed by a NUL
#   below.wildcard               valid, for *.wildcard.localhost
#   xn--bcher-kva                valid, with the ASCII form of an internationalized name
# It also writes root.pem, intermediate.pem, foreign-root.pem, the weak intermediate certificates
# (weak-key-authority.pem etc.); root.crl.pem, intermediate.crl.pem, and stale.crl.pem, an outdated list of the latter;
# client.pem with client.key, client-encrypted.key, client.p12, client-rsa.p12, client-no-mac.p12 (the
# password is "secret"), client-old.p12 (an old cipher) and foreign-client.pem with foreign-client.key.
# Everything is valid for two days: the keys are made at run time and never committed.
set -euo pipefail

if [[ $# -ne 1 ]]; then
    echo "usage: $0 DIRECTORY" >&2
    exit 64
fi
mkdir -p "$1"
cd "$1"
umask 077

fail() {
    cat log >&2
    exit 1
}
quietly() { "$@" >log 2>&1 || fail; }

cat >openssl.cnf <<'CONFIG'
[req]
distinguished_name = name
[name]
[authority]
basicConstraints = critical, CA:TRUE
keyUsage = critical, keyCertSign, cRLSign, digitalSignature
subjectKeyIdentifier = hash
[server]
basicConstraints = critical, CA:FALSE
keyUsage = critical, digitalSignature
extendedKeyUsage = serverAuth
subjectAltName = ${ENV::NAMES}
[nameless]
basicConstraints = critical, CA:FALSE
keyUsage = critical, digitalSignature
extendedKeyUsage = serverAuth
[client]
basicConstraints = critical, CA:FALSE
keyUsage = critical, digitalSignature
extendedKeyUsage = clientAuth
subjectAltName = ${ENV::NAMES}
[plain]
basicConstraints = CA:FALSE
subjectAltName = ${ENV::NAMES}
[plain_client]
basicConstraints = CA:FALSE
extendedKeyUsage = clientAuth
subjectAltName = ${ENV::NAMES}
[last_authority]
basicConstraints = critical, CA:TRUE, pathlen:0
keyUsage = critical, keyCertSign
[responder]
basicConstraints = critical, CA:FALSE
keyUsage = critical, digitalSignature
extendedKeyUsage = OCSPSigning
[ca]
default_ca = ca_settings
[ca_settings]
dir = ${ENV::AUTHORITY}
database = $dir/index.txt
serial = $dir/serial
crlnumber = $dir/crlnumber
new_certs_dir = $dir
default_md = sha256
default_crl_days = 2
policy = anything
unique_subject = no
copy_extensions = none
[anything]
commonName = supplied
CONFIG
export NAMES=DNS:unused.test AUTHORITY=.

new_key() { # FILE [ec|rsa|rsa-1024]
    if [[ ${2:-ec} == rsa* ]]; then
        local bits=2048
        if [[ $2 == rsa-1024 ]]; then bits=1024; fi
        quietly openssl genpkey -algorithm RSA -pkeyopt "rsa_keygen_bits:$bits" -out "$1"
    else
        quietly openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out "$1"
    fi
}

at() { date -u -d "$1" +%Y%m%d%H%M%SZ; }

new_root() { # NAME [rsa]
    new_key "$1.key" "${2:-ec}"
    quietly openssl req -config openssl.cnf -new -x509 -sha256 -days 2 -key "$1.key" -subj "/CN=$1" \
        -extensions authority -out "$1.pem"
    authority_files "$1"
}

authority_files() { # NAME
    mkdir "$1.files"
    touch "$1.files/index.txt"
    # Random, so that the serial numbers of all authorities differ.
    echo "01$(openssl rand -hex 7)" >"$1.files/serial"
    echo 01 >"$1.files/crlnumber"
}

# sign AUTHORITY NAME EXTENSIONS COMMON_NAME [START END]: NAME.key becomes NAME.own.pem.
sign() {
    quietly openssl req -config openssl.cnf -new -sha256 -key "$2.key" -subj "/CN=$4" -out "$2.csr"
    AUTHORITY=$1.files quietly openssl ca -config openssl.cnf -batch -notext -in "$2.csr" -out "$2.own.pem" \
        -cert "$1.pem" -keyfile "$1.key" -extensions "$3" -md "${DIGEST:-sha256}" \
        -startdate "$(at "${5:--1 hour}")" -enddate "$(at "${6:-+2 days}")"
}

# server NAME AUTHORITY [ec|rsa|rsa-1024 [START END]]: a chain of its own certificate and its authority's.
server() {
    new_key "$1.key" "${3:-ec}"
    NAMES=${NAMES_OF_SERVER:-DNS:$1.localhost} sign "$2" "$1" "${EXTENSIONS:-server}" "${COMMON_NAME:-$1.localhost}" \
        "${4:--1 hour}" "${5:-+2 days}"
    cat "$1.own.pem" "$2.pem" >"$1.pem"
}

revoke() { # AUTHORITY NAME
    AUTHORITY=$1.files quietly openssl ca -config openssl.cnf -revoke "$2" -cert "$1.pem" -keyfile "$1.key"
}

# staple NAME SUBJECT AUTHORITY SIGNER: an OCSP response with AUTHORITY's status of SUBJECT's certificate.
staple() {
    quietly openssl ocsp -no_nonce -issuer "$3.pem" -cert "$2.own.pem" -reqout "$1.request"
    quietly openssl ocsp -index "$3.files/index.txt" -CA "$3.pem" -rsigner "$4.pem" -rkey "$4.key" \
        -reqin "$1.request" -respout "$1.ocsp" -ndays 2
}

# Authorities.
new_root root rsa
new_root foreign-root
for name in intermediate lapsed; do
    new_key "$name.key"
    sign root "$name" authority "$name"
    mv "$name.own.pem" "$name.pem"
    authority_files "$name"
done

# Servers.
server good-ec intermediate
server good-rsa intermediate rsa
server expired intermediate ec "-3 days" "-1 day"
server not-yet-valid intermediate ec "+1 day" "+2 days"
NAMES_OF_SERVER=DNS:elsewhere.test server wrong-host intermediate
server foreign foreign-root
server sent-along foreign-root
cat sent-along.own.pem good-ec.pem >sent-along.pem
for name in below-leaf:plain below-client:plain_client below-pathlen:last_authority; do
    issuer=${name%:*}-issuer
    new_key "$issuer.key"
    sign root "$issuer" "${name#*:}" "$issuer"
    mv "$issuer.own.pem" "$issuer.pem"
    authority_files "$issuer"
done
new_key below-pathlen-second.key
sign below-pathlen-issuer below-pathlen-second authority below-pathlen-second
mv below-pathlen-second.own.pem below-pathlen-second.pem
authority_files below-pathlen-second
for name in below-leaf below-client; do
    server "$name" "$name-issuer"
    cat "$name.own.pem" "$name-issuer.pem" root.pem >"$name.pem"
done
server below-pathlen below-pathlen-second
cat below-pathlen.own.pem below-pathlen-second.pem below-pathlen-issuer.pem root.pem >below-pathlen.pem
server missing-intermediate intermediate
cp missing-intermediate.own.pem missing-intermediate.pem
new_key self-signed.key
NAMES=DNS:self-signed.localhost quietly openssl req -config openssl.cnf -new -x509 -sha256 -days 2 \
    -key self-signed.key -subj /CN=self-signed.localhost -extensions server -out self-signed.pem
new_key wrong-purpose.key
NAMES=DNS:wrong-purpose.localhost sign intermediate wrong-purpose client wrong-purpose.localhost
cat wrong-purpose.own.pem intermediate.pem >wrong-purpose.pem
server tampered intermediate
quietly openssl x509 -in tampered.own.pem -outform DER -out tampered.der
# The last byte belongs to the signature.
python3 - <<'PYTHON'
import pathlib
file = pathlib.Path("tampered.der")
content = bytearray(file.read_bytes())
content[-1] ^= 1
file.write_bytes(content)
PYTHON
quietly openssl x509 -inform DER -in tampered.der -out tampered.own.pem
cat tampered.own.pem intermediate.pem >tampered.pem
server revoked intermediate
server revoked-authority lapsed
for name in stapled-good stapled-revoked stapled-delegated stapled-foreign stapled-other stapled-refusal; do
    server "$name" intermediate
done

# Weak keys and signatures; the root signs where RSA is needed, because ECDSA with MD5 does not exist.
server weak-key root rsa-1024
for digest in sha1 md5; do
    DIGEST=$digest server "$digest" root
done
for name in weak-key sha1 md5; do
    new_key "$name-authority.key" "$([[ $name == weak-key ]] && echo rsa-1024 || echo ec)"
    DIGEST=${name/weak-key/sha256} sign root "$name-authority" authority "$name-authority"
    mv "$name-authority.own.pem" "$name-authority.pem"
    authority_files "$name-authority"
    server "$name-above" "$name-authority"
done

# Names.
EXTENSIONS=nameless COMMON_NAME=elsewhere.test server no-names intermediate
EXTENSIONS=nameless server common-name intermediate
NAMES_OF_SERVER=email:common@mail-name.localhost server mail-name intermediate
NAMES_OF_SERVER='DNS:*.localhost' server top-wildcard intermediate
NAMES_OF_SERVER='DNS:pa*.below.localhost' server part.below intermediate
# A sequence of one dNSName, cut-name.localhost, NUL, .elsewhere.test, with the lengths of both.
cut_name=$(printf 'cut-name.localhost\0.elsewhere.test' | od -An -v -tx1 | tr -d ' \n')
NAMES_OF_SERVER=$(printf 'DER:30%02x82%02x%s' $((${#cut_name} / 2 + 2)) $((${#cut_name} / 2)) "$cut_name") \
    server cut-name intermediate
NAMES_OF_SERVER='DNS:*.wildcard.localhost' server below.wildcard intermediate
server xn--bcher-kva intermediate

# Revocation.
quietly env AUTHORITY=intermediate.files openssl ca -config openssl.cnf -gencrl -cert intermediate.pem \
    -keyfile intermediate.key -crl_lastupdate "$(at "-3 days")" -crl_nextupdate "$(at "-1 day")" -out stale.crl.pem
revoke intermediate revoked.own.pem
revoke intermediate stapled-revoked.own.pem
revoke root lapsed.pem
for name in root intermediate; do
    AUTHORITY=$name.files quietly openssl ca -config openssl.cnf -gencrl -cert "$name.pem" -keyfile "$name.key" \
        -out "$name.crl.pem"
done
new_key responder.key
sign intermediate responder responder responder
mv responder.own.pem responder.pem
staple stapled-good stapled-good intermediate intermediate
staple stapled-revoked stapled-revoked intermediate intermediate
staple stapled-delegated stapled-delegated intermediate responder
staple stapled-foreign stapled-foreign intermediate foreign-root
staple stapled-other good-ec intermediate intermediate
# The response is only the error "unauthorized" (RFC 6960 section 4.2.1).
printf '\x30\x03\x0a\x01\x06' >stapled-refusal.ocsp

# Clients.
for name in client client-rsa; do
    new_key "$name.key" "$([[ $name == client-rsa ]] && echo rsa || echo ec)"
    NAMES=DNS:client.test sign intermediate "$name" client "$name"
    cat "$name.own.pem" intermediate.pem >"$name.pem"
    quietly openssl pkcs12 -export -in "$name.own.pem" -inkey "$name.key" -certfile intermediate.pem \
        -passout pass:secret -out "$name.p12"
done
quietly openssl pkcs12 -export -nomac -in client.own.pem -inkey client.key -certfile intermediate.pem -passout pass:secret \
    -out client-no-mac.p12
quietly openssl pkcs12 -export -legacy -in client.own.pem -inkey client.key -passout pass:secret -out client-old.p12 ||
    rm -f client-old.p12
quietly openssl pkey -in client.key -aes256 -passout pass:secret -out client-encrypted.key
new_key foreign-client.key
NAMES=DNS:client.test sign foreign-root foreign-client client foreign-client
cat foreign-client.own.pem foreign-root.pem >foreign-client.pem

# The authorities' keys are removed, since they sign nothing else.
rm -rf ./*.files below-*-issuer.key below-pathlen-second.key root.key intermediate.key lapsed.key foreign-root.key {weak-key,sha1,md5}-authority.key \
    responder.* ./*.csr ./*.request ./*.own.pem \
    ./*.der openssl.cnf log
mkdir servers clients
mv client.* client-* foreign-client.* clients
for key in *.key; do
    name=${key%.key}
    mv "$name.pem" "$key" servers
    if [[ -e $name.ocsp ]]; then mv "$name.ocsp" servers; fi
done
