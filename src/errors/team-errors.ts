import type { CatalogueEntry } from './catalogue.ts';

const type = 'invalid_request_error';

/** Of members, invitations, and the life of accounts. */
export const teamErrors = {
  credential_ends: {
    status: 403,
    type,
    message:
      'What calls here ends by itself: an access token, a secret that was replaced, or a key with an expiry. It may not change its own key, give a role, or make what outlasts it or may more. Sign in, or use the current secret of a key without an expiry.',
  },
  already_connected: {
    status: 409,
    type,
    message: 'This account is connected with {provider} already. Change that connection, or disconnect it first.',
  },
  connection_test_failed: {
    status: 400,
    type,
    message: 'Nothing was saved, since the test of the connection failed: {reason}',
  },
  too_many_connections: {
    status: 409,
    type,
    message: 'An account has at most {limit} provider connections. Disconnect one first.',
  },
  too_many_webhooks: {
    status: 409,
    type,
    message: 'An account has at most {limit} webhooks. Delete one first.',
  },
  too_many_api_keys: {
    status: 409,
    type,
    message:
      'The plan `{plan}` of this account has room for {limit} API keys, and they are there. Revoke one that is not used, or change the plan.',
  },
  too_many_routes: { status: 409, type, message: 'An account has at most {limit} routes. Delete one first.' },
  account_deleted: {
    status: 403,
    type,
    message:
      'This account was deleted, and is erased after {erasedAfter}. Until then an owner can restore it: `cancelAccountDeletion` in GraphQL.',
  },
  zero_retention: {
    status: 403,
    type,
    message:
      '{what} would keep content after the request, and this account has zero retention. {next} An owner changes it with `updateAccount` in GraphQL.',
  },
  last_owner: {
    status: 409,
    type,
    message: 'An account always has an owner. Make another member one first, or delete the account.',
  },
  already_member: { status: 409, type, message: 'This person is a member of the account already.' },
  already_invited: {
    status: 409,
    type,
    message: 'This person is invited already. Send the invitation again, or revoke it first.',
  },
  too_many_invitations: {
    status: 409,
    type,
    message: 'An account has at most {limit} open invitations. Revoke one first.',
  },
  invitations_closed: {
    status: 403,
    type,
    message: 'Invitations are off on this server. Ask its operator, who sets `SLUICE_INVITATIONS`.',
  },
  too_many_accounts: { status: 409, type, message: 'One person owns at most {limit} accounts.' },
  invitation_invalid: {
    status: 404,
    type,
    message:
      'This invitation is not valid any more: it was used, replaced or revoked, or is too old. Ask for a new one.',
  },
  invitation_for_other: {
    status: 403,
    type,
    message: 'This invitation is for another e-mail address. Use the one that it was sent to.',
  },
} as const satisfies Record<string, CatalogueEntry>;
