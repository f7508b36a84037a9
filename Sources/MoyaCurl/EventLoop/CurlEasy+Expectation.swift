#if os(Linux)
import CMoyaCurl
import MoyaTransport

/// A request with the field Expect, whose body waits for the consent of the server (RFC 9110 section 10.1.1).
extension CurlEasy {
    /// `true` if nothing of the body was sent, since the server was asked to agree first.
    var isWaitingToContinue: Bool { fields.expects && body.length != 0 && sentBytes == 0 && !isBodyRead }

    /// Returns if a 417 refuses the field, and makes the request start again without it, or fail.
    ///
    /// libcurl would discard the body of the 417, and send the request again with the field.
    func refusesExpectation() -> Bool {
        guard fields.expects, !head.isOfStream else { return false }
        isExpectationRefused = body.seek(to: 0)
        // After the whole body, libcurl accepts the response.
        if !isExpectationRefused, !isBodyRead { ownFailure = .refusedExpectation }
        return isExpectationRefused || ownFailure != nil
    }

    /// Removes the field from the request before it starts again.
    func dropExpectation() {
        fields.dropExpect()
        moya_easy_set_pointer(easy, CURLOPT_HTTPHEADER, fields.linked)
    }
}

extension TransportFailure {
    /// The failure of a request whose Expect was refused after a part of a body that can be read once.
    static let refusedExpectation = TransportFailure(
        .reset,
        message: "The server refused the field Expect with the status 417, and the body, of which a part was sent, can"
            + " be read only once. Send the request without Expect.")
}
#endif
