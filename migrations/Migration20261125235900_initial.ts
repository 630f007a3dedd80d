import { Migration } from '@mikro-orm/migrations';

/** Accounts, and the users who are their members or are invited. */
const accounts = `
create table accounts (
  id uuid primary key,
  name text not null,
  plan text not null default 'enterprise',
  plan_since timestamptz(3) not null default now(),
  pending_plan text,
  pending_plan_at timestamptz(3),
  time_zone text not null default 'UTC',
  zero_retention boolean not null default false,
  is_operator boolean not null default false,
  spending_restricted boolean not null default false,
  created_at timestamptz(3) not null default now(),
  erased_after timestamptz(3),
  erased_at timestamptz(3)
);
create index accounts_pending_plan on accounts (pending_plan_at) where pending_plan_at is not null;
create index accounts_spending_restricted on accounts (created_at, id) where spending_restricted and erased_at is null;
create index accounts_erased_after on accounts (erased_after) where erased_after is not null and erased_at is null;

create table account_deletions (
  id uuid primary key,
  account_id uuid not null,
  deleted_at timestamptz(3) not null,
  restored_at timestamptz(3),
  constraint account_deletions_account_id_foreign foreign key (account_id)
    references accounts (id) on delete cascade
);
create index account_deletions_account_id_deleted_at_index on account_deletions (account_id, deleted_at);

create table users (
  id uuid primary key,
  email text not null,
  email_verified_at timestamptz(3),
  pending_email text,
  name text not null,
  password_hash text,
  totp_secret bytea,
  totp_draft bytea,
  totp_last_step int,
  created_at timestamptz(3) not null default now(),
  constraint users_email_unique unique (email),
  constraint users_email_is_lower_case check (email = lower(email))
);

create table memberships (
  id uuid primary key,
  user_id uuid not null,
  account_id uuid not null,
  role text not null,
  created_at timestamptz(3) not null default now(),
  constraint memberships_user_id_account_id_unique unique (user_id, account_id),
  constraint memberships_role_check check (role in ('owner', 'admin', 'developer', 'billing', 'viewer')),
  constraint memberships_user_id_foreign foreign key (user_id) references users (id) on delete cascade,
  constraint memberships_account_id_foreign foreign key (account_id) references accounts (id) on delete cascade
);
create index memberships_account_id_index on memberships (account_id);

create table invitations (
  id uuid primary key,
  account_id uuid not null,
  email text not null,
  role text not null,
  token_hash bytea not null,
  invited_by_id uuid,
  created_at timestamptz(3) not null default now(),
  expires_at timestamptz(3) not null,
  accepted_at timestamptz(3),
  revoked_at timestamptz(3),
  constraint invitations_token_hash_unique unique (token_hash),
  constraint invitations_role_check check (role in ('owner', 'admin', 'developer', 'billing', 'viewer')),
  constraint invitations_account_id_foreign foreign key (account_id) references accounts (id) on delete cascade,
  constraint invitations_invited_by_id_foreign foreign key (invited_by_id)
    references users (id) on delete set null
);
create unique index invitations_one_open
  on invitations (account_id, email) where accepted_at is null and revoked_at is null;
`;

