import Moya
import Testing

@Suite struct StubBehaviorTests {
    @Test func neverStubNeverStubs() { #expect(MoyaProvider<GitHub>.neverStub(.zen) == .never) }

    @Test func immediatelyStubStubsImmediately() { #expect(MoyaProvider<GitHub>.immediatelyStub(.zen) == .immediate) }

    @Test func delayedStubStubsAfterItsDelay() {
        #expect(MoyaProvider<GitHub>.delayedStub(2)(.zen) == .delayed(seconds: 2))
    }

    @Test func stubClosureDecidesForEachTarget() async {
        let transport = StepwiseTransport.answering()
        let provider = MoyaProvider<GitHub>(
            stubClosure: { $0 == .zen ? .immediate : .never }, session: Session(transport: transport))
        #expect(await provider.end(of: .zen).text == "Half measures are as bad as nothing at all.")
        #expect(await provider.end(of: .userProfile("a")).text == "answer")
    }
}
