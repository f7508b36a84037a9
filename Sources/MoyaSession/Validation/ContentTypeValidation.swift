/// Accepts or refuses a response by its `Content-Type`.
package enum ContentTypeValidation {
    /// Returns if one of the acceptable ranges contains the type; the caller has to accept an empty response before.
    ///
    /// - Parameters:
    ///   - contentType: The value of the field with parameters; `nil` if it is missing, which only `*/*` accepts.
    ///   - acceptable: Types or ranges of types; nothing is acceptable if it is empty.
    /// - Throws: `missingContentType` or `unacceptableContentType` as the reason of
    ///   ``SessionError/responseValidationFailed(reason:)``, with the ranges in ascending order.
    package static func validate(_ contentType: String?, acceptable: [String]) throws(SessionError) {
        if MIMETypePattern.isAcceptable(contentType: contentType ?? "", by: acceptable) { return }
        throw refusal(of: contentType, acceptable: acceptable)
    }

    /// Returns if the request's `Accept` contains the type; the caller has to accept an empty response before.
    ///
    /// - Parameters:
    ///   - contentType: The value of the field with parameters; `nil` if it is missing, which only `*/*` accepts.
    ///   - accept: The value of the field; `nil`, or a value without ranges, accepts everything.
    /// - Throws: The errors of ``validate(_:acceptable:)``.
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
