extension DataStreamRequest.Completion: MaskedDescription {
    /// The request line, the status code and the error, with secrets masked.
    public var description: String {
        let failure = error.map { ", \(SecretMask.standard.text(describing: $0))" } ?? ""
        return "Completion(\(responseText(request, response))\(failure))"
    }
}

// The parts may be text of a body.
extension DataStreamRequest.Stream: OpaqueReflection {}
extension DataStreamRequest.Event: OpaqueReflection {}
extension DataStream: OpaqueReflection {}
