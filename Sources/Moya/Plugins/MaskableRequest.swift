import MoyaSession
import MoyaTransport

/// A request whose curl command is masked before it is quoted for the shell.
protocol MaskableRequest: RequestType {
    /// The names, in lower case, of the fields that are credentials because the app or an interceptor says so.
    var declaredCredentials: Set<String> { get }

    /// Calls a handler with the curl command, masked by a mask.
    @discardableResult
    func cURLDescription(mask: SecretMask, calling handler: @escaping @Sendable (String) -> Void) -> Self
}

extension Request: MaskableRequest {}
