import Foundation
import MoyaTransport
import Testing

@testable import MoyaSession

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Each in a separate process: the reading of a name is a fact about the whole process.
@Suite struct NotificationEventMonitorTests {
    #if os(Linux) || os(macOS)
    @Test func postsOnlyAfterANameWasRead() async {
        await #expect(processExitsWith: .success) {
            let posted = Recorded<Notification.Name>()
            let token = NotificationCenter.default.addObserver(forName: nil, object: nil, queue: nil) { notification in
                if notification.request != nil { posted.add(notification.name) }
            }
            let session = Session.over(StubbedTransport(.response(200)), monitors: [NotificationEventMonitor()])
            #expect(session.core.monitor == nil)
            _ = await session.request(URLRequest.to("http://a.example/")).outcome()
            await withCheckedContinuation { continuation in DispatchQueue.main.async { continuation.resume() } }
            #expect(posted.all.isEmpty)
            NotificationCenter.default.removeObserver(token)
        }
    }

    @Test func eachNotificationCarriesItsRequest() async {
        await #expect(processExitsWith: .success) {
            let names = [
                Request.didResumeNotification, Request.didSuspendNotification, Request.didCancelNotification,
                Request.didFinishNotification, Request.didResumeTaskNotification,
                Request.didSuspendTaskNotification, Request.didCancelTaskNotification,
                Request.didCompleteTaskNotification,
            ]
            #expect(Set(names).count == 8)
            let posted = Recorded<Notification.Name>()
            let requests = Recorded<Request?>()
            let tokens = names.map { name in
                NotificationCenter.default.addObserver(forName: name, object: nil, queue: nil) { notification in
                    posted.add(notification.name)
                    requests.add(notification.request)
                }
            }
            let session = Session.over(StubbedTransport(.silence), monitors: [NotificationEventMonitor()])
            let request = session.request(URLRequest.to("http://a.example/")).resume().suspend().resume().cancel()
            await withCheckedContinuation { continuation in DispatchQueue.main.async { continuation.resume() } }
            #expect(
                posted.all == [
                    Request.didResumeNotification, Request.didResumeTaskNotification,
                    Request.didSuspendNotification, Request.didSuspendTaskNotification,
                    Request.didResumeNotification, Request.didResumeTaskNotification,
                    Request.didCancelNotification, Request.didCancelTaskNotification,
                    Request.didCompleteTaskNotification, Request.didFinishNotification,
                ])
            #expect(requests.all.allSatisfy { $0 === request })
            for token in tokens { NotificationCenter.default.removeObserver(token) }
        }
    }
    #endif

    @Test func aSessionPostsByDefault() {
        let monitors = Session(transport: StubbedTransport(.silence)).eventMonitor.monitors
        #expect(monitors.count == 1)
        #expect(monitors.first is NotificationEventMonitor)
        #expect(Session.defaultEventMonitors.count == 1)
        #expect(Session.defaultEventMonitors.first is AlamofireNotifications)
    }
}
