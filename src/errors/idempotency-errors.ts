import type { CatalogueEntry } from './catalogue-entry.ts';

const type = 'invalid_request_error';

/** Errors of idempotent requests. */
export const idempotencyErrors = {
  invalid_idempotency_key: {
    status: 400,
    type,
    message:
      'The header `Idempotency-Key` must be sent once, with 1 to 255 printable ASCII characters, such as a UUID.',
  },
  idempotency_key_reused: {
    status: 409,
    type,
    message:
      'This `Idempotency-Key` was used before with a different body. Send a new key for a new request, or the same body to repeat the first request.',
  },
  idempotency_in_progress: {
    status: 409,
    type,
    message:
      'The first request with this `Idempotency-Key` is still running, and its response is not available yet. Send the same request again in {wait} to get it.',
  },
  idempotency_interrupted: {
    status: 409,
    type,
    message:
      'The first request with this `Idempotency-Key` was interrupted: the client disconnected, or the server stopped. It may have been charged, so it is not run again. Send a new key to run it again.',
  },
  idempotency_not_replayable: {
    status: 409,
    type,
    message:
      'The first request with this `Idempotency-Key` completed, and its response is not stored: it was too large, or the request or account does not store content. Send a new key to run it again.',
  },
  too_many_idempotency_keys: {
    status: 429,
    type: 'requests',
    wireCode: 'rate_limit_exceeded',
    message:
      'This account made {limit} requests with an `Idempotency-Key` within 24 hours, which is the limit. Please try again in {wait}, or send the request without the header.',
  },
  idempotency_unavailable: {
    status: 503,
    type: 'service_unavailable',
    message: 'The `Idempotency-Key` cannot be recorded or looked up now, so the request did not run. Please try again.',
  },
  request_id_spent: {
    status: 409,
    type,
    message:
      'The completion with this `clientRequestId` ran before, and its events are no longer stored. An id does not run twice within 24 hours. Send a new one.',
  },
  too_many_request_ids: {
    status: 429,
    type: 'requests',
    wireCode: 'rate_limit_exceeded',
    message:
      'This account used {limit} values of `clientRequestId` within 24 hours, which is the limit. Please try again in {wait}, or send the request to `POST /v1/chat/completions`.',
  },
} as const satisfies Record<string, CatalogueEntry>;
