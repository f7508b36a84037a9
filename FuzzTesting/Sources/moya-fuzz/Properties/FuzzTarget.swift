/// A parser of untrusted input, and the properties that hold for any bytes.
struct FuzzTarget: Sendable {
    /// Names the target on the command line, and its folders in `Corpus` and `Failures`.
    let name: String
    /// Throws if a property is violated.
    let check: @Sendable ([UInt8]) throws -> Void

    static let all: [FuzzTarget] = [
        FuzzTarget(name: "response-head", check: checkResponseHead),
        FuzzTarget(name: "media-type", check: checkMediaType),
        FuzzTarget(name: "cookie", check: checkCookie),
        FuzzTarget(name: "cookie-date", check: checkCookieDate),
        FuzzTarget(name: "retry-after", check: checkRetryAfter),
        FuzzTarget(name: "multipart", check: checkMultipart),
        FuzzTarget(name: "redirect", check: checkRedirect),
        FuzzTarget(name: "json-key-path", check: checkJSONKeyPath),
        FuzzTarget(name: "image-header", check: checkImageHeader),
        FuzzTarget(name: "form", check: checkForm),
        FuzzTarget(name: "log-mask", check: checkLogMask),
        FuzzTarget(name: "challenge", check: checkChallenge),
        FuzzTarget(name: "file-name", check: checkFileName),
        FuzzTarget(name: "resume-data", check: checkResumeData),
        FuzzTarget(name: "certificate", check: checkCertificate),
        FuzzTarget(name: "netlink", check: checkNetlink),
        FuzzTarget(name: "host", check: checkHost),
        FuzzTarget(name: "cache-control", check: checkCacheControl),
        FuzzTarget(name: "no-vary-search", check: checkNoVarySearch),
        FuzzTarget(name: "cache-record", check: checkCacheRecord),
        FuzzTarget(name: "content-decoder", check: checkContentDecoder),
        FuzzTarget(name: "secret-name", check: checkSecretName),
        FuzzTarget(name: "duration", check: checkDuration),
        FuzzTarget(name: "authorities", check: checkAuthorities),
        FuzzTarget(name: "lines", check: checkLines),
        FuzzTarget(name: "server-sent-events", check: checkEvents),
        FuzzTarget(name: "json-lines", check: checkJSONLines),
    ]
}

/// A violated property.
struct Violation: Error, CustomStringConvertible {
    let description: String
}

/// Throws a text if a property is violated.
func expect(_ holds: Bool, _ text: @autoclosure () -> String) throws(Violation) {
    guard holds else { throw Violation(description: text()) }
}
