/// The errors of Moya 7 by their names, for code that throws them. A `case` pattern needs today's names, for Swift lets
/// a pattern name nothing but a case.
extension MoyaError {
    /// ``imageMapping(_:)``, as it was called up to Moya 7.
    @available(*, deprecated, renamed: "imageMapping(_:)")
    public static func ImageMapping(_ response: Response) -> MoyaError { .imageMapping(response) }

    /// ``jsonMapping(_:)``, as it was called up to Moya 7.
    @available(*, deprecated, renamed: "jsonMapping(_:)")
    public static func JSONMapping(_ response: Response) -> MoyaError { .jsonMapping(response) }

    /// ``stringMapping(_:)``, as it was called up to Moya 7.
    @available(*, deprecated, renamed: "stringMapping(_:)")
    public static func StringMapping(_ response: Response) -> MoyaError { .stringMapping(response) }

    /// ``statusCode(_:)``, as it was called up to Moya 7.
    @available(*, deprecated, renamed: "statusCode(_:)")
    public static func StatusCode(_ response: Response) -> MoyaError { .statusCode(response) }

    /// ``underlying(_:_:)`` without a response, as it was called up to Moya 7.
    @available(*, deprecated, message: "Write .underlying(error, nil)")
    public static func Underlying(_ error: any Error) -> MoyaError { .underlying(error, nil) }

    /// ``underlying(_:_:)`` without a response, as it was up to Moya 8.
    @available(*, deprecated, message: "Write .underlying(error, nil)")
    public static func underlying(_ error: any Error) -> MoyaError { .underlying(error, nil) }
}
