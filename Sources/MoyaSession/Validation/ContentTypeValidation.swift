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
        let acceptable = acceptable.sorted()
        guard let contentType else {
            throw .responseValidationFailed(reason: .missingContentType(acceptableContentTypes: acceptable))
        }
        throw .responseValidationFailed(
            reason: .unacceptableContentType(
                acceptableContentTypes: acceptable,
                responseContentType: MIMETypePattern(contentType)?.description ?? contentType))
    }
}
