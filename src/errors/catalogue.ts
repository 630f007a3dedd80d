import { billingErrors } from './billing-errors.ts';
import { identityErrors } from './identity-errors.ts';
import { idempotencyErrors } from './idempotency-errors.ts';
import { keyErrors } from './key-errors.ts';
import { teamErrors } from './team-errors.ts';

/** One line an error: what the wire says of it. `{name}` in a text is filled from the error's values. */
export interface CatalogueEntry {
  /** HTTP status on the REST surface. */
  readonly status: number;
  /** OpenAI's `error.type`. */
  readonly type: string;
  /** OpenAI's `error.code`; the catalogue's own code where absent, `null` where OpenAI sends none. */
  readonly wireCode?: string | null;
  /** What the caller reads. Says what to do next; never holds internals. */
  readonly message: string;
}

const invalid = 'invalid_request_error';
const server = 'server_error';

/** Every failure a caller can meet. The source of the forms: OpenAI's API and its official SDKs. */
export const catalogue = {
  // The request's form
  invalid_json: {
    status: 400,
    type: invalid,
    wireCode: null,
    message:
      "We could not parse the JSON body of your request. (HINT: This likely means you aren't using your HTTP library correctly. The API expects a JSON payload, but what was sent was not valid JSON: {reason})",
  },
  missing_model: { status: 400, type: invalid, wireCode: null, message: 'you must provide a model parameter' },
  missing_required_parameter: { status: 400, type: invalid, message: "Missing required parameter: '{param}'." },
  unknown_parameter: { status: 400, type: invalid, message: "Unknown parameter: '{param}'." },
  duplicate_parameter: {
    status: 400,
    type: invalid,
    message:
      "Duplicate parameter: '{param}' occurs more than once in its object, and servers disagree on which one counts. Send it once.",
  },
  misspelled_parameter: {
    status: 400,
    type: invalid,
    message:
      "Misspelled parameter: '{param}' differs from '{meant}' only in letter case, underscores or escapes, and some servers take one for the other. Write '{meant}', or leave it out.",
  },
  unsupported_parameter: {
    status: 400,
    type: invalid,
    message:
      "Unsupported parameter: '{param}' is not supported by the provider {provider}. Leave it out, or let the route drop it.",
  },
  unsupported_value: { status: 400, type: invalid, message: "Unsupported value: '{param}' {reason}" },
  capability_not_supported: {
    status: 400,
    type: invalid,
    message:
      'The provider {provider} does not offer {capability} here. Choose a model that does: GET /v1/models lists their capabilities.',
  },
  invalid_type: {
    status: 400,
    type: invalid,
    message: "Invalid type for '{param}': expected {expected}, but got {received} instead.",
  },
  invalid_value: { status: 400, type: invalid, message: "Invalid value for '{param}': {reason}" },
  integer_below_min_value: {
    status: 400,
    type: invalid,
    message: "Invalid '{param}': integer below minimum value. Expected a value >= {limit}.",
  },
  integer_above_max_value: {
    status: 400,
    type: invalid,
    message: "Invalid '{param}': integer above maximum value. Expected a value <= {limit}.",
  },
  decimal_below_min_value: {
    status: 400,
    type: invalid,
    message: "Invalid '{param}': decimal below minimum value. Expected a value >= {limit}.",
  },
  decimal_above_max_value: {
    status: 400,
    type: invalid,
    message: "Invalid '{param}': decimal above maximum value. Expected a value <= {limit}.",
  },
  string_below_min_length: {
    status: 400,
    type: invalid,
    message: "Invalid '{param}': string too short. Expected a string with minimum length {limit}.",
  },
  string_above_max_length: {
    status: 400,
    type: invalid,
    message: "Invalid '{param}': string too long. Expected a string with maximum length {limit}.",
  },
  empty_array: {
    status: 400,
    type: invalid,
    message:
      "Invalid '{param}': empty array. Expected an array with minimum length {limit}, but got an empty array instead.",
  },
  array_below_min_length: {
    status: 400,
    type: invalid,
    message: "Invalid '{param}': array too short. Expected an array with minimum length {limit}.",
  },
  array_above_max_length: {
    status: 400,
    type: invalid,
    message: "Invalid '{param}': array too long. Expected an array with maximum length {limit}.",
  },
  object_above_max_properties: {
    status: 400,
    type: invalid,
    message: "Invalid '{param}': too many properties. Expected an object with at most {limit} properties.",
  },
  context_length_exceeded: {
    status: 400,
    type: invalid,
    message:
      "This model's maximum context length is {limit} tokens. However, your messages resulted in {tokens} tokens. Please reduce the length of the messages.",
  },
  content_flagged: {
    status: 400,
    type: invalid,
    message: 'The {what} was flagged by {model} and is not passed on: {categories}.',
  },
  unsupported_content_type: {
    status: 415,
    type: invalid,
    message: "Unsupported content type: '{contentType}'. Send '{expected}'.",
  },
  unsupported_content_encoding: {
    status: 415,
    type: invalid,
    message: "Unsupported content encoding: '{encoding}'. Send {supported}.",
  },
  invalid_compression: {
    status: 400,
    type: invalid,
    message: 'The request body is not valid {encoding} data. Compress it again, or send it uncompressed.',
  },
  compression_too_high: {
    status: 413,
    type: invalid,
    message: 'The request body is more than {most} times as large decompressed. Send it uncompressed.',
  },
  malformed_url: {
    status: 400,
    type: invalid,
    message: 'The path of the URL is not valid: {reason}. Percent-encode each segment as UTF-8.',
  },
  request_too_large: {
    status: 413,
    type: invalid,
    message: 'The request body is larger than {limit} bytes. Send a smaller one.',
  },
  json_too_complex: {
    status: 413,
    type: invalid,
    message: 'The JSON body of the request holds more than {limit} {what}. Send fewer, or in several requests.',
  },
  invalid_form: {
    status: 400,
    type: invalid,
    message:
      'We could not parse the form of your request: {reason}. Let your HTTP library write it, and its content type with the boundary.',
  },
  unexpected_file: {
    status: 400,
    type: invalid,
    message: "The field '{param}' takes no file. Send the file as {expected}.",
  },
  too_many_files: { status: 400, type: invalid, message: 'The form holds more than {limit} files. Send fewer.' },
  too_many_fields: { status: 400, type: invalid, message: 'The form holds more than {limit} fields. Send fewer.' },
  file_too_large: {
    status: 413,
    type: invalid,
    message: "The file '{param}' is larger than {limit} bytes. Send a smaller one.",
  },
  invalid_audio: {
    status: 400,
    type: invalid,
    message:
      "The file '{param}' could not be read as audio: {reason}. Send a whole one: WAV, MP3, FLAC, OGG, M4A (AAC) or WebM.",
  },
  field_too_large: {
    status: 413,
    type: invalid,
    message: "The field '{param}' is larger than {limit} bytes. Send a shorter one.",
  },
  malformed_http: { status: 400, type: invalid, message: 'This is not a well-formed HTTP request.' },
  headers_too_large: {
    status: 431,
    type: invalid,
    message: 'The request headers are too large. Send fewer or shorter ones.',
  },
  headers_timeout: {
    status: 408,
    type: invalid,
    message: 'The request headers did not arrive in time. Send them again.',
  },
  unknown_url: {
    status: 404,
    type: invalid,
    message:
      'Unknown request URL: {method} {path}. Please check the URL for typos, or see /docs for the API reference.',
  },
  endpoint_not_offered: { status: 404, type: invalid, message: '{method} {path} is not offered here. {reason}' },
  websocket_not_offered: {
    status: 426,
    type: invalid,
    message: 'There is no WebSocket at {path}. Send a POST there instead, with `"stream": true` for events.',
  },
  method_not_supported: {
    status: 405,
    type: invalid,
    message: 'Method {method} is not supported for {path}. Supported: {allowed}.',
  },
  model_not_found: {
    status: 404,
    type: invalid,
    message: 'The model `{model}` does not exist or you do not have access to it.',
  },
  unknown_model_name: {
    status: 400,
    type: invalid,
    message: '`{param}`: no model, route or alias is called `{model}`.{didYouMean}',
  },
  unlisted_model_name: {
    status: 400,
    type: invalid,
    message:
      '`{param}`: no list of the models of {provider} has `{model}`.{didYouMean}{others} If the name is right, as of a new or a fine-tuned model, save it anyway (`saveAnyway`).',
  },
  not_found: {
    status: 404,
    type: invalid,
    message: 'There is no {what} with this id, or you do not have access to it.',
  },
  media_link_invalid: {
    status: 403,
    type: invalid,
    message: 'This link is not valid. Copy it whole, as the answer had it.',
  },
  media_link_expired: { status: 403, type: invalid, message: 'This link has expired. What it led to is not kept.' },

  video_not_ready: { status: 400, type: invalid, message: 'This video is {status}: {reason}.' },
  previous_response_not_found: { status: 400, type: invalid, message: "Previous response with id '{id}' not found." },
  response_not_background: {
    status: 400,
    type: invalid,
    message: 'Only responses created with background=true can be cancelled.',
  },
  outbound_refused: { status: 400, type: invalid, message: 'This URL may not be called from here: {reason}.' },

  // Who calls
  ...keyErrors,
  insufficient_scope: {
    status: 403,
    type: invalid,
    message: 'This API key lacks the scope `{scope}`. Use a key that has it.',
  },
  capability_not_in_plan: {
    status: 403,
    type: invalid,
    message:
      'The plan {plan} does not include {capability}. Change to one that does, as the account’s owner: `changePlan` in GraphQL; `plans` there lists what each includes.',
  },
  plan_not_offered: {
    status: 403,
    type: invalid,
    message: 'The plan {plan} is not offered here. Ask the operator of this server for it.',
  },
  ...teamErrors,
  forbidden: { status: 403, type: invalid, message: 'Your role does not allow this.' },
  ...identityErrors,

  // Limits and money
  rate_limit_requests: {
    status: 429,
    type: 'requests',
    wireCode: 'rate_limit_exceeded',
    message:
      'Rate limit reached for {model} in organization {account} on requests per {period}: Limit {limit}, Used {used}, Requested 1. Please try again in {wait}.',
  },
  rate_limit_tokens: {
    status: 429,
    type: 'tokens',
    wireCode: 'rate_limit_exceeded',
    message:
      'Rate limit reached for {model} in organization {account} on tokens per min (TPM): Limit {limit}, Used {used}, Requested {requested}. Please try again in {wait}.',
  },
  rate_limit_concurrency: {
    status: 429,
    type: 'requests',
    wireCode: 'rate_limit_exceeded',
    message:
      'Rate limit reached for {model} in organization {account} on concurrent requests: Limit {limit}, Used {used}, Requested 1. Please try again in {wait}.',
  },
  tokens_above_limit: {
    status: 429,
    type: 'tokens',
    wireCode: 'rate_limit_exceeded',
    message:
      'Request too large for {model} in organization {account} on tokens per min (TPM): Limit {limit}, Requested {requested}. The input or output tokens must be reduced in order to run successfully.',
  },
  insufficient_quota: {
    status: 429,
    type: 'insufficient_quota',
    message: 'You exceeded your current quota, please check your plan and billing details.',
  },
  ...billingErrors,

  // The provider
  provider_error: { status: 502, type: server, message: 'The provider {provider} failed to answer: {reason}' },
  provider_unreachable: { status: 502, type: server, message: 'The provider {provider} could not be reached.' },
  provider_overloaded: {
    status: 503,
    type: 'service_unavailable',
    message: 'The provider {provider} is overloaded: {reason}',
  },
  provider_timeout: {
    status: 504,
    type: server,
    message: 'The provider {provider} sent no {stage} within {seconds} s.',
  },
  provider_credentials: {
    status: 502,
    type: server,
    message: 'The provider {provider} refused the credentials it is configured with. The operator must renew them.',
  },
  provider_invalid_response: {
    status: 502,
    type: server,
    message: 'The provider {provider} sent an answer that could not be understood.',
  },
  provider_stream_cut: {
    status: 502,
    type: server,
    message: 'The provider {provider} broke off its answer before the end.',
  },

  // Ours
  internal_error: {
    status: 500,
    type: server,
    wireCode: null,
    message: 'The server had an error while processing your request. Please quote the request id when you report it.',
  },
  shutting_down: {
    status: 503,
    type: 'service_unavailable',
    message: 'This server is stopping. Please send the request again.',
  },
  database_unavailable: {
    status: 503,
    type: 'service_unavailable',
    message: 'The database is not available right now. Please try again shortly.',
  },
  uploads_full: {
    status: 503,
    type: 'service_unavailable',
    message: 'Too much is being uploaded to this server right now. Please try again shortly.',
  },
  limits_unavailable: {
    status: 503,
    type: 'service_unavailable',
    message: 'What this key may spend cannot be known right now, so nothing is served. Please try again shortly.',
  },
  metering_unavailable: {
    status: 503,
    type: 'service_unavailable',
    message: 'Usage cannot be recorded right now, so nothing is served. Please try again shortly.',
  },

  moderation_unavailable: {
    status: 503,
    type: 'service_unavailable',
    message:
      'The moderation model {model} could not be asked, and nothing passes here unjudged. Please try again shortly.',
  },

  // GraphQL
  bad_user_input: { status: 400, type: invalid, message: '{reason}' },
  graphql_invalid: { status: 400, type: invalid, message: '{reason}' },
  operation_too_large: {
    status: 400,
    type: invalid,
    message: 'This operation is too large: it has {what}, and at most {limit} are allowed. Ask for less, or in parts.',
  },
  rate_limited: {
    status: 429,
    type: 'requests',
    message:
      'The budget of {limit} points a minute is used up: GraphQL operations cost points by what they ask for. Please try again in {seconds} s.',
  },
  document_not_trusted: {
    status: 400,
    type: invalid,
    message: 'This server runs trusted documents only, and this is none of them. Send the `documentId` of one.',
  },
  // What Apollo's and urql's clients look for: they send the document's text then.
  document_not_found: { status: 400, type: invalid, message: '{reason}' },
  resume_gap: {
    status: 409,
    type: invalid,
    message: 'The events after this cursor are no longer kept. Start again without a cursor.',
  },
  request_id_reused: {
    status: 409,
    type: invalid,
    message: 'This clientRequestId was used before with another input.',
  },
  ...idempotencyErrors,
} as const satisfies Record<string, CatalogueEntry>;

export type ErrorCode = keyof typeof catalogue;
