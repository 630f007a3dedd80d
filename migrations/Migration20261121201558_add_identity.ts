import { Migration } from '@mikro-orm/migrations';

export class Migration20261121201558_add_identity extends Migration {

  override name = 'Migration20261121201558_add_identity';

  override up(): void | Promise<void> {
    this.addSql(`create table "spent_tokens" ("token_hash" bytea not null, "expires_at" timestamptz(3) not null, primary key ("token_hash"));`);
    this.addSql(`create index "spent_tokens_expires_at_index" on "spent_tokens" ("expires_at");`);

    this.addSql(`create table "recovery_codes" ("id" uuid not null, "user_id" uuid not null, "code_hash" bytea not null, "created_at" timestamptz(3) not null default now(), "used_at" timestamptz(3) null, primary key ("id"));`);
    this.addSql(`create index "recovery_codes_user_id_index" on "recovery_codes" ("user_id");`);

    this.addSql(`create table "mail_tokens" ("id" uuid not null, "user_id" uuid not null, "kind" text not null, "email" text not null, "token_hash" bytea not null, "created_at" timestamptz(3) not null default now(), "expires_at" timestamptz(3) not null, "used_at" timestamptz(3) null, primary key ("id"));`);
    this.addSql(`create index "mail_tokens_user_id_index" on "mail_tokens" ("user_id");`);
    this.addSql(`alter table "mail_tokens" add constraint "mail_tokens_token_hash_unique" unique ("token_hash");`);
    this.addSql(`create index "mail_tokens_expires_at_index" on "mail_tokens" ("expires_at");`);

    this.addSql(`create table "linked_identities" ("id" uuid not null, "user_id" uuid not null, "provider" text not null, "issuer" text not null, "subject" text not null, "email" text null, "created_at" timestamptz(3) not null default now(), "last_used_at" timestamptz(3) not null default now(), primary key ("id"));`);
    this.addSql(`create index "linked_identities_user_id_index" on "linked_identities" ("user_id");`);
    this.addSql(`alter table "linked_identities" add constraint "linked_identities_issuer_subject_unique" unique ("issuer", "subject");`);

    this.addSql(`alter table "users" add "email_verified_at" timestamptz(3) null, add "pending_email" text null, add "totp_secret" bytea null, add "totp_draft" bytea null, add "totp_last_step" int null;`);
    this.addSql(`alter table "users" alter column "password_hash" drop not null;`);
    // The first owner was named by the operator: nobody need prove that address.
    this.addSql(`update "users" set "email_verified_at" = "created_at" where "id" = (select "id" from "users" order by "created_at" limit 1);`);

    this.addSql(`alter table "recovery_codes" add constraint "recovery_codes_user_id_foreign" foreign key ("user_id") references "users" ("id") on delete cascade;`);

    this.addSql(`alter table "mail_tokens" add constraint "mail_tokens_user_id_foreign" foreign key ("user_id") references "users" ("id") on delete cascade;`);
    this.addSql(`alter table "mail_tokens" add constraint "mail_tokens_kind_check" check ("kind" in ('verify', 'reset'));`);

    this.addSql(`alter table "linked_identities" add constraint "linked_identities_user_id_foreign" foreign key ("user_id") references "users" ("id") on delete cascade;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists "spent_tokens" cascade;`);
    this.addSql(`drop table if exists "recovery_codes" cascade;`);
    this.addSql(`drop table if exists "mail_tokens" cascade;`);
    this.addSql(`drop table if exists "linked_identities" cascade;`);

    this.addSql(`alter table "users" drop column "email_verified_at", drop column "pending_email", drop column "totp_secret", drop column "totp_draft", drop column "totp_last_step";`);
    this.addSql(`alter table "users" alter column "password_hash" set not null;`);
  }

}
