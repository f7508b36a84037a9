import MoyaTransport

// Excludes settings, cookies, form parts, stored responses and exchanges from the output of `dump`.
extension Session: OpaqueReflection {}
extension RequestMultipartFormData: OpaqueReflection {}
extension HTTPCache: OpaqueReflection {}
extension Attempt: OpaqueReflection {}
extension RestOfBody: OpaqueReflection {}
extension RevalidationSink: OpaqueReflection {}
extension CoalescedExchange: OpaqueReflection {}