/** How users sign in: sessions, second factors, mails with links, other identity providers. */
const signIn = `
create table sessions (
  id uuid primary key,
  user_id uuid not null,
  token_hash bytea not null,
  created_at timestamptz(3) not null default now(),
  expires_at timestamptz(3) not null,
  last_seen_at timestamptz(3) not null default now(),
  address text,
  user_agent text,
  revoked_at timestamptz(3),
  constraint sessions_token_hash_unique unique (token_hash),
  constraint sessions_user_id_foreign foreign key (user_id) references users (id) on delete cascade
);
create index sessions_user_id_index on sessions (user_id);
create index sessions_expires_at_index on sessions (expires_at);
create index sessions_revoked on sessions (revoked_at) where revoked_at is not null;

create table recovery_codes (
  id uuid primary key,
  user_id uuid not null,
  code_hash bytea not null,
  created_at timestamptz(3) not null default now(),
  used_at timestamptz(3),
  constraint recovery_codes_user_id_foreign foreign key (user_id) references users (id) on delete cascade
);
create index recovery_codes_user_id_index on recovery_codes (user_id);

create table mail_tokens (
  id uuid primary key,
  user_id uuid not null,
  kind text not null,
  email text not null,
  token_hash bytea not null,
  created_at timestamptz(3) not null default now(),
  expires_at timestamptz(3) not null,
  used_at timestamptz(3),
  constraint mail_tokens_token_hash_unique unique (token_hash),
  constraint mail_tokens_kind_check check (kind in ('verify', 'reset')),
  constraint mail_tokens_user_id_foreign foreign key (user_id) references users (id) on delete cascade
);
create index mail_tokens_user_id_index on mail_tokens (user_id);
create index mail_tokens_expires_at_index on mail_tokens (expires_at);

create table linked_identities (
  id uuid primary key,
  user_id uuid not null,
  provider text not null,
  issuer text not null,
  subject text not null,
  email text,
  created_at timestamptz(3) not null default now(),
  last_used_at timestamptz(3) not null default now(),
  constraint linked_identities_issuer_subject_unique unique (issuer, subject),
  constraint linked_identities_user_id_foreign foreign key (user_id) references users (id) on delete cascade
);
create index linked_identities_user_id_index on linked_identities (user_id);

create table pending_sign_ups (
  id uuid primary key,
  email text not null,
  name text not null,
  password_hash text,
  token_hash bytea,
  created_at timestamptz(3) not null default now(),
  sent_at timestamptz(3),
  expires_at timestamptz(3) not null,
  constraint pending_sign_ups_token_hash_unique unique (token_hash)
);
create index pending_sign_ups_email_index on pending_sign_ups (email);
create index pending_sign_ups_expires_at_index on pending_sign_ups (expires_at);

create table spent_tokens (
  token_hash bytea not null,
  expires_at timestamptz(3) not null,
  primary key (token_hash)
);
create index spent_tokens_expires_at_index on spent_tokens (expires_at);
`;

/** API keys, and the tokens that are exchanged for them. */
const keys = `
create table api_keys (
  id uuid primary key,
  account_id uuid not null,
  name text not null,
  hint text not null,
  secret_hmac bytea,
  pepper_version smallint not null default 1,
  previous_secret_hmac bytea,
  previous_secret_expires_at timestamptz(3),
  scopes text[] not null default '{inference}',
  role text,
  allowed_models text[],
  expires_at timestamptz(3),
  expiry_told_days smallint,
  limits jsonb,
  live_content boolean not null default true,
  response_cache_seconds int,
  moderation jsonb,
  kind text not null default 'user',
  created_by_id uuid,
  created_at timestamptz(3) not null default now(),
  last_used_at timestamptz(3),
  changed_at timestamptz(6),
  revoked_at timestamptz(3),
  constraint api_keys_secret_hmac_unique unique (secret_hmac),
  constraint api_keys_previous_secret_hmac_unique unique (previous_secret_hmac),
  constraint api_keys_previous_secret_ends check
    ((previous_secret_hmac is null) = (previous_secret_expires_at is null)),
  constraint api_keys_secret_by_kind check ((kind = 'dashboard') = (secret_hmac is null)),
  constraint api_keys_role_check check (role in ('owner', 'admin', 'developer', 'billing', 'viewer')),
  constraint api_keys_kind_check check (kind in ('user', 'dashboard')),
  constraint api_keys_account_id_foreign foreign key (account_id) references accounts (id) on delete cascade,
  constraint api_keys_created_by_id_foreign foreign key (created_by_id) references users (id) on delete set null
);
create index api_keys_expiring on api_keys (expires_at) where expires_at is not null and revoked_at is null;
create index api_keys_changed on api_keys (changed_at) where changed_at is not null;
create index api_keys_account_id_created_at_id_index on api_keys (account_id, created_at, id);
create unique index api_keys_one_dashboard_key on api_keys (account_id) where kind = 'dashboard' and revoked_at is null;

create table access_tokens (
  id uuid primary key,
  account_id uuid not null,
  api_key_id uuid not null,
  scopes text[] not null,
  created_by_id uuid,
  created_at timestamptz(3) not null default now(),
  expires_at timestamptz(3) not null,
  revoked_at timestamptz(3),
  constraint access_tokens_account_id_foreign foreign key (account_id)
    references accounts (id) on delete cascade,
  constraint access_tokens_api_key_id_foreign foreign key (api_key_id)
    references api_keys (id) on delete cascade,
  constraint access_tokens_created_by_id_foreign foreign key (created_by_id)
    references users (id) on delete cascade
);
create index access_tokens_expires_at_index on access_tokens (expires_at);
create index access_tokens_revoked on access_tokens (revoked_at) where revoked_at is not null;
create index access_tokens_account_id_created_at_id_index on access_tokens (account_id, created_at, id);
create index access_tokens_api_key_id_created_at_id_index on access_tokens (api_key_id, created_at, id);
`;

