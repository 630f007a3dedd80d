import type { CatalogueEntry } from './catalogue-entry.ts';

const type = 'invalid_request_error';

/** Errors of OpenAI's Responses. */
export const responseErrors = {
  previous_response_not_found: { status: 400, type, message: "Previous response with id '{id}' not found." },
  invalid_encrypted_content: {
    status: 400,
    type,
    message:
      'The encrypted content of this item could not be verified: it was changed, or was created for another account. Send the request without this item.',
  },
  response_without_events: {
    status: 400,
    type,
    message:
      'This response was not created with `background: true`, so its events are not stored. Read the response itself: `response` in GraphQL, GET /v1/responses/{id} in REST.',
  },
  response_not_background: {
    status: 400,
    type,
    message: 'Only responses created with background=true can be cancelled.',
  },
} as const satisfies Record<string, CatalogueEntry>;
