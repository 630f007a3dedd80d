import { Migration } from '@mikro-orm/migrations';

/** Entries stay as they are. They go by retention and with their account, in a transaction that says so. */
const appendOnly = `
create function refuse_audit_change() returns trigger language plpgsql as $body$
begin
  if tg_op = 'DELETE' and current_setting('sluice.removes_audit_entries', true) = 'on' then
    return null;
  end if;
  raise exception '% is append-only', tg_table_name using errcode = '55000';
end
$body$`;

/** Keys that manage could do what administrators can; those that are an owner's, what their owner can. */
const earlierRoles = `
update "api_keys" set "role" = case when "created_by_id" is null then 'admin' else 'owner' end where 'manage' = any("scopes")`;

export class Migration20261121204136_add_teams_and_audit extends Migration {

  override name = 'Migration20261121204136_add_teams_and_audit';

  override up(): void | Promise<void> {
    this.addSql(`create table "audit_entries" ("id" uuid not null, "created_at" timestamptz(3) not null, "account_id" uuid null, "action" text not null, "actor_kind" text not null, "actor_user_id" uuid null, "actor_api_key_id" uuid null, "actor_label" text not null, "target_type" text not null, "target_id" uuid null, "target_label" text null, "changes" jsonb not null, "address" text null, "user_agent" text null, "request_id" text null, primary key ("id"));`);
    this.addSql(`create index audit_entries_by_time on audit_entries (created_at);`);
    this.addSql(`create index audit_entries_by_action on audit_entries (account_id, action, created_at, id);`);
    this.addSql(`create index audit_entries_by_target on audit_entries (account_id, target_id, created_at, id);`);
    this.addSql(`create index audit_entries_by_account on audit_entries (account_id, created_at, id);`);

    this.addSql(appendOnly);
    this.addSql(`create trigger append_only before update or delete or truncate on audit_entries for each statement execute function refuse_audit_change();`);

    this.addSql(`create table "invitations" ("id" uuid not null, "account_id" uuid not null, "email" text not null, "role" text not null, "token_hash" bytea not null, "invited_by_id" uuid null, "created_at" timestamptz(3) not null default now(), "expires_at" timestamptz(3) not null, "accepted_at" timestamptz(3) null, "revoked_at" timestamptz(3) null, primary key ("id"));`);
    this.addSql(`alter table "invitations" add constraint "invitations_token_hash_unique" unique ("token_hash");`);
    this.addSql(`create unique index invitations_one_open on invitations (account_id, email) where accepted_at is null and revoked_at is null;`);

    this.addSql(`alter table "accounts" add "erased_after" timestamptz(3) null, add "erased_at" timestamptz(3) null;`);
    this.addSql(`create index accounts_erased_after on accounts (erased_after) where erased_after is not null and erased_at is null;`);

    this.addSql(`alter table "api_keys" add "role" text null;`);
    this.addSql(`alter table "api_keys" add constraint "api_keys_role_check" check ("role" in ('owner', 'admin', 'developer', 'billing', 'viewer'));`);
    this.addSql(earlierRoles);

    this.addSql(`alter table "invitations" add constraint "invitations_account_id_foreign" foreign key ("account_id") references "accounts" ("id") on delete cascade;`);
    this.addSql(`alter table "invitations" add constraint "invitations_invited_by_id_foreign" foreign key ("invited_by_id") references "users" ("id") on delete set null;`);
    this.addSql(`alter table "invitations" add constraint "invitations_role_check" check ("role" in ('owner', 'admin', 'developer', 'billing', 'viewer'));`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists "audit_entries" cascade;`);
    this.addSql(`drop function refuse_audit_change;`);
    this.addSql(`drop table if exists "invitations" cascade;`);

    this.addSql(`drop index "accounts_erased_after";`);
    this.addSql(`alter table "accounts" drop column "erased_after", drop column "erased_at";`);

    this.addSql(`alter table "api_keys" drop constraint "api_keys_role_check";`);
    this.addSql(`alter table "api_keys" drop column "role";`);
  }

}