/** Providers that accounts connect, and names of their own for models. */
const providers = `
create table provider_connections (
  id uuid primary key,
  account_id uuid not null,
  provider text not null,
  name text not null,
  base_url text,
  options jsonb not null default '{}',
  secret_option_names text[] not null default '{}',
  credential_hint text,
  sealed_credentials bytea,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  tested_at timestamptz(3),
  test_succeeded boolean,
  test_message text,
  active boolean not null default true,
  constraint provider_connections_account_id_provider_unique unique (account_id, provider),
  constraint provider_connections_account_id_foreign foreign key (account_id)
    references accounts (id) on delete cascade
);

create table connected_accounts (
  account_id uuid not null,
  revision bigint not null,
  changed_at timestamptz(3) not null,
  primary key (account_id),
  constraint connected_accounts_account_id_foreign foreign key (account_id)
    references accounts (id) on update cascade on delete cascade
);
create index connected_accounts_changed_at_index on connected_accounts (changed_at);

create table account_routes (
  id uuid primary key,
  account_id uuid not null,
  name text not null,
  settings jsonb not null,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  constraint account_routes_account_id_name_unique unique (account_id, name),
  constraint account_routes_account_id_foreign foreign key (account_id)
    references accounts (id) on delete cascade
);
`;

/**
 * One row per settled request. Rows outlive their key, member and account: no foreign keys.
 * Partitioned by month; ensure_usage_partition creates a month when its first request is stored.
 */
const usageLog = `
create table usage_logs (
  event_id uuid not null,
  began_at timestamptz(3) not null,
  account_id uuid not null,
  api_key_id uuid not null,
  member_id uuid,
  capability text not null,
  model text not null,
  requested_model text not null,
  provider text not null,
  status text not null,
  http_status smallint not null,
  error_code text,
  streamed boolean not null,
  estimated boolean not null,
  input_tokens int not null,
  output_tokens int not null,
  cached_tokens int not null,
  reasoning_tokens int not null,
  units jsonb,
  cost_nano bigint not null,
  price_version text not null,
  rates jsonb,
  markup_ppm int,
  finish_reason text,
  duration_ms int not null,
  first_token_ms int,
  end_user text,
  tags jsonb,
  attempts jsonb not null,
  settled_at timestamptz(3) not null default now(),
  primary key (event_id, began_at)
) partition by range (began_at);
create index usage_logs_by_tags on usage_logs using gin (tags jsonb_path_ops) where tags is not null;
create index usage_logs_by_settling on usage_logs using brin (settled_at);
create index usage_logs_by_end_user on usage_logs (account_id, end_user, began_at, event_id) where end_user is not null;
create index usage_logs_by_fault on usage_logs (account_id, status, began_at, event_id) where status <> 'succeeded';
create index usage_logs_by_provider on usage_logs (account_id, provider, began_at, event_id);
create index usage_logs_by_model on usage_logs (account_id, model, began_at, event_id);
create index usage_logs_by_key on usage_logs (api_key_id, began_at, event_id);
create index usage_logs_by_account on usage_logs (account_id, began_at, event_id);
`;

