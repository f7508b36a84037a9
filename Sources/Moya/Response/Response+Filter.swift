extension Response {
    /// Returns the response if its status code is in the range.
    ///
    /// - Throws: `MoyaError.statusCode`.
    public func filter<R: RangeExpression>(statusCodes: R) throws(MoyaError) -> Response where R.Bound == Int {
        guard statusCodes.contains(statusCode) else { throw MoyaError.statusCode(self) }
        return self
    }

    /// Returns the response if it has the status code.
    ///
    /// - Throws: `MoyaError.statusCode`.
    public func filter(statusCode: Int) throws(MoyaError) -> Response {
        try filter(statusCodes: statusCode...statusCode)
    }

    /// Returns the response if its status code is from 200 to 299.
    ///
    /// - Throws: `MoyaError.statusCode`.
    public func filterSuccessfulStatusCodes() throws(MoyaError) -> Response { try filter(statusCodes: 200...299) }

    /// Returns the response if its status code is from 200 to 399.
    ///
    /// - Throws: `MoyaError.statusCode`.
    public func filterSuccessfulStatusAndRedirectCodes() throws(MoyaError) -> Response {
        try filter(statusCodes: 200...399)
    }
}
