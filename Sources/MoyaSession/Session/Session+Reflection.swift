import MoyaTransport

// Excludes settings, cookies and form parts from the output of `dump`.
extension Session: OpaqueReflection {}
extension RequestMultipartFormData: OpaqueReflection {}
