import Moya

extension OperatorContract {
    func closedRange() throws {
        try filter(passes: [0, 9], rejects: [10, -1]) { adapter.filter($0, statusCodes: 0...9) }
    }

    func halfOpenRange() throws {
        try filter(passes: [0, 9], rejects: [10, -1]) { adapter.filter($0, statusCodes: 0..<10) }
    }

    func success() throws {
        try filter(passes: [200, 299], rejects: [199, 300, 404], by: adapter.filterSuccessfulStatusCodes)
    }

    func successAndRedirect() throws {
        try filter(
            passes: [200, 304, 399], rejects: [199, 400, 404], by: adapter.filterSuccessfulStatusAndRedirectCodes)
    }

    func singleCode() throws {
        try filter(passes: [42], rejects: [43, 41]) { adapter.filter($0, statusCode: 42) }
    }

    private func filter(
        passes passed: [Int], rejects rejected: [Int], by filter: (Response) -> AnyStream<Response>
    ) throws {
        for code in passed {
            let response = response(code)
            guard try value(of: filter(response)) === response else { throw Violation("another response for \(code)") }
        }
        for code in rejected {
            let response = response(code)
            try require(filter(response), failsWith: "statusCode") {
                if case .statusCode(let given) = $0 { given === response } else { false }
            }
        }
    }
}
