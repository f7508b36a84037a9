import MoyaSession

extension Request: RequestType {
    /// The fields that the session adds to requests that do not set them.
    public var sessionHeaders: [String: String] {
        Dictionary(sessionFields.map { ($0.name, $0.value) }, uniquingKeysWith: { _, last in last })
    }
}