/**
 * Ensures that usage_logs has the partition of the month (UTC) that an instant is in, and returns its name. A table is
 * created first and then attached, since "create … partition of" locks out every reader of the log. An instant that no
 * request can have is a data error (SQLSTATE 22008).
 */
const ensureUsagePartition = `
create function ensure_usage_partition(instant timestamptz) returns text language plpgsql as $body$
declare
  first_day timestamp := date_trunc('month', instant at time zone 'UTC');
  partition text := 'usage_logs_' || to_char(first_day, 'YYYY_MM');
begin
  if instant is null or instant < '2020-01-01T00:00:00Z' or instant > now() + interval '62 days' then
    raise exception 'no request began at %', coalesce(instant::text, 'null') using errcode = '22008';
  end if;
  if to_regclass(partition) is not null then
    return partition;
  end if;
  -- The lock that attaching takes anyway: it orders the makers, and lets this one see what another has made.
  lock table usage_logs in share update exclusive mode;
  if to_regclass(partition) is not null then
    return partition;
  end if;
  execute format('create table %I (like usage_logs including all)', partition);
  execute format(
    'alter table usage_logs attach partition %I for values from (%L) to (%L)',
    partition,
    to_char(first_day, 'YYYY-MM-DD') || 'T00:00:00Z',
    to_char(first_day + interval '1 month', 'YYYY-MM-DD') || 'T00:00:00Z'
  );
  return partition;
end
$body$;
`;

/** Sums of the usage log per quarter hour and per day. A histogram is one number: src/services/usage/durations.ts reads it. */
const usageRollUps = `
-- A row is updated in place during its interval: free space in the page spares the indexes a new entry.
create table usage_rollups (
  account_id uuid not null,
  by_key boolean not null,
  span smallint not null,
  bucket timestamptz(3) not null,
  api_key_id uuid not null,
  member_id uuid not null,
  capability text not null,
  model text not null,
  provider text not null,
  requests int not null,
  errors int not null,
  input_tokens bigint not null,
  output_tokens bigint not null,
  cached_tokens bigint not null,
  reasoning_tokens bigint not null,
  cost_nano bigint not null,
  duration_ms bigint not null,
  first_token_ms bigint not null,
  durations numeric not null,
  first_tokens numeric not null,
  primary key (account_id, by_key, span, bucket, api_key_id, member_id, capability, model, provider)
) with (fillfactor = 80);

create table usage_tag_rollups (
  account_id uuid not null,
  by_key boolean not null,
  span smallint not null,
  bucket timestamptz(3) not null,
  api_key_id uuid not null,
  member_id uuid not null,
  capability text not null,
  model text not null,
  provider text not null,
  tag_name text not null,
  tag_value text not null,
  requests int not null,
  errors int not null,
  input_tokens bigint not null,
  output_tokens bigint not null,
  cached_tokens bigint not null,
  reasoning_tokens bigint not null,
  cost_nano bigint not null,
  duration_ms bigint not null,
  first_token_ms bigint not null,
  durations numeric not null,
  first_tokens numeric not null,
  primary key
    (account_id, by_key, span, bucket, api_key_id, member_id, capability, model, provider, tag_name, tag_value)
) with (fillfactor = 80);

create table usage_retention (
  account_id uuid not null,
  kept_from timestamptz(3) not null,
  primary key (account_id)
);
`;

