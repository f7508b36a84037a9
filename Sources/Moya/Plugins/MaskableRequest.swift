import MoyaSession
import MoyaTransport

/// A request whose curl command is masked before it is quoted for the shell.
protocol MaskableRequest: RequestType {
    /// Calls a handler with the curl command, masked by a mask.
    func describeAsCURL(mask: SecretMask, calling handler: @escaping @Sendable (String) -> Void)
}

extension Request: MaskableRequest {
    func describeAsCURL(mask: SecretMask, calling handler: @escaping @Sendable (String) -> Void) {
        cURLDescription(mask: mask, calling: handler)
    }
}
