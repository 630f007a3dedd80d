import type { CatalogueEntry } from './catalogue-entry.ts';

const invalid = 'invalid_request_error';

/** Errors of URLs, methods, headers and sockets. */
export const httpErrors = {
  malformed_http: {
    status: 400,
    type: invalid,
    message: 'This is not a well-formed HTTP request. Check its request line, headers and content length.',
  },
  headers_too_large: {
    status: 431,
    type: invalid,
    message: 'The request headers are too large. Send fewer or shorter ones.',
  },
  headers_timeout: {
    status: 408,
    type: invalid,
    message: 'The request headers did not arrive in time. Send the request again.',
  },
  unknown_url: {
    status: 404,
    type: invalid,
    message:
      'Unknown request URL: {method} {path}. Please check the URL for typos, or see /docs for the API reference.',
  },
  endpoint_not_served: {
    status: 404,
    type: invalid,
    message: 'Sluice does not serve {what} ({method} {path}). {next}',
  },
  unknown_method: {
    status: 404,
    type: invalid,
    message: 'Models have no method `{method}` here. POST one of {methods}.',
  },
  websocket_not_offered: {
    status: 426,
    type: invalid,
    message:
      'WebSocket is disabled for {path} on this server (`SLUICE_RESPONSES_WEBSOCKET`). Send a POST request instead, with `"stream": true` for events.',
  },
  websocket_connection_limit_reached: {
    status: 400,
    type: invalid,
    message: 'This WebSocket connection has reached its limit of {minutes} minutes. Open a new one to go on.',
  },
  websocket_stream_limit_reached: {
    status: 400,
    type: invalid,
    message:
      'This WebSocket connection has reached its limit of {limit}. Wait for responses to complete, or open another connection.',
  },
  too_many_sockets: {
    status: 429,
    type: 'requests',
    message: 'This key has {limit} open WebSocket connections, which is the limit. Close those that are not used.',
  },
  resources_exhausted: {
    status: 503,
    type: 'service_unavailable',
    message: 'This server is out of {resource}, so it rejected the request. Send it again in a few seconds.',
  },
  method_not_supported: {
    status: 405,
    type: invalid,
    message: 'Method {method} is not supported for {path}. Supported: {allowed}.',
  },
} as const satisfies Record<string, CatalogueEntry>;
