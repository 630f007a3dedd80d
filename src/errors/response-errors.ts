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
  response_not_background: {
    status: 400,
    type,
    message: 'Only responses created with background=true can be cancelled.',
  },
} as const satisfies Record<string, CatalogueEntry>;