/** The double-entry ledger. Money is nano-USD. */
const ledger = `
create table ledger_postings (
  id bigserial primary key,
  account_id uuid not null,
  kind text not null,
  reference text,
  description text,
  created_at timestamptz(3) not null default now(),
  constraint ledger_postings_kind_check check
    (kind in ('settlement', 'refund', 'grant', 'top_up', 'fee', 'fee_refund', 'invoice', 'invoice_void', 'payment',
      'withdrawal', 'reinstatement'))
);
create index ledger_postings_by_account on ledger_postings (account_id, id desc);
create unique index ledger_postings_by_reference on ledger_postings (account_id, reference) where reference is not null;

create table ledger_entries (
  posting_id bigint not null,
  book text not null,
  account_id uuid not null,
  amount_nano bigint not null,
  primary key (posting_id, book),
  constraint ledger_entries_book_check check (book in ('wallet', 'usage', 'fees', 'grants', 'receivable', 'cash'))
);

create table ledger_balances (
  account_id uuid not null,
  book text not null,
  amount_nano bigint not null,
  primary key (account_id, book),
  constraint ledger_balances_book_check check (book in ('wallet', 'usage', 'fees', 'grants', 'receivable', 'cash'))
) with (fillfactor = 50);
`;

/**
 * A posting is never changed: a correction is another posting. The entries of a posting are written by one statement, and sum
 * to zero.
 */
const ledgerTriggers = `
create function refuse_ledger_change() returns trigger language plpgsql as $body$
begin
  raise exception '% is append-only: post the opposite instead', tg_table_name using errcode = '55000';
end
$body$;
create trigger append_only before update or delete or truncate on ledger_postings
  for each statement execute function refuse_ledger_change();
create trigger append_only before update or delete or truncate on ledger_entries
  for each statement execute function refuse_ledger_change();

create function refuse_unbalanced_posting() returns trigger language plpgsql as $body$
declare
  unbalanced bigint;
begin
  select posting_id into unbalanced from added group by posting_id having sum(amount_nano) <> 0 limit 1;
  if unbalanced is not null then
    raise exception 'the entries of posting % do not sum to zero', unbalanced using errcode = '55000';
  end if;
  return null;
end
$body$;
create trigger balanced after insert on ledger_entries referencing new table as added
  for each statement execute function refuse_unbalanced_posting();
`;

/** Changes of plans, and budgets with the alerts that were sent. */
const plans = `
create table plan_changes (
  id uuid primary key,
  account_id uuid not null,
  from_plan text not null,
  to_plan text not null,
  from_fee_nano bigint not null,
  to_fee_nano bigint not null,
  from_terms jsonb,
  to_terms jsonb,
  effective_at timestamptz(3) not null,
  period_start timestamptz(3) not null,
  period_end timestamptz(3) not null,
  amount_nano bigint not null,
  changed_by_id uuid,
  created_at timestamptz(3) not null default now(),
  constraint plan_changes_account_id_foreign foreign key (account_id) references accounts (id) on delete cascade,
  constraint plan_changes_changed_by_id_foreign foreign key (changed_by_id)
    references users (id) on delete set null
);
create index plan_changes_created_at_index on plan_changes (created_at);
create index plan_changes_account_id_effective_at_index on plan_changes (account_id, effective_at);

create table budgets (
  id uuid primary key,
  account_id uuid not null,
  subject text not null,
  api_key_id uuid,
  member_id uuid,
  amount_nano bigint not null,
  period text not null,
  alert_at smallint[] not null default '{80,100}',
  created_at timestamptz(3) not null default now(),
  changed_at timestamptz(3) not null default now(),
  removed_at timestamptz(3),
  constraint budgets_amount_is_positive check (amount_nano > 0),
  constraint budgets_subject_is_named check
    ((subject = 'key') = (api_key_id is not null) and (subject = 'member') = (member_id is not null)),
  constraint budgets_subject_check check (subject in ('key', 'member', 'account')),
  constraint budgets_period_check check (period in ('DAY', 'WEEK', 'MONTH', 'TOTAL')),
  constraint budgets_account_id_foreign foreign key (account_id) references accounts (id) on delete cascade,
  constraint budgets_api_key_id_foreign foreign key (api_key_id) references api_keys (id) on delete cascade,
  constraint budgets_member_id_foreign foreign key (member_id) references users (id) on delete cascade
);
create index budgets_changed_at_index on budgets (changed_at);
create unique index budgets_one_live
  on budgets (account_id, subject, coalesce(api_key_id, member_id, account_id)) where removed_at is null;

create table budget_alerts (
  id uuid primary key,
  budget_id uuid not null,
  period_start timestamptz(3) not null,
  percent smallint not null,
  amount_nano bigint not null,
  spent_nano bigint not null,
  created_at timestamptz(3) not null default now(),
  told_at timestamptz(3),
  constraint budget_alerts_budget_id_period_start_percent_amount_nano_unique
    unique (budget_id, period_start, percent, amount_nano),
  constraint budget_alerts_budget_id_foreign foreign key (budget_id) references budgets (id) on delete cascade
);
`;

