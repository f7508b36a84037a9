import MoyaTransport

// Excludes settings, cookies, credentials and form parts from the output of `dump`.
extension Session: OpaqueReflection {}
extension RequestMultipartFormData: OpaqueReflection {}
extension AuthenticationInterceptor: OpaqueReflection {}
