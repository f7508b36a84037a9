import Moya
import Testing

/// A manager of an app, as many apps declare it.
private final class Manager: Sendable {
    static let shared = Manager()

    let provider = MoyaProvider<MultiTarget>(stubClosure: MoyaProvider.immediatelyStub)
}

@Suite struct OwnManagerTests {
    @Test func ownManagerTakesPrecedence() {
        let manager: Manager = Manager()
        #expect(manager !== Manager.shared && manager.provider.session !== Session.default)
    }
}
