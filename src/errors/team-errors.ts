import type { CatalogueEntry } from './catalogue-entry.ts';

const type = 'invalid_request_error';

/** Errors of members, invitations, connections and the lifecycle of accounts. */
export const teamErrors = {
  credential_ends: {
    status: 403,
    type,
    message:
      'This credential expires: it is an access token, a replaced secret, or a key with an expiry. It cannot change its own key, assign a role, or create access that lasts longer or permits more. Sign in, or use the current secret of a key without an expiry.',
  },
  already_connected: {
    status: 409,
    type,
    message: 'This account is already connected to {provider}. Change that connection, or disconnect it first.',
  },
  connection_test_failed: {
    status: 400,
    type,
    message: 'The connection was not saved because its test failed: {reason}',
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
  too_many_alert_rules: {
    status: 409,
    type,
    message: 'An account has at most {limit} alert rules. Delete one first.',
  },
  too_many_alert_channels: {
    status: 409,
    type,
    message: 'An account has at most {limit} alert channels. Delete one first.',
  },
  too_many_saved_views: {
    status: 409,
    type,
    message: 'There can be at most {limit} {kind} saved views. Delete one first.',
  },
  too_many_api_keys: {
    status: 409,
    type,
    message:
      'The plan `{plan}` of this account allows {limit} API keys, and all of them exist. Revoke a key that is not used, or change the plan.',
  },
  too_many_routes: { status: 409, type, message: 'An account has at most {limit} routes. Delete one first.' },
  account_deleted: {
    status: 403,
    type,
    message:
      'This account was deleted and will be erased after {erasedAfter}. Until then an owner can restore it with `cancelAccountDeletion` in GraphQL.',
  },
  zero_retention: {
    status: 403,
    type,
    message:
      '{what} would store content after the request, and this account has zero retention. {next} An owner can change this with `updateAccount` in GraphQL.',
  },
  last_owner: {
    status: 409,
    type,
    message: 'An account must have an owner. Make another member an owner first, or delete the account.',
  },
  already_member: {
    status: 409,
    type,
    message: 'This person is already a member of the account. Change their role instead of inviting them.',
  },
  already_invited: {
    status: 409,
    type,
    message: 'This person is already invited. Send the invitation again, or revoke it first.',
  },
  too_many_invitations: {
    status: 409,
    type,
    message: 'An account has at most {limit} open invitations. Revoke one first.',
  },
  invitations_closed: {
    status: 403,
    type,
    message: 'Invitations are disabled on this server. Ask its operator, who can set `SLUICE_INVITATIONS`.',
  },
  too_many_accounts: {
    status: 409,
    type,
    message: 'One person can own at most {limit} accounts. Delete one first, or give it another owner.',
  },
  invitation_invalid: {
    status: 404,
    type,
    message: 'This invitation is no longer valid: it was used, replaced or revoked, or has expired. Ask for a new one.',
  },
  invitation_for_other: {
    status: 403,
    type,
    message: 'This invitation is for another e-mail address. Use the address that it was sent to.',
  },
} as const satisfies Record<string, CatalogueEntry>;
