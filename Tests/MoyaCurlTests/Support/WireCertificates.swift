import Foundation

/// Certificates that are valid until the next century, so that no test depends on a date; their keys are not kept.
enum WireCertificates {
    /// An authority, with an EC key.
    static let root = Data(
        """
        -----BEGIN CERTIFICATE-----
        MIIBkzCCATmgAwIBAgIUcvnyz4dPYp+uaSYowXGgRcPhkZAwCgYIKoZIzj0EAwIw
        FjEUMBIGA1UEAwwLU2FtcGxlIHJvb3QwIBcNMjYxMTIxMTAyNDQyWhgPMjEyNjEw
        MjgxMDI0NDJaMBYxFDASBgNVBAMMC1NhbXBsZSByb290MFkwEwYHKoZIzj0CAQYI
        KoZIzj0DAQcDQgAElkKHqb3crtB5rpe61EtrH+yC9/8A93XK9G5uAIHHvga0fzd2
        1LrOyi22TOoeUWuGrpUSOeaDYbEHS6Bnc3BjpKNjMGEwHQYDVR0OBBYEFNfuLbLr
        /apFVZAV1dGnrRCjLBjqMB8GA1UdIwQYMBaAFNfuLbLr/apFVZAV1dGnrRCjLBjq
        MA8GA1UdEwEB/wQFMAMBAf8wDgYDVR0PAQH/BAQDAgEGMAoGCCqGSM49BAMCA0gA
        MEUCIEcP6GnT6C5bB49isTM4KO3u0IkHNKxpsmVrymwauY4SAiEA0Mzhxs3BT36V
        Bh2tO7RimDeD9+YIppHnrz4n8G6/VF0=
        -----END CERTIFICATE-----

        """.utf8)

    /// The certificate of `sample.test`, from that authority, with an EC key.
    static let leaf = Data(
        """
        -----BEGIN CERTIFICATE-----
        MIIBmzCCAUCgAwIBAgIBAjAKBggqhkjOPQQDAjAWMRQwEgYDVQQDDAtTYW1wbGUg
        cm9vdDAgFw0yNjExMjExMDI0NDJaGA8yMTI2MTAyODEwMjQ0MlowFjEUMBIGA1UE
        AwwLc2FtcGxlLnRlc3QwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAASkkE1UxOVx
        xJVIc9Q0Kp0MRyfOM5avA0FT1TiV4Su+JjfwIjPC+JI8FwSxggSAyJOLT79Adxht
        /rnhkr83cDi4o30wezAMBgNVHRMBAf8EAjAAMBYGA1UdEQQPMA2CC3NhbXBsZS50
        ZXN0MBMGA1UdJQQMMAoGCCsGAQUFBwMBMB0GA1UdDgQWBBTG2FUOemjTlCSWCwRB
        kxhzZ0SzqDAfBgNVHSMEGDAWgBTX7i2y6/2qRVWQFdXRp60QoywY6jAKBggqhkjO
        PQQDAgNJADBGAiEAoy+OYQPqKQgVCyrEJXB9J5QsvZD9+jSzNzL3uNtAFFoCIQDn
        b7wQi7CZ0ZNvwdsF7konsbTECyYZCHo3HCXBAV1Izg==
        -----END CERTIFICATE-----

        """.utf8)

    /// The authority in a block that is encrypted (RFC 1421 section 4.6) with the password `marker`.
    static let encrypted = Data(
        """
        -----BEGIN CERTIFICATE-----
        Proc-Type: 4,ENCRYPTED
        DEK-Info: AES-256-CBC,00112233445566778899AABBCCDDEEFF

        g4uLc9W8VSJx95S2Jyv3rC5eyO7RZ3WA8395XnSS/JpQmG0zCXbiEXK4ALSlcnMQ
        G0Egx1+cTsxT8cVj7OT5Qwq0rSsKJwD/z49dYIx0aj20VPQbuviAn4em7C+NslrZ
        51yOUS2k+GlAJktqXIFhEb4/0F3VTyrXNwmjF7sOozdJfHzwIH7GeTfq7d1NSLg/
        ediTMEvP2kv5ccIXtqTsNuU7wH2EUqbLr0C3edZ+27o3vmqlpugXhTEu8HgJzloC
        cvaAAaTU3MyBFXcAl/2wvcpObI+jhHT+h14sM3xIC8vkkDZ8acLThgaPeSDFP9Xj
        TNaSqMBnSJzNxAMReyH/84uyu8DOfJyMxmsUs7jkF8349w6i26QTbnKBYoM/BBZJ
        dzz1/EINXbL9UoxipppoYZMwjpIAWNbnm8lMAhjprH/HhPm1CFn1T4l3XzHNtq/K
        fS9UNEQvkJjZFi+gKApr2d1oq91E9yy3GKgoE5RVfhIabeqkZPw6WqtOAM/o/UJ8
        gefHsWYODgikFKURJ0NVVFomWkMfCH6OHrToOikVATc=
        -----END CERTIFICATE-----

        """.utf8)
}
