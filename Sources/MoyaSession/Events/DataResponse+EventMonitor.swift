import Foundation

// An event has no type parameter, so it carries the body or the file, and a closure that has the value.

extension DataResponse where Success: Sendable, Failure == SessionError {
    /// The response for an event, with the body in place of the value.
    var untyped: AFDataResponse<Data?> {
        var response = map { _ in data }
        response.notification = { $0.request($1, didParseResponse: self) }
        return response
    }
}

extension AFDataResponse<Data?> {
    /// Calls a monitor's callback: for the value, if a serializer made one.
    func notify(_ monitor: some EventMonitor, of request: DataRequest) {
        if let notification { notification(monitor, request) } else { monitor.request(request, didParseResponse: self) }
    }
}

extension DownloadResponse where Success: Sendable, Failure == SessionError {
    /// The response for an event, with the file in place of the value.
    var untyped: AFDownloadResponse<URL?> {
        var response = map { _ in fileURL }
        response.notification = { $0.request($1, didParseResponse: self) }
        return response
    }
}

extension AFDownloadResponse<URL?> {
    /// Calls a monitor's callback: for the value, if a serializer made one.
    func notify(_ monitor: some EventMonitor, of request: DownloadRequest) {
        if let notification { notification(monitor, request) } else { monitor.request(request, didParseResponse: self) }
    }
}