/** What is invoiced, and until when. */
const invoices = `
create table billing_marks (
  account_id uuid not null,
  closed_until timestamptz(3),
  cutoff_at timestamptz(3),
  begun_with jsonb,
  primary key (account_id)
);

create table invoices (
  id uuid primary key,
  account_id uuid not null,
  number text not null,
  account_name text not null,
  time_zone text not null,
  period_start timestamptz(3) not null,
  period_end timestamptz(3) not null,
  plan_id text not null,
  plan_name text not null,
  currency text not null default 'USD',
  status text not null default 'open',
  total_nano bigint not null,
  cutoff_at timestamptz(3) not null,
  created_at timestamptz(3) not null,
  due_at timestamptz(3) not null,
  paid_at timestamptz(3),
  mailed_at timestamptz(3),
  collected_at timestamptz(3),
  payment_reference text,
  constraint invoices_number_unique unique (number),
  constraint invoices_account_id_period_start_unique unique (account_id, period_start),
  constraint invoices_status_check check (status in ('open', 'paid', 'void'))
);
create index invoices_to_tell
  on invoices (created_at) where status = 'open' and (mailed_at is null or collected_at is null);

create table invoice_lines (
  invoice_id uuid not null,
  position int not null,
  kind text not null,
  description text not null,
  model text,
  capability text,
  unit text,
  quantity numeric,
  amount_nano bigint not null,
  primary key (invoice_id, position),
  constraint invoice_lines_kind_check check
    (kind in ('plan', 'proration', 'usage', 'late_usage', 'allowance', 'credit', 'rounding')),
  constraint invoice_lines_invoice_id_foreign foreign key (invoice_id)
    references invoices (id) on delete cascade
);
`;

/** What is known of the payment provider. */
const payments = `
create table payment_customers (
  account_id uuid not null,
  customer_id text not null,
  subscription_id text,
  ended_subscription_id text,
  primary key (account_id),
  constraint payment_customers_customer_id_unique unique (customer_id)
);

create table payment_events (
  id text primary key,
  type text not null,
  received_at timestamptz(3) not null default now()
);

create table failed_refunds (
  id uuid primary key,
  refund_id text not null,
  account_id uuid not null,
  charge_id text not null,
  cents int not null,
  reason text,
  created_at timestamptz(3) not null default now(),
  attempts int not null default 0,
  retried_at timestamptz(3),
  retry_id text,
  constraint failed_refunds_refund_id_unique unique (refund_id)
);
`;

