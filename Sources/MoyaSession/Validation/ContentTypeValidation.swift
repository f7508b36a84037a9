/// Accepts or refuses a response by its `Content-Type`.
package enum ContentTypeValidation {
    /// Returns when one of the acceptable ranges holds the type; a response of no bytes has to be let pass before.
    ///
    /// - Parameters:
    ///   - contentType: The value of the field, parameters and all; `nil` when there is none, which only `*/*` accepts.
    ///   - acceptable: Types or ranges of types; none are acceptable when it is empty.
    /// - Throws: `missingContentType` or `unacceptableContentType` as the reason of
    ///   ``SessionError/responseValidationFailed(reason:)``, with the ranges in ascending order.
    package static func validate(_ contentType: String?, acceptable: [String]) throws(SessionError) {
        if MIMETypePattern.isAcceptable(contentType: contentType ?? "", by: acceptable) { return }
        throw refusal(of: contentType, acceptable: acceptable)
    }

    /// Returns when the request's `Accept` holds the type; a response of no bytes has to be let pass before.
    ///
    /// - Parameters:
    ///   - contentType: The value of the field, parameters and all; `nil` when there is none, which only `*/*` accepts.
    ///   - accept: The value of the field; `nil`, or no range in it, accepts everything.
    /// - Throws: As ``validate(_:acceptable:)`` does.
    package static func validate(_ contentType: String?, accept: String?) throws(SessionError) {
        guard let accept, !MIMETypePattern.isAcceptable(contentType: contentType ?? "", byAccept: accept) else {
            return
        }
        throw refusal(of: contentType, acceptable: MIMETypePattern.ranges(inAccept: accept))
    }

    private static func refusal(of contentType: String?, acceptable: [String]) -> SessionError {
        let acceptable = acceptable.sorted()
        guard let contentType else {
            return .responseValidationFailed(reason: .missingContentType(acceptableContentTypes: acceptable))
        }
        return .responseValidationFailed(
            reason: .unacceptableContentType(
                acceptableContentTypes: acceptable,
                responseContentType: MIMETypePattern(contentType)?.description ?? contentType))
    }
}
