public import Foundation

extension Transfer {
    /// The response body of a stub.
    public var sampleData: Data {
        switch self {
        case .upload:
            Data(
                """
                {"url": "https://example.com/post", "form": {}, "files": {},
                 "headers": {"Content-Length": "5", "Content-Type": "application/octet-stream"}}
                """.utf8)
        case .multipart:
            Data(
                """
                {"url": "https://example.com/post", "form": {"author": "Ole"}, "files": {"file": "hello"},
                 "headers": {"Content-Length": "200", "Content-Type": "multipart/form-data; boundary=sample"}}
                """.utf8)
        case .download:
            Data("sample bytes".utf8)
        }
    }
}
