import Foundation
import MoyaTransport
import Testing

@testable import MoyaSession

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite(.timeLimit(.minutes(5))) struct AutomaticResumeTests {
    private static let url = "http://a.example/"
    private let transport = StubbedTransport(.response(200))

    private func session(startsImmediately: Bool) -> Session {
        Session(configuration: .ephemeral, startRequestsImmediately: startsImmediately, transport: transport)
    }

    @Test func requestMayStartInASessionThatDoesNotStartRequests() async {
        let session = session(startsImmediately: false)
        let response = await handedOver { handOver in
            session.request(Self.url, shouldAutomaticallyResume: true).response { handOver($0) }
        }
        #expect(response.response?.statusCode == 200)
    }

    @Test func requestMayWaitForResume() async {
        let session = session(startsImmediately: true)
        let request = session.request(Self.url, shouldAutomaticallyResume: false).response { _ in }
        session.rootQueue.sync {}
        #expect(request.isInitialized)
    }

    @Test func nilUsesTheSessionsSetting() async {
        let session = session(startsImmediately: false)
        let request = session.request(URLRequest.to(Self.url), shouldAutomaticallyResume: nil).response { _ in }
        session.rootQueue.sync {}
        #expect(request.isInitialized)
    }

    @Test func uploadsAndDownloadsHaveTheSetting() {
        let session = session(startsImmediately: true)
        let (form, stream) = (RequestMultipartFormData(), InputStream(data: Data()))
        let requests: [Request] = [
            session.download(Self.url, parameters: ["a": "b"], encoder: .json, shouldAutomaticallyResume: false)
                .response { _ in },
            session.upload(stream, to: Self.url, shouldAutomaticallyResume: false).response { _ in },
            session.upload(multipartFormData: form, to: Self.url, shouldAutomaticallyResume: false).response { _ in },
            session.upload(multipartFormData: form, with: URLRequest.to(Self.url), shouldAutomaticallyResume: false)
                .response { _ in },
            session.download(Self.url, shouldAutomaticallyResume: false).response { _ in },
            session.download(URLRequest.to(Self.url), shouldAutomaticallyResume: false).response { _ in },
            session.upload(Data(), to: Self.url, shouldAutomaticallyResume: false).response { _ in },
            session.upload(
                multipartFormData: { $0.append(Data(), withName: "a") }, to: Self.url, shouldAutomaticallyResume: false
            ).response { _ in },
        ]
        session.rootQueue.sync {}
        #expect(requests.allSatisfy { $0.isInitialized })
    }

    @Test func streamsHaveTheSetting() {
        let session = session(startsImmediately: true)
        let requests = [
            session.streamRequest(Self.url, shouldAutomaticallyResume: false),
            session.streamRequest(URLRequest.to(Self.url), shouldAutomaticallyResume: false),
            session.streamRequest(Self.url, parameters: ["a": "b"], shouldAutomaticallyResume: false),
        ]
        for request in requests { request.responseStream { _ in } }
        session.rootQueue.sync {}
        #expect(requests.allSatisfy { $0.isInitialized })
    }

    @Test func requestSetupIsLazy() {
        let session = Session(configuration: .ephemeral, requestSetup: .lazy)
        #expect(session.request(Self.url).request == nil)
    }

    @Test(arguments: [true, false, nil]) func settingOfARequestIsReadable(setting: Bool?) {
        let session = session(startsImmediately: true)
        let request = session.request(Self.url, shouldAutomaticallyResume: setting)
        #expect(request.shouldAutomaticallyResume == setting)
        #expect(session.download(Self.url).shouldAutomaticallyResume == nil)
    }
}
