public import Foundation
public import MoyaSession

/// An error that prevents a call of a target.
public enum TargetError: Error, Sendable, Hashable {
    /// A multipart form has no parts.
    case emptyMultipart
    /// The method does not send a multipart form.
    case multipartMethod(HTTPMethod)
    /// The body of a composite task has a `URLEncoding` that does not write to the body.
    case compositeEncodingNotInBody
    /// A stub was requested with a behaviour that does not stub.
    case stubBehaviorIsNever
}

extension TargetError: LocalizedError {
    /// Names the problem and its remedy.
    public var errorDescription: String? {
        switch self {
        case .emptyMultipart:
            "The target's multipart form has no parts: give its task at least one MultipartFormData."
        case .multipartMethod(let method):
            "\(method.rawValue) does not send a multipart form: let the target's method be POST, PUT or PATCH."
        case .compositeEncodingNotInBody:
            "The bodyEncoding of requestCompositeParameters does not write to the body: use URLEncoding.httpBody or JSONEncoding."
        case .stubBehaviorIsNever:
            "stubRequest was called with .never, which stubs nothing: use .immediate or .delayed(seconds:)."
        }
    }
}
