/** How a value of a column is discarded. All SQL is of constants; `v` are the given values. */
export interface DiscardRule {
  /** What the row gets, as SQL; null where it is deleted. `v.replacement` are bytes in hex. */
  readonly set: string | null;
  /** Statements for the rows that changed: `$1` are the first columns of their keys, as text. */
  readonly followUps?: readonly string[];
  /** An entry of the audit log for each row; null for none; absent where accounts have a sum. */
  readonly audit?: null | {
    readonly action: string;
    readonly type: string;
    /** As SQL. */
    readonly label: string;
    /** Whether the row is of a user, whose accounts record it. */
    readonly isOfUser?: boolean;
  };
  /** What an operator or a user does next. */
  readonly next?: string;
}

const nothing = 'content = null, wrapped_key = null';

/** By the name of the column. A test compares them with the columns. */
export const discardRules: Readonly<Record<string, DiscardRule>> = {
  'credentials of provider connections': {
    set: `sealed_credentials = null, credential_hint = null, secret_option_names = '{}', active = false, updated_at = clock_timestamp(),
      tested_at = clock_timestamp(), test_succeeded = false, test_message = 'The credentials were lost with the master key. Enter them again.'`,
    followUps: [
      `insert into connected_accounts (account_id, revision, changed_at)
       select distinct account_id, 1, clock_timestamp() from provider_connections where id = any($1::uuid[])
       on conflict (account_id) do update set revision = connected_accounts.revision + 1, changed_at = clock_timestamp()`,
    ],
    audit: { action: 'provider_connection.credentials_discarded', type: 'provider_connection', label: 't.name' },
    next: 'Enter the API keys of these provider connections again, and activate them: they are inactive.',
  },
  'signing secrets of webhooks': {
    set: `sealed_secret = decode(v.replacement, 'hex'), secret_hint = '', disabled_at = coalesce(t.disabled_at, clock_timestamp()),
      last_failure = 'The signing secret was lost with the master key. Delete the webhook, and create it again.'`,
    audit: {
      action: 'webhook.secret_discarded',
      type: 'webhook',
      label: `substring(t.url from '^[a-z]+://[^/?#]+') || '/…'`,
    },
    next: 'Delete these webhooks and create them again, for a new signing secret: they are disabled.',
  },
  'targets of alert channels': {
    set: "sealed_target = null, hint = ''",
    audit: { action: 'alert_channel.target_discarded', type: 'alert_channel', label: 't.name' },
    next: 'Enter the URLs and keys of these alert channels again: they send nothing.',
  },
  'secrets of authenticator apps': {
    set: 'totp_secret = null, totp_last_step = null',
    followUps: ['delete from recovery_codes where user_id = any($1::uuid[])'],
    audit: { action: 'user.totp_discarded', type: 'user', label: 't.email', isOfUser: true },
    next: 'Ask these users to set up their authenticator apps again: they sign in without a second factor.',
  },
  'secrets of authenticator apps that are being set up': { set: 'totp_draft = null', audit: null },
  'peppers of API keys': { set: 'sealed_pepper = null' },
  'queued messages': { set: null, next: 'Ask for invitations and links again that were not sent.' },
  'keys of logged contents': {
    set: "state = 'deleted', segment_id = null, position = null, length = null, wrapped_key = null, redactions = null",
    followUps: ['delete from logged_texts where event_id = any($1::uuid[])'],
  },
  'keys of dataset items': { set: null },
  'keys of items of dataset runs': { set: nothing },
  'keys of outputs of dataset runs': { set: nothing },
  'items of conversations': { set: "item = convert_from(decode(v.replacement, 'hex'), 'UTF8')::jsonb" },
  'inputs of responses': { set: "input = convert_from(decode(v.replacement, 'hex'), 'UTF8')::jsonb" },
  responses: { set: "response = convert_from(decode(v.replacement, 'hex'), 'UTF8')::jsonb" },
  'events of responses': { set: "event = convert_from(decode(v.replacement, 'hex'), 'UTF8')" },
};
