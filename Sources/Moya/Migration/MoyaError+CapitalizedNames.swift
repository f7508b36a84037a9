/// The errors of Moya 7 under their old names, for code that throws them. A `case` pattern needs the current names,
/// since in Swift a pattern can only name a case.
extension MoyaError {
    /// The name of ``imageMapping(_:)`` up to Moya 7.
    @available(*, deprecated, renamed: "imageMapping(_:)")
    public static func ImageMapping(_ response: Response) -> MoyaError { .imageMapping(response) }

    /// The name of ``jsonMapping(_:)`` up to Moya 7.
    @available(*, deprecated, renamed: "jsonMapping(_:)")
    public static func JSONMapping(_ response: Response) -> MoyaError { .jsonMapping(response) }

    /// The name of ``stringMapping(_:)`` up to Moya 7.
    @available(*, deprecated, renamed: "stringMapping(_:)")
    public static func StringMapping(_ response: Response) -> MoyaError { .stringMapping(response) }

    /// The name of ``statusCode(_:)`` up to Moya 7.
    @available(*, deprecated, renamed: "statusCode(_:)")
    public static func StatusCode(_ response: Response) -> MoyaError { .statusCode(response) }

    /// The name of ``underlying(_:_:)`` without a response up to Moya 7.
    @available(*, deprecated, message: "Write .underlying(error, nil)")
    public static func Underlying(_ error: any Error) -> MoyaError { .underlying(error, nil) }

    /// The form of ``underlying(_:_:)`` without a response up to Moya 8.
    @available(*, deprecated, message: "Write .underlying(error, nil)")
    public static func underlying(_ error: any Error) -> MoyaError { .underlying(error, nil) }
}
