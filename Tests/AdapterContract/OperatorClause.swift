import Foundation
import Moya

/// The requirements on every adapter's operators on the responses of a stream.
package enum OperatorClause: String, CaseIterable, Sendable {
    // Filters
    case closedRangePassesWhatIsInItOnly
    case halfOpenRangePassesWhatIsInItOnly
    case successPasses200And299Only
    case successAndRedirectPasses200And304Only
    case singleCodePassesItselfOnly

    // Images, JSON, strings
    case imageIsMapped
    case emptyImageIsAnImageMappingError
    case jsonIsMapped
    case malformedJSONIsAJSONMappingError
    case emptyJSONFailsUnlessAllowed
    case stringIsMapped
    case stringAtAKeyPathIsMapped
    case invalidUTF8IsAStringMappingError

    // Objects
    case objectIsDecodedWithTheDecodersStrategy
    case arrayIsDecodedWithTheDecodersStrategy
    case emptyBodyGivesAnEmptyObjectWhenAllowed
    case emptyBodyGivesAnArrayOfOneEmptyObjectWhenAllowed
    case objectAtAKeyPathIsDecoded
    case arrayAtAKeyPathIsDecoded
    case scalarsAtAKeyPathAreDecoded
    case scalarsOfAnotherTypeAreObjectMappingErrors
    case undecodableBodyIsAnObjectMappingErrorOfTheDecoder

    /// Checks the operators of an adapter.
    ///
    /// - Throws: ``Violation``.
    package func check(_ adapter: some OperatorAdapter) throws {
        let contract = OperatorContract(adapter: adapter)
        switch self {
        case .closedRangePassesWhatIsInItOnly: try contract.closedRange()
        case .halfOpenRangePassesWhatIsInItOnly: try contract.halfOpenRange()
        case .successPasses200And299Only: try contract.success()
        case .successAndRedirectPasses200And304Only: try contract.successAndRedirect()
        case .singleCodePassesItselfOnly: try contract.singleCode()
        case .imageIsMapped: try contract.image()
        case .emptyImageIsAnImageMappingError: try contract.emptyImage()
        case .jsonIsMapped: try contract.json()
        case .malformedJSONIsAJSONMappingError: try contract.malformedJSON()
        case .emptyJSONFailsUnlessAllowed: try contract.emptyJSON()
        case .stringIsMapped: try contract.string()
        case .stringAtAKeyPathIsMapped: try contract.stringAtAKeyPath()
        case .invalidUTF8IsAStringMappingError: try contract.invalidUTF8()
        case .objectIsDecodedWithTheDecodersStrategy: try contract.object()
        case .arrayIsDecodedWithTheDecodersStrategy: try contract.array()
        case .emptyBodyGivesAnEmptyObjectWhenAllowed: try contract.emptyObject()
        case .emptyBodyGivesAnArrayOfOneEmptyObjectWhenAllowed: try contract.emptyArray()
        case .objectAtAKeyPathIsDecoded: try contract.objectAtAKeyPath()
        case .arrayAtAKeyPathIsDecoded: try contract.arrayAtAKeyPath()
        case .scalarsAtAKeyPathAreDecoded: try contract.scalarsAtAKeyPath()
        case .scalarsOfAnotherTypeAreObjectMappingErrors: try contract.scalarsOfAnotherType()
        case .undecodableBodyIsAnObjectMappingErrorOfTheDecoder: try contract.undecodableBody()
        }
    }
}

/// The clauses over one adapter.
struct OperatorContract<Adapter: OperatorAdapter>: Sendable {
    let adapter: Adapter

    /// The result of a stream of one response.
    func result<Value>(of stream: AnyStream<Value>) throws -> Result<Value, MoyaError> {
        var values: [Value] = []
        var ends: [StreamEvent<Value>] = []
        let disposal = stream.subscribe { event in
            if case .value(let value) = event { values.append(value) } else { ends.append(event) }
        }
        disposal()
        switch (values.count, ends.count, ends.first) {
        case (1, 1, .finished): return .success(values[0])
        case (0, 1, .failed(let error)): return .failure(error)
        default: throw Violation("told values \(values) and ends \(ends)")
        }
    }

    /// The value that a stream has to give.
    func value<Value>(of stream: AnyStream<Value>) throws -> Value {
        switch try result(of: stream) {
        case .success(let value): return value
        case .failure(let error): throw Violation("failed with \(error)")
        }
    }

    /// Checks that a stream fails in a certain way.
    func require<Value>(
        _ stream: AnyStream<Value>, failsWith what: String, where isExpected: (MoyaError) -> Bool
    ) throws {
        switch try result(of: stream) {
        case .success(let value): throw Violation("gave \(value) instead of failing with \(what)")
        case .failure(let error): if !isExpected(error) { throw Violation("failed with \(error) instead of \(what)") }
        }
    }

    func response(_ statusCode: Int = 200, _ body: String = "") -> Response {
        Response(statusCode: statusCode, data: Data(body.utf8))
    }
}
