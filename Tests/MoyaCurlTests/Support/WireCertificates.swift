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
}
