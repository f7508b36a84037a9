import Foundation

/// The operators of the reactive adapters on each response of a stream.
///
/// Every operator is defined once here; each adapter adds one line that returns its own stream type. A new mapping of
/// ``Response`` needs one line here, and one in each adapter.
package struct ResponseOperator<Output> {
    /// Makes the output, or throws the error that ends the stream.
    package let apply: (Response) throws(MoyaError) -> Output
}

extension ResponseOperator where Output == Response {
    /// See ``Response/filter(statusCodes:)``.
    package static func filter<R: RangeExpression>(statusCodes: R) -> Self where R.Bound == Int {
        Self { response throws(MoyaError) in try response.filter(statusCodes: statusCodes) }
    }

    /// See ``Response/filter(statusCode:)``.
    package static func filter(statusCode: Int) -> Self {
        Self { response throws(MoyaError) in try response.filter(statusCode: statusCode) }
    }

    /// See ``Response/filterSuccessfulStatusCodes()``.
    package static var filterSuccessfulStatusCodes: Self {
        Self { response throws(MoyaError) in try response.filterSuccessfulStatusCodes() }
    }

    /// See ``Response/filterSuccessfulStatusAndRedirectCodes()``.
    package static var filterSuccessfulStatusAndRedirectCodes: Self {
        Self { response throws(MoyaError) in try response.filterSuccessfulStatusAndRedirectCodes() }
    }
}

extension ResponseOperator {
    /// See ``Response/mapImage()``.
    package static func mapImage() -> Self where Output == Image {
        Self { response throws(MoyaError) in try response.mapImage() }
    }

    /// See ``Response/mapJSON(failsOnEmptyData:)``.
    package static func mapJSON(failsOnEmptyData: Bool) -> Self where Output == Any {
        Self { response throws(MoyaError) in try response.mapJSON(failsOnEmptyData: failsOnEmptyData) }
    }

    /// See ``Response/mapString(atKeyPath:)``.
    package static func mapString(atKeyPath keyPath: String?) -> Self where Output == String {
        Self { response throws(MoyaError) in try response.mapString(atKeyPath: keyPath) }
    }

    /// See ``Response/map(_:atKeyPath:using:failsOnEmptyData:)``.
    package static func map(
        _ type: Output.Type, atKeyPath keyPath: String?, using decoder: JSONDecoder, failsOnEmptyData: Bool
    ) -> Self where Output: Decodable {
        Self { response throws(MoyaError) in
            try response.map(type, atKeyPath: keyPath, using: decoder, failsOnEmptyData: failsOnEmptyData)
        }
    }
}

extension ProgressResponse {
    /// ``progress``, in every event except the one with the response.
    package var progressUntilCompleted: Double? { completed ? nil : progress }
}
