import { Migration } from '@mikro-orm/migrations';

/**
 * Makes sure that usage_logs has the partition of the month (UTC) that an instant falls into, and says its name.
 * A table is created apart and then attached, since "create … partition of" locks out every reader of the log.
 * Instants that no request can have are a data error (SQLSTATE 22008) instead of a partition for ever.
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
$body$`;

export class Migration20261121030312_initial extends Migration {

  override name = 'Migration20261121030312_initial';

  override up(): void | Promise<void> {
    this.addSql(`create table "accounts" ("id" uuid not null, "name" text not null, "plan" text not null default 'enterprise', "time_zone" text not null default 'UTC', "created_at" timestamptz(3) not null default now(), primary key ("id"));`);

    this.addSql(`create table "blobs" ("id" uuid not null, "account_id" uuid null, "content_type" text not null, "size" bigint not null, "sha256" bytea not null, "created_at" timestamptz(3) not null default now(), "expires_at" timestamptz(3) null, primary key ("id"));`);
    this.addSql(`create index "blobs_account_id_index" on "blobs" ("account_id");`);
    this.addSql(`create index "blobs_expires_at_index" on "blobs" ("expires_at");`);

    this.addSql(`create table "usage_logs" ("event_id" uuid not null, "began_at" timestamptz(3) not null, "account_id" uuid not null, "api_key_id" uuid not null, "member_id" uuid null, "capability" text not null, "model" text not null, "requested_model" text not null, "provider" text not null, "status" text not null, "http_status" smallint not null, "error_code" text null, "streamed" boolean not null, "estimated" boolean not null, "input_tokens" int not null, "output_tokens" int not null, "cached_tokens" int not null, "reasoning_tokens" int not null, "cost_nano" bigint not null, "price_version" text not null, "rates" jsonb null, "finish_reason" text null, "duration_ms" int not null, "first_token_ms" int null, "end_user" text null, "tags" jsonb null, "attempts" jsonb not null, "settled_at" timestamptz(3) not null default now(), primary key ("event_id", "began_at")) partition by range ("began_at");`);
    this.addSql(`create index usage_logs_by_key on usage_logs (api_key_id, began_at desc, event_id desc);`);
    this.addSql(`create index usage_logs_by_account on usage_logs (account_id, began_at desc, event_id desc);`);

    this.addSql(ensureUsagePartition);

    this.addSql(`create table "users" ("id" uuid not null, "email" text not null, "name" text not null, "password_hash" text not null, "created_at" timestamptz(3) not null default now(), primary key ("id"));`);
    this.addSql(`alter table "users" add constraint "users_email_unique" unique ("email");`);
    this.addSql(`alter table "users" add constraint "users_email_is_lower_case" check (email = lower(email));`);

    this.addSql(`create table "sessions" ("id" uuid not null, "user_id" uuid not null, "token_hash" bytea not null, "created_at" timestamptz(3) not null default now(), "expires_at" timestamptz(3) not null, "last_seen_at" timestamptz(3) not null default now(), "address" text null, "user_agent" text null, "revoked_at" timestamptz(3) null, primary key ("id"));`);
    this.addSql(`create index "sessions_user_id_index" on "sessions" ("user_id");`);
    this.addSql(`alter table "sessions" add constraint "sessions_token_hash_unique" unique ("token_hash");`);
    this.addSql(`create index "sessions_expires_at_index" on "sessions" ("expires_at");`);

    this.addSql(`create table "memberships" ("id" uuid not null, "user_id" uuid not null, "account_id" uuid not null, "role" text not null, "created_at" timestamptz(3) not null default now(), primary key ("id"));`);
    this.addSql(`create index "memberships_account_id_index" on "memberships" ("account_id");`);
    this.addSql(`alter table "memberships" add constraint "memberships_user_id_account_id_unique" unique ("user_id", "account_id");`);
    this.addSql(`alter table "memberships" add constraint "memberships_role_check" check ("role" in ('owner', 'admin', 'developer', 'billing', 'viewer'));`);

    this.addSql(`create table "api_keys" ("id" uuid not null, "account_id" uuid not null, "name" text not null, "hint" text not null, "secret_hmac" bytea null, "pepper_version" smallint not null default 1, "scopes" text[] not null default '{inference}', "allowed_models" text[] null, "expires_at" timestamptz(3) null, "limits" jsonb null, "budget" jsonb null, "live_content" boolean not null default true, "kind" text not null default 'user', "created_by_id" uuid null, "created_at" timestamptz(3) not null default now(), "last_used_at" timestamptz(3) null, "revoked_at" timestamptz(3) null, primary key ("id"));`);
    this.addSql(`alter table "api_keys" add constraint "api_keys_secret_hmac_unique" unique ("secret_hmac");`);
    this.addSql(`create index "api_keys_account_id_created_at_id_index" on "api_keys" ("account_id", "created_at", "id");`);
    this.addSql(`create unique index api_keys_one_dashboard_key on api_keys (account_id) where kind = 'dashboard' and revoked_at is null;`);
    this.addSql(`alter table "api_keys" add constraint "api_keys_secret_by_kind" check ((kind = 'dashboard') = (secret_hmac is null));`);
    this.addSql(`alter table "api_keys" add constraint "api_keys_kind_check" check ("kind" in ('user', 'dashboard'));`);

    this.addSql(`alter table "blobs" add constraint "blobs_account_id_foreign" foreign key ("account_id") references "accounts" ("id") on delete set null;`);

    this.addSql(`alter table "sessions" add constraint "sessions_user_id_foreign" foreign key ("user_id") references "users" ("id") on delete cascade;`);

    this.addSql(`alter table "memberships" add constraint "memberships_user_id_foreign" foreign key ("user_id") references "users" ("id") on delete cascade;`);
    this.addSql(`alter table "memberships" add constraint "memberships_account_id_foreign" foreign key ("account_id") references "accounts" ("id") on delete cascade;`);

    this.addSql(`alter table "api_keys" add constraint "api_keys_account_id_foreign" foreign key ("account_id") references "accounts" ("id") on delete cascade;`);
    this.addSql(`alter table "api_keys" add constraint "api_keys_created_by_id_foreign" foreign key ("created_by_id") references "users" ("id") on delete set null;`);
  }

}
