#if HTTPTypes
public import HTTPTypes
public import MoyaSession
public import MoyaTransport

extension HTTPTypes.HTTPResponse {
    /// Makes a response from a head.
    ///
    /// - Throws: ``HTTPTypesConversionError/invalidStatus(_:)``.
    public init(_ head: TransportResponseHead) throws(HTTPTypesConversionError) {
        guard (0...999).contains(head.status) else { throw .invalidStatus(head.status) }
        self.init(
            status: Status(code: head.status), headerFields: HTTPTypes.HTTPFields(received: head.fields))
    }

    /// Makes a response from the head of a stream.
    ///
    /// - Throws: ``HTTPTypesConversionError/invalidStatus(_:)``.
    public init(_ stream: DataStream) throws(HTTPTypesConversionError) {
        try self.init(stream.transportHead ?? TransportResponseHead(status: stream.statusCode))
    }
}

extension TransportResponseHead {
    /// Makes a head from a response of swift-http-types, which has no version.
    public init(_ response: HTTPTypes.HTTPResponse, version: String = "HTTP/1.1") {
        self.init(
            status: response.status.code, version: version,
            fields: [MoyaTransport.HTTPField](response.headerFields))
    }
}
#endif
