#if TaskAlias
import Foundation
import Moya
import Testing

// The parts of a result as apps declare them themselves, which must not be ambiguous with older names of the package, nor
// give a warning that they are deprecated.
extension Result {
    var value: Success? {
        guard case .success(let value) = self else { return nil }
        return value
    }

    var error: Failure? {
        guard case .failure(let error) = self else { return nil }
        return error
    }

    func analysis<Output>(ifSuccess: (Success) -> Output, ifFailure: (Failure) -> Output) -> Output {
        switch self {
        case .success(let value): return ifSuccess(value)
        case .failure(let error): return ifFailure(error)
        }
    }
}

@Suite struct ResultExtensionTests {
    @Test func extensionOfTheAppTakesPrecedence() {
        var code: Int?
        MoyaProvider<GitHub>(stubClosure: MoyaProvider.immediatelyStub).request(.zen) { result in
            if result.error == nil { code = result.value?.statusCode }
            #expect(result.analysis(ifSuccess: { $0.statusCode }, ifFailure: { _ in 0 }) == 200)
        }
        #expect(code == 200)
    }
}
#endif
