import type { CatalogueEntry } from './catalogue-entry.ts';

const invalid = 'invalid_request_error';

/** Errors of the key or session of a request. */
export const keyErrors = {
  missing_api_key: {
    status: 401,
    type: invalid,
    wireCode: null,
    message:
      "You didn't provide an API key. You need to provide your API key in an Authorization header using Bearer auth (i.e. Authorization: Bearer YOUR_KEY), or in `x-api-key`, `api-key` or `x-goog-api-key`.",
  },
  conflicting_api_keys: {
    status: 400,
    type: invalid,
    message: 'The request contains different API keys: {headers}. Send one key.',
  },
  invalid_api_key: {
    status: 401,
    type: invalid,
    message: 'Incorrect API key provided: {key}. Check that you copied the complete key.',
  },
  expired_api_key: {
    status: 401,
    type: invalid,
    wireCode: 'invalid_api_key',
    message: 'This API key expired at {expiredAt}. Create a new one.',
  },
  expired_access_token: {
    status: 401,
    type: invalid,
    wireCode: 'invalid_api_key',
    message: 'This access token expired at {expiredAt}. Create a new one with `createAccessToken` in GraphQL.',
  },
  unauthenticated: { status: 401, type: invalid, message: 'Sign in, or send an API key as a bearer token.' },
} as const satisfies Record<string, CatalogueEntry>;
