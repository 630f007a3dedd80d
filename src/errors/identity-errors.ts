import type { CatalogueEntry } from './catalogue.ts';

const invalid = 'invalid_request_error';
const server = 'server_error';

/** Of the catalogue, what people meet who prove who they are. */
export const identityErrors = {
  metrics_not_allowed: {
    status: 401,
    type: invalid,
    message:
      'Metrics are for who sends the bearer token that `SLUICE_METRICS_TOKEN` sets, or asks at `SLUICE_METRICS_ADDRESS`. Where neither is set, they are read from this machine alone, by a loopback name.',
  },
  host_not_allowed: {
    status: 403,
    type: invalid,
    message:
      'The host name `{host}` is not one of this server, which protects its pages from sites that pretend to be it. Open it by its own address; its operator adds names by `SLUICE_PUBLIC_URL` or `SLUICE_ALLOWED_HOSTS`.',
  },
  invalid_credentials: { status: 401, type: invalid, message: 'The e-mail address or the password is wrong.' },
  too_many_attempts: { status: 429, type: 'requests', message: 'Too many attempts. Please try again in {seconds} s.' },
  email_taken: {
    status: 409,
    type: invalid,
    message: 'An account with this e-mail address exists already. Sign in instead.',
  },
  sign_up_closed: { status: 403, type: invalid, message: 'Sign-up is not open here. Ask the owner for an invitation.' },
  sign_up_not_local: {
    status: 403,
    type: invalid,
    message:
      'Sign-up is for this server’s own machine and for who is invited, since no mail server is set to prove addresses. Ask the owner of an account for an invitation; the operator sets `SMTP_URL`.',
  },
  sign_up_password_required: {
    status: 401,
    type: invalid,
    message: 'This link was opened in another browser. Enter the password that you signed up with.',
  },
  account_not_verified: {
    status: 403,
    type: invalid,
    message:
      'This account is not verified yet. Verify the e-mail address of an owner by the link in the mail (the dashboard sends it again under Settings), or connect a provider with an API key of your own. Sandbox models work already where this server has them.',
  },
  account_not_approved: {
    status: 403,
    type: invalid,
    message:
      'This account is not approved yet. Ask the operator of this server to approve it (in the dashboard under Settings, or with `sluice accounts approve`), or connect a provider with an API key of your own. Sandbox models work already where this server has them.',
  },
  invalid_email: { status: 400, type: invalid, message: 'This is not a valid e-mail address.' },
  weak_password: { status: 400, type: invalid, message: 'The password is too weak: {reason}' },
  totp_required: {
    status: 401,
    type: invalid,
    message: 'Enter the code that your authenticator app shows, or one of your recovery codes.',
  },
  invalid_totp: { status: 401, type: invalid, message: 'This code is wrong, or was used already.' },
  totp_already_enabled: { status: 409, type: invalid, message: 'An authenticator app is set up already.' },
  totp_not_started: { status: 409, type: invalid, message: 'No authenticator app is being set up. Begin again.' },
  totp_not_enabled: { status: 409, type: invalid, message: 'No authenticator app is set up.' },
  invalid_token: {
    status: 400,
    type: invalid,
    message: 'This link has expired or was used already. Ask for a new one.',
  },
  link_for_other: {
    status: 403,
    type: invalid,
    message: 'This link is for another user. Sign in as that user, then open it again.',
  },
  password_not_set: {
    status: 409,
    type: invalid,
    message: 'You have no password yet. Set one by the link that "Forgot password?" sends you.',
  },
  recent_sign_in_required: {
    status: 403,
    type: invalid,
    message: 'You signed in more than 10 minutes ago. Sign out, sign in again, and link the identity then.',
  },
  email_not_verified: { status: 403, type: invalid, message: 'Verify your e-mail address first.' },
  last_way_in: {
    status: 409,
    type: invalid,
    message: 'This is the only way in that you have. Set a password, or link another identity, first.',
  },
  sign_in_expired: {
    status: 400,
    type: invalid,
    message: 'This sign-in took too long, or was finished already. Begin again.',
  },
  identity_provider_failed: {
    status: 502,
    type: server,
    message: 'The identity provider {provider} could not be asked, or its answer is not valid. Try again later.',
  },
  identity_provider_denied: {
    status: 403,
    type: invalid,
    message: 'The identity provider {provider} did not let you in, or you turned back.',
  },
  identity_without_email: {
    status: 403,
    type: invalid,
    message: 'The identity provider {provider} tells no e-mail address of yours. Let it, and begin again.',
  },
  identity_not_linked: {
    status: 409,
    type: invalid,
    message:
      'There is a user with this e-mail address already, and it is not verified on both sides. Sign in in another way and link {provider} there.',
  },
  identity_taken: { status: 409, type: invalid, message: 'This identity is linked to another user.' },
} as const satisfies Readonly<Record<string, CatalogueEntry>>;
