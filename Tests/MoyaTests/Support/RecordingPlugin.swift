import Foundation
import Moya
import MoyaTesting

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Records the called methods, whose behaviour a test sets.
struct RecordingPlugin: PluginType {
    var name = ""
    var events = Recorder<String>()
    var onPrepare: @Sendable (URLRequest) -> URLRequest = { $0 }
    var onWillSend: @Sendable (any RequestType, any TargetType) -> Void = { _, _ in }
    var onReceive: @Sendable (Result<Response, MoyaError>) -> Void = { _ in }
    var onProcess: @Sendable (Result<Response, MoyaError>) -> Result<Response, MoyaError> = { $0 }

    func prepare(_ request: URLRequest, target: any TargetType) -> URLRequest {
        events.append(name + "prepare")
        return onPrepare(request)
    }

    func willSend(_ request: any RequestType, target: any TargetType) {
        events.append(name + "willSend")
        onWillSend(request, target)
    }

    func didReceive(_ result: Result<Response, MoyaError>, target: any TargetType) {
        events.append(name + "didReceive")
        onReceive(result)
    }

    func process(
        _ result: Result<Response, MoyaError>, target: any TargetType
    ) -> Result<Response, MoyaError> {
        events.append(name + "process")
        return onProcess(result)
    }
}