/** Stored files, and videos with the state of their job at the provider. */
const files = `
create table blobs (
  id uuid primary key,
  account_id uuid,
  content_type text not null,
  size bigint not null,
  sha256 bytea not null,
  created_at timestamptz(3) not null default now(),
  expires_at timestamptz(3),
  constraint blobs_account_id_foreign foreign key (account_id) references accounts (id) on delete set null
);
create index blobs_account_id_index on blobs (account_id);
create index blobs_expires_at_index on blobs (expires_at);

create table videos (
  id uuid primary key,
  account_id uuid not null,
  api_key_id uuid not null,
  member_id uuid,
  connection_id text not null,
  provider text not null,
  model text not null,
  requested_model text not null,
  upstream_model text not null,
  upstream_id text not null,
  upstream_state jsonb not null default '{}',
  status text not null default 'queued',
  progress smallint not null default 0,
  seconds double precision,
  size text,
  quality text,
  prompt text not null,
  error_code text,
  error_message text,
  remixed_from uuid,
  rates jsonb,
  markup_ppm int,
  tags jsonb,
  price_version text not null,
  cost_nano bigint,
  bill_event_id uuid,
  estimated boolean not null default false,
  created_at timestamptz(3) not null,
  completed_at timestamptz(3),
  expires_at timestamptz(3),
  deadline_at timestamptz(3) not null,
  poll_at timestamptz(3) not null,
  settled_at timestamptz(3),
  constraint videos_account_id_foreign foreign key (account_id) references accounts (id) on delete cascade
);
create index videos_unsettled on videos (poll_at) where settled_at is null;
create index videos_by_account on videos (account_id, created_at desc, id desc);
`;

/** Responses of the Responses API that are stored, and the events of those that run in the background. */
const responses = `
create table responses (
  id uuid primary key,
  account_id uuid not null,
  api_key_id uuid not null,
  member_id uuid,
  model text not null,
  status text not null,
  background boolean not null default false,
  previous_id uuid,
  input jsonb not null,
  response jsonb not null,
  cost_nano bigint,
  created_at timestamptz(3) not null,
  completed_at timestamptz(3),
  expires_at timestamptz(3) not null,
  cancel_asked_at timestamptz(3),
  lease_until timestamptz(3),
  constraint responses_status_check check
    (status in ('queued', 'in_progress', 'completed', 'failed', 'cancelled', 'incomplete')),
  constraint responses_account_id_foreign foreign key (account_id) references accounts (id) on delete cascade
);
create index responses_by_expiry on responses (expires_at);
create index responses_unfinished on responses (lease_until) where completed_at is null;
create index responses_by_account on responses (account_id, created_at desc, id desc);

create table response_events (
  response_id uuid not null,
  sequence_number int not null,
  event text not null,
  primary key (response_id, sequence_number),
  constraint response_events_response_id_foreign foreign key (response_id)
    references responses (id) on delete cascade
);
`;

/** Comparisons of models: a question, a lane per model, and votes. */
const comparisons = `
create table comparisons (
  id uuid primary key,
  account_id uuid not null,
  api_key_id uuid not null,
  member_id uuid,
  kind text not null,
  name text,
  question jsonb not null,
  created_at timestamptz(3) not null default now(),
  ended_at timestamptz(3),
  lease_until timestamptz(3) not null,
  share_token_hash bytea,
  shared_at timestamptz(3),
  constraint comparisons_share_is_whole check ((share_token_hash is null) = (shared_at is null)),
  constraint comparisons_kind_check check (kind in ('chat', 'image', 'speech', 'embeddings')),
  constraint comparisons_account_id_foreign foreign key (account_id) references accounts (id) on delete cascade
);
create unique index comparisons_by_token on comparisons (share_token_hash);
create index comparisons_unfinished on comparisons (lease_until) where ended_at is null;
create index comparisons_by_account on comparisons (account_id, created_at desc, id desc);

create table comparison_lanes (
  comparison_id uuid not null,
  position smallint not null,
  model text not null,
  request_id text not null,
  status text not null default 'running',
  cancel_asked boolean not null default false,
  served_model text,
  provider text,
  output text not null default '',
  reasoning text not null default '',
  tool_calls jsonb not null default '[]',
  media jsonb not null default '[]',
  similarity double precision,
  dimensions int,
  finish_reason text,
  input_tokens int not null default 0,
  output_tokens int not null default 0,
  cached_tokens int not null default 0,
  reasoning_tokens int not null default 0,
  estimated boolean not null default true,
  cost_nano bigint not null default '0',
  first_token_ms int,
  duration_ms int,
  tokens_per_second double precision,
  error_code text,
  error_message text,
  primary key (comparison_id, position),
  constraint comparison_lanes_status_check check
    (status in ('running', 'finished', 'failed', 'cancelled', 'interrupted')),
  constraint comparison_lanes_comparison_id_foreign foreign key (comparison_id)
    references comparisons (id) on delete cascade
);
create index comparison_lanes_by_model on comparison_lanes (model, comparison_id);

create table comparison_votes (
  comparison_id uuid not null,
  voter uuid not null,
  position smallint,
  voted_at timestamptz(3) not null default now(),
  primary key (comparison_id, voter),
  constraint comparison_votes_comparison_id_foreign foreign key (comparison_id)
    references comparisons (id) on delete cascade
);
`;

