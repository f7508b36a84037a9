import Dispatch
import Foundation
import Testing

@testable import MoyaSession

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite struct RequestDelegateTests {
    @Test func requestReportsTheSettingsOfItsSession() {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.timeoutIntervalForRequest = 7
        let session = Session(
            configuration: configuration, startRequestsImmediately: false, transport: StubbedTransport(.silence))
        let delegate = session.request(URLRequest.to("http://a.example/")).delegate
        #expect(delegate?.sessionConfiguration.timeoutIntervalForRequest == 7)
        #expect(delegate?.startRequestsImmediately == false)
    }

    @Test func requestWithoutASessionReportsNoSettings() {
        var session: Session? = Session.over(StubbedTransport(.silence))
        let request = session?.request(URLRequest.to("http://a.example/"))
        session = nil
        #expect(request != nil && request?.delegate == nil)
    }

    @Test func aRequestHasTheQueuesOfItsSession() {
        let queue = DispatchQueue(label: "org.moya.tests.values")
        let session = Session(serializationQueue: queue, transport: StubbedTransport(.silence))
        let request = session.request(URLRequest.to("http://a.example/"))
        #expect(request.serializationQueue === queue)
        #expect(request.underlyingQueue === session.rootQueue)
        let plain = Session.over(StubbedTransport(.silence))
        #expect(plain.request(URLRequest.to("http://a.example/")).serializationQueue === plain.rootQueue)
    }
}
