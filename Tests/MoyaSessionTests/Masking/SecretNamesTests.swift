import MoyaTransport
import Testing

@Suite struct SecretNamesTests {
    @Test(arguments: [
        "pwd", "pass", "pin", "cvv", "ssn", "code", "state", "sig", "key", "sid", "auth", "assertion", "ticket",
        "X-Api-Key",
        "token", "access_token", "accessToken", "ACCESSTOKEN", "id_token_hint", "mypassword", "newPassword2", "passwd",
        "userPIN", "pin_code", "otp", "totp", "clientSecret", "client_assertion", "code_verifier", "authCode",
        "authorization_code", "security-code", "PHPSESSID", "JSESSIONID", "connect.sid", "ASP.NET_SessionId", "csrf",
        "X-CSRF-Token", "XSRF-TOKEN", "Authorization", "proxy-authorization", "Cookie", "Set-Cookie", "jwt",
        "SAMLResponse",
        "user[password]", "data.code", "card[cvc]", "APIKey", "apikey", "api_key", "xapikey", "api-keys",
        "PRIVATE-TOKEN",
        "DPoP",
        // Amazon
        "X-Amz-Signature", "X-Amz-Security-Token", "X-Amz-Credential", "AWSAccessKeyId", "aws_secret_access_key",
        "x-amz-server-side-encryption-customer-key",
        // Azure
        "sig", "Ocp-Apim-Subscription-Key", "x-functions-key", "AccountKey", "SharedAccessKey", "SharedAccessSignature",
        "aeg-sas-key", "subscription-key", "primaryKey",
        // Google
        "X-Goog-Signature", "X-Goog-Credential", "X-Goog-Api-Key",
        // Shopify, GitHub, others
        "X-Shopify-Access-Token", "X-Shopify-Hmac-Sha256", "hmac", "X-GitHub-Token", "X-GitHub-OTP",
        "X-Hub-Signature-256",
        "Stripe-Signature", "X-Vault-Token", "consumer_key", "X-Authentication", "authentication", "X-Tenant-Key",
        "X-Team-Key", "x-2-key", "sessionkey", "aes_key", "encKey", "macKey", "cipherkey", "pgp_key",
        "key1", "key_1", "user[key2]", "state1", "keyString", "connectionString", "connection_string", "keyMaterial",
        "SecureString", "X-Amzn-Oidc-Data", "privKey", "presharedkey", "preSharedKey", "dbpwd", "userpwd", "userpass",
        "dbpass", "pswd",
    ]) func knowsTheNamesOfSecrets(name: String) {
        #expect(SecretNames.contains(name))
        #expect(
            SecretNames.contains(name.uppercased())
                || name.contains { $0.isLowercase } && name.contains { $0.isUppercase })
    }

    @Test(arguments: [
        "APIkey", "X-APIkey", "SSHkey", "SASkey", "AWSaccessKey", "DBpwd", "SMTPpass", "CSRFcookie", "SMScode",
    ])
    func splitsAnAbbreviationBeforeSmallLetters(name: String) {
        #expect(SecretNames.contains(name))
    }

    @Test(arguments: [
        "keyboard", "monkey", "author", "authority", "pinned", "encode", "decode", "barcode", "statusCode",
        "country_code",
        "zipCode", "Status-Code", "spinner", "shopping", "passage", "compass", "bypassed", "design", "assign", "signal",
        "footprint", "hotplate", "inside", "beside", "estate", "statement", "united-states", "keynote", "Content-Type",
        "Accept", "User-Agent", "ETag", "Idempotency-Key", "Sec-WebSocket-Key", "Surrogate-Key",
        "X-Idempotency-Key", "sortKey", "sort-key", "X-Monkey", "X-Keyboard", "-key", "authenticate", "Cache-Control",
        "name", "id", "page", "monkey1", "keyboard2", "string", "material", "data", "country_code2", "bypass",
        "surpass",
        "client_id", "username", "email", "value", "X-Request-Id", "", "-", "1234", "é",
    ]) func leavesOtherNamesReadable(name: String) {
        #expect(!SecretNames.contains(name))
    }
}
