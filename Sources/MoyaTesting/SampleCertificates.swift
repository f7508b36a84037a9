package import Foundation

/// Certificates that are valid until the next century, so that no test depends on a date; their keys are not kept.
package enum SampleCertificates {
    /// An authority, with an EC key.
    package static let root = Data(
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
    package static let leaf = Data(
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

    /// The public key of that certificate.
    package static let leafKey = Data(
        """
        -----BEGIN PUBLIC KEY-----
        MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEpJBNVMTlccSVSHPUNCqdDEcnzjOW
        rwNBU9U4leErviY38CIzwviSPBcEsYIEgMiTi0+/QHcYbf654ZK/N3A4uA==
        -----END PUBLIC KEY-----

        """.utf8)

    /// A self-signed certificate with an RSA key.
    package static let rsa = Data(
        """
        -----BEGIN CERTIFICATE-----
        MIIDDTCCAfWgAwIBAgIUWXp7U6yATAIcnkO3gdAWSK1ZBv8wDQYJKoZIhvcNAQEL
        BQAwFTETMBEGA1UEAwwKU2FtcGxlIFJTQTAgFw0yNjExMjExMDI0NDJaGA8yMTI2
        MTAyODEwMjQ0MlowFTETMBEGA1UEAwwKU2FtcGxlIFJTQTCCASIwDQYJKoZIhvcN
        AQEBBQADggEPADCCAQoCggEBAMFxLxba5zfvfUptRlpZucmcZeOQIUgKQ8jqedY2
        ke/UCK9xEoxG2L1jCnSL99bV0TSbvLPoCIVrT0zOZzPF5QnzK7pdNPb8tz/4HaoW
        N8D5jGBfqgT8M0YsGIOfTbQ1NyYJWbW+ER5DYq8iRWsU7gxdkF0D56ePj5MyEsjs
        EgeI+8SoXvINRWJs8yRYXksckeGJp6itJFXDJ9Y11YIt2i3dnOMU2EiZ1ZZEwh7q
        sd8eA11Yh19dgBnkMVSFAIle7UnQX8D0pzzJaSnwtytpQHmCqBE5hDJ2NTKpI3ew
        XCMDCilWe/2ry2Yt2G1GW866zx5P3oLuHM73VFXt3SqUffUCAwEAAaNTMFEwHQYD
        VR0OBBYEFCAQuOnFwQOpAOo9dOitvTG9lT9UMB8GA1UdIwQYMBaAFCAQuOnFwQOp
        AOo9dOitvTG9lT9UMA8GA1UdEwEB/wQFMAMBAf8wDQYJKoZIhvcNAQELBQADggEB
        AHeYsrzumH8vECNPbXWq4Z1gdycT49YcNmZ7SPyp4QQodaVLckU82batDTc2fL7b
        /Ihbl2ro11x3PrzN59XoR5gU8UX+CyEcoEXMeryJ2t3Cd7ioL2BOnlRn+Rg4ANiC
        knlsK6bITQlyJ+u61ZbdxQcfS+0sjscxuEn6rwyOiGSzAg243cczeX9yMEbVrLeO
        fIdUOXVcAMu+Cuq43cVAlc5KoNe+3dBtQvV0kAL9APAt7tnDuwG3FfbQfWp1Qz8J
        BRh8ljmHA7V2B/NK7I6ANsgYfxSEfg1oZzlRFMysqz1d+379kskosLLQm7+Cxl9K
        sBo5WbEQG++gxDp3IdvLXJY=
        -----END CERTIFICATE-----

        """.utf8)

    /// The public key of that certificate.
    package static let rsaKey = Data(
        """
        -----BEGIN PUBLIC KEY-----
        MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAwXEvFtrnN+99Sm1GWlm5
        yZxl45AhSApDyOp51jaR79QIr3ESjEbYvWMKdIv31tXRNJu8s+gIhWtPTM5nM8Xl
        CfMrul009vy3P/gdqhY3wPmMYF+qBPwzRiwYg59NtDU3JglZtb4RHkNiryJFaxTu
        DF2QXQPnp4+PkzISyOwSB4j7xKhe8g1FYmzzJFheSxyR4YmnqK0kVcMn1jXVgi3a
        Ld2c4xTYSJnVlkTCHuqx3x4DXViHX12AGeQxVIUAiV7tSdBfwPSnPMlpKfC3K2lA
        eYKoETmEMnY1Mqkjd7BcIwMKKVZ7/avLZi3YbUZbzrrPHk/egu4czvdUVe3dKpR9
        9QIDAQAB
        -----END PUBLIC KEY-----

        """.utf8)

    /// An empty list of the authority's.
    package static let revocationList = Data(
        """
        -----BEGIN X509 CRL-----
        MIGvMFcCAQEwCgYIKoZIzj0EAwIwFjEUMBIGA1UEAwwLU2FtcGxlIHJvb3QXDTI2
        MTEyMTEwMjQ0MloYDzIxMjYxMDI4MTAyNDQyWqAOMAwwCgYDVR0UBAMCAQEwCgYI
        KoZIzj0EAwIDSAAwRQIhAKSZjKN7qn4X4WZasTZ3AycY8/X8euh05Cz9nRAVLCxv
        AiA8PuLdsk3o93lrNJSwN20I2WiqNYg+e+MGo7fUx8TRTg==
        -----END X509 CRL-----

        """.utf8)

    /// The authority in a block that is encrypted (RFC 1421 section 4.6) with the password `marker`.
    package static let encrypted = Data(
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
