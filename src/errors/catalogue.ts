import { billingErrors } from './billing-errors.ts';
import type { CatalogueEntry } from './catalogue-entry.ts';
import { httpErrors } from './http-errors.ts';
import { identityErrors } from './identity-errors.ts';
import { idempotencyErrors } from './idempotency-errors.ts';
import { keyErrors } from './key-errors.ts';
import { providerErrors } from './provider-errors.ts';
import { responseErrors } from './response-errors.ts';
import { teamErrors } from './team-errors.ts';

const invalid = 'invalid_request_error';
const server = 'server_error';

/** Every error that a client can receive. Source of the format: OpenAI's API and its official SDKs. */
export const catalogue = {
  // Request format
  invalid_json: {
    status: 400,
    type: invalid,
    wireCode: null,
    message:
      "We could not parse the JSON body of your request. (HINT: This likely means you aren't using your HTTP library correctly. The API expects a JSON payload, but what was sent was not valid JSON: {reason})",
  },
  missing_model: { status: 400, type: invalid, wireCode: null, message: 'you must provide a model parameter' },
  missing_required_parameter: { status: 400, type: invalid, message: "Missing required parameter: '{param}'." },
  unknown_parameter: {
    status: 400,
    type: invalid,
    message: "Unknown parameter: '{param}'. Check its spelling, or omit it.",
  },
  duplicate_parameter: {
    status: 400,
    type: invalid,
    message:
      "Duplicate parameter: '{param}' occurs more than once in its object, and servers differ in which value they use. Send it once.",
  },
  misspelled_parameter: {
    status: 400,
    type: invalid,
    message:
      "Misspelled parameter: '{param}' differs from '{meant}' only in letter case, underscores or escapes, and some servers treat both as the same. Use '{meant}', or omit it.",
  },
  unsupported_parameter: {
    status: 400,
    type: invalid,
    message:
      "Unsupported parameter: '{param}' is not supported by the provider {provider}. Omit it, or configure the route to drop unsupported parameters.",
  },
  unsupported_value: { status: 400, type: invalid, message: "Unsupported value: '{param}' {reason}" },
  capability_not_supported: {
    status: 400,
    type: invalid,
    message:
      'The provider {provider} does not support {capability}. Choose a model that does: GET /v1/models lists the capabilities of each.',
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
    message:
      'The {what} was flagged by {model} and blocked: {categories}. Change the request before you send it again.',
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
    message: 'The request body decompresses to more than {limit} times its size. Send it uncompressed.',
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
    message:
      'The JSON body of the request contains more than {limit} {what}. Send fewer, or split them over several requests.',
  },
  invalid_form: {
    status: 400,
    type: invalid,
    message:
      'We could not parse the form of your request: {reason}. Let your HTTP library build the form and set the content type with its boundary.',
  },
  unexpected_file: {
    status: 400,
    type: invalid,
    message: "The field '{param}' does not accept a file. Send the file as {expected}.",
  },
  too_many_files: {
    status: 400,
    type: invalid,
    message: "The form contains more than {limit} files, up to '{param}'. Send fewer.",
  },
  too_many_fields: { status: 400, type: invalid, message: 'The form contains more than {limit} fields. Send fewer.' },
  file_too_large: {
    status: 413,
    type: invalid,
    message: "The file '{param}' is larger than {limit} bytes. Send a smaller one.",
  },
  upload_not_pending: {
    status: 400,
    type: invalid,
    message:
      'This upload is {status}. Only a pending one takes parts and can be completed or cancelled: POST /v1/uploads creates another.',
  },
  file_storage_full: {
    status: 413,
    type: invalid,
    message:
      'The files of the account have {used} bytes, and at most {limit} are stored. Delete files that are not needed: GET /v1/files lists them.',
  },
  dataset_storage_full: {
    status: 413,
    type: invalid,
    message: 'The datasets of the account would have {used}, and at most {limit} are stored. {next}',
  },
  dataset_items_unreadable: {
    status: 409,
    type: invalid,
    message:
      '{unreadable} of {items} items of the dataset cannot be decrypted: they were encrypted under another secret of the server. Remove them, or export the others with `unreadable=omit`.',
  },
  output_too_long: {
    status: 413,
    type: invalid,
    message:
      'The output has more than {limit} bytes, and a dataset run stores shorter ones. The request is billed. Run the dataset with a lower `maxTokens`.',
  },
  judge_output_invalid: {
    status: 422,
    type: invalid,
    message:
      'The judge did not answer with JSON of the form `{form}`, so that the output has no score. The request is billed. Choose a judge that supports structured output.',
  },
  invalid_audio: {
    status: 400,
    type: invalid,
    message:
      "The file '{param}' could not be read as audio: {reason}. Send a complete file in WAV, MP3, FLAC, OGG, M4A (AAC) or WebM.",
  },
  field_too_large: {
    status: 413,
    type: invalid,
    message: "The field '{param}' is larger than {limit} bytes. Send a shorter one.",
  },
  ...httpErrors,
  model_not_found: {
    status: 404,
    type: invalid,
    message: 'The model `{model}` does not exist or you do not have access to it.',
  },
  unknown_model_name: {
    status: 400,
    type: invalid,
    message: '`{param}`: no model, route or alias is named `{model}`.{didYouMean}',
  },
  unlisted_model_name: {
    status: 400,
    type: invalid,
    message:
      '`{param}`: {provider} does not list the model `{model}`.{didYouMean}{others} If the name is correct, for example of a new or fine-tuned model, save it anyway (`saveAnyway`).',
  },
  not_found: {
    status: 404,
    type: invalid,
    message: 'There is no {what} with this id, or you do not have access to it.',
  },
  media_link_invalid: {
    status: 403,
    type: invalid,
    message: 'This link is not valid. Copy the complete URL from the response.',
  },
  media_link_expired: {
    status: 403,
    type: invalid,
    message: 'This link has expired, and its file is no longer stored. Send the request again to create another.',
  },

  video_not_ready: { status: 400, type: invalid, message: 'This video is {status}: {reason}.' },
  ...responseErrors,
  outbound_refused: { status: 400, type: invalid, message: 'Requests to this URL are not allowed: {reason}.' },

  // Authentication and authorization
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
      'The plan {plan} does not include {capability}. An owner of the account can change the plan with `changePlan` in GraphQL; `plans` lists what each plan includes.',
  },
  plan_not_offered: {
    status: 403,
    type: invalid,
    message: 'The plan {plan} is not available for selection. Ask the operator of this server for it.',
  },
  ...teamErrors,
  forbidden: {
    status: 403,
    type: invalid,
    message: 'Your role does not allow this. Ask an owner of the account to do it, or to change your role.',
  },
  ...identityErrors,

  // Limits and billing
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

  ...providerErrors,

  // This server
  internal_error: {
    status: 500,
    type: server,
    wireCode: null,
    message: 'The server had an error while processing your request. Please quote the request id when you report it.',
  },
  shutting_down: {
    status: 503,
    type: 'service_unavailable',
    message: 'This server is shutting down. Please send the request again.',
  },
  database_unavailable: {
    status: 503,
    type: 'service_unavailable',
    message: 'The database is not available right now. Please try again shortly.',
  },
  storage_unavailable: {
    status: 503,
    type: 'service_unavailable',
    message: 'The storage of files is not available right now. Please try again shortly.',
  },
  query_timeout: {
    status: 503,
    type: 'service_unavailable',
    message:
      'The database did not finish this within its time limit, and cancelled it. Choose a shorter period or more filters, or try again later.',
  },
  uploads_full: {
    status: 503,
    type: 'service_unavailable',
    message: 'The upload space of this server is full. Please try again shortly.',
  },
  limits_unavailable: {
    status: 503,
    type: 'service_unavailable',
    message:
      'The limits and budgets of this key cannot be checked right now, so the request was rejected. Please try again shortly.',
  },
  metering_unavailable: {
    status: 503,
    type: 'service_unavailable',
    message: 'Usage cannot be recorded right now, so the request was rejected. Please try again shortly.',
  },

  moderation_unavailable: {
    status: 503,
    type: 'service_unavailable',
    message:
      'The moderation model {model} is not available, and this request requires moderation. Please try again shortly.',
  },

  // GraphQL
  bad_user_input: { status: 400, type: invalid, message: '{reason}' },
  graphql_invalid: { status: 400, type: invalid, message: '{reason}' },
  operation_too_large: {
    status: 400,
    type: invalid,
    message:
      'This operation is too large: it has {what}, and at most {limit} are allowed. Request fewer fields, or split the operation.',
  },
  rate_limited: {
    status: 429,
    type: 'requests',
    message:
      'GraphQL rate limit of {limit} points per minute reached. The cost of an operation in points depends on the fields it requests. Please try again in {seconds} s.',
  },
  document_not_trusted: {
    status: 400,
    type: invalid,
    message:
      'This server accepts only trusted documents, and this document is not one of them. Send the `documentId` of a trusted document.',
  },
  // The code that Apollo's and urql's clients expect before they send the full document.
  document_not_found: { status: 400, type: invalid, message: '{reason}' },
  resume_gap: {
    status: 409,
    type: invalid,
    message: 'The events after this cursor are no longer stored. Subscribe again without a cursor.',
  },
  request_id_reused: {
    status: 409,
    type: invalid,
    message: 'This `clientRequestId` was used before with a different input. Send a new one.',
  },
  ...idempotencyErrors,
} as const satisfies Record<string, CatalogueEntry>;

export type ErrorCode = keyof typeof catalogue;
