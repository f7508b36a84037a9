public import Foundation
import MoyaTransport

/// Posts events of requests as notifications, on the default center and the main queue; part of a session unless other
/// event monitors are passed to it.
///
/// Posting costs more than a small call, and observers are rare. So it starts when one of the names is read, such as
/// ``Request/didResumeNotification``, which an observer needs.
public struct NotificationEventMonitor: EventMonitor {
    /// Makes a monitor.
    public init() {}

    /// Posts the notification of the event, if there is one.
    public func receive(_ event: RequestEvent, of request: Request) {
        guard let name = NotificationNames.shared.name(of: event) else { return }
        NotificationCenter.default.post(name: name, object: request, userInfo: [Notification.requestKey: request])
    }

    /// `true` if a name has ever been read.
    static var isWanted: Bool { NotificationNames.isWanted.value }
}

/// The name of ``NotificationEventMonitor`` in Alamofire.
public typealias AlamofireNotifications = NotificationEventMonitor

extension Request {
    /// Posted when a request was started or resumed; ``Foundation/Notification/request`` of the notification is the
    /// request.
    public static var didResumeNotification: Notification.Name { NotificationNames.wanted.didResume }
    /// Posted when a request was suspended.
    public static var didSuspendNotification: Notification.Name { NotificationNames.wanted.didSuspend }
    /// Posted when a request was cancelled.
    public static var didCancelNotification: Notification.Name { NotificationNames.wanted.didCancel }
    /// Posted when a request has ended.
    public static var didFinishNotification: Notification.Name { NotificationNames.wanted.didFinish }
    /// Posted when the transport starts or resumes an attempt.
    public static var didResumeTaskNotification: Notification.Name { NotificationNames.wanted.didResumeTask }
    /// Posted when the transport pauses reading.
    public static var didSuspendTaskNotification: Notification.Name { NotificationNames.wanted.didSuspendTask }
    /// Posted when the exchange was cancelled.
    public static var didCancelTaskNotification: Notification.Name { NotificationNames.wanted.didCancelTask }
    /// Posted when an attempt has ended.
    public static var didCompleteTaskNotification: Notification.Name { NotificationNames.wanted.didCompleteTask }
}

extension Notification {
    /// The request of a notification from ``NotificationEventMonitor``.
    public var request: Request? { userInfo?[Self.requestKey] as? Request }

    fileprivate static let requestKey = "org.moya.notification.request"
}

private struct NotificationNames: Sendable {
    let didResume = Notification.Name("org.moya.request.didResume")
    let didSuspend = Notification.Name("org.moya.request.didSuspend")
    let didCancel = Notification.Name("org.moya.request.didCancel")
    let didFinish = Notification.Name("org.moya.request.didFinish")
    let didResumeTask = Notification.Name("org.moya.request.didResumeTask")
    let didSuspendTask = Notification.Name("org.moya.request.didSuspendTask")
    let didCancelTask = Notification.Name("org.moya.request.didCancelTask")
    let didCompleteTask = Notification.Name("org.moya.request.didCompleteTask")

    static let shared = NotificationNames()
    static let isWanted = Lock(false)

    static var wanted: NotificationNames {
        isWanted.set(true)
        return shared
    }

    func name(of event: RequestEvent) -> Notification.Name? {
        switch event {
        case .didResume: didResume
        case .didSuspend: didSuspend
        case .didCancel: didCancel
        case .didFinish: didFinish
        case .didResumeTask: didResumeTask
        case .didSuspendTask: didSuspendTask
        case .didCancelTask: didCancelTask
        case .didCompleteTask: didCompleteTask
        default: nil
        }
    }
}