/** Where events of an account are sent. */
const webhooks = `
create table webhooks (
  id uuid primary key,
  account_id uuid not null,
  url text not null,
  events text[] not null,
  secret_hint text not null,
  sealed_secret bytea not null,
  created_at timestamptz(3) not null default now(),
  last_delivered_at timestamptz(3),
  last_attempt_at timestamptz(3),
  last_status smallint,
  last_failure text,
  failures int not null default 0,
  failing_since timestamptz(3),
  retry_at timestamptz(3),
  disabled_at timestamptz(3),
  constraint webhooks_account_id_foreign foreign key (account_id) references accounts (id) on delete cascade
);
create index webhooks_account_id_index on webhooks (account_id);
`;

/** Who changed what. */
const audit = `
create table audit_entries (
  id uuid primary key,
  created_at timestamptz(3) not null,
  account_id uuid,
  action text not null,
  actor_kind text not null,
  actor_user_id uuid,
  actor_api_key_id uuid,
  actor_label text not null,
  target_type text not null,
  target_id uuid,
  target_label text,
  changes jsonb not null,
  address text,
  user_agent text,
  request_id text
);
create index audit_entries_by_time on audit_entries (created_at);
create index audit_entries_by_action on audit_entries (account_id, action, created_at, id);
create index audit_entries_by_target on audit_entries (account_id, target_id, created_at, id);
create index audit_entries_by_account on audit_entries (account_id, created_at, id);
`;

/** An entry is never changed. Retention and the erasure of an account delete entries: `sluice.removes_audit_entries` allows it. */
const auditTriggers = `
create function refuse_audit_change() returns trigger language plpgsql as $body$
begin
  if tg_op = 'DELETE' and current_setting('sluice.removes_audit_entries', true) = 'on' then
    return null;
  end if;
  raise exception '% is append-only', tg_table_name using errcode = '55000';
end
$body$;
create trigger append_only before update or delete or truncate on audit_entries
  for each statement execute function refuse_audit_change();
`;

/** The whole schema. It replaces the migrations that src/database/replaced-migrations.ts lists. */
export class Migration20261125235900_initial extends Migration {
  override name = 'Migration20261125235900_initial';

  override up(): void {
    this.addSql(accounts);
    this.addSql(signIn);
    this.addSql(keys);
    this.addSql(providers);
    this.addSql(usageLog);
    this.addSql(ensureUsagePartition);
    this.addSql(usageRollUps);
    this.addSql(ledger);
    this.addSql(ledgerTriggers);
    this.addSql(plans);
    this.addSql(invoices);
    this.addSql(payments);
    this.addSql(files);
    this.addSql(responses);
    this.addSql(comparisons);
    this.addSql(webhooks);
    this.addSql(audit);
    this.addSql(auditTriggers);
  }
}
