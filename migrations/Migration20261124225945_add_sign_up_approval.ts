import { Migration } from '@mikro-orm/migrations';

export class Migration20261124225945_add_sign_up_approval extends Migration {

  override name = 'Migration20261124225945_add_sign_up_approval';

  override up(): void | Promise<void> {
    this.addSql(`create table "pending_sign_ups" ("id" uuid not null, "email" text not null, "name" text not null, "password_hash" text null, "token_hash" bytea null, "created_at" timestamptz(3) not null default now(), "sent_at" timestamptz(3) null, "expires_at" timestamptz(3) not null, primary key ("id"));`);
    this.addSql(`create index "pending_sign_ups_email_index" on "pending_sign_ups" ("email");`);
    this.addSql(`alter table "pending_sign_ups" add constraint "pending_sign_ups_token_hash_unique" unique ("token_hash");`);
    this.addSql(`create index "pending_sign_ups_expires_at_index" on "pending_sign_ups" ("expires_at");`);

    this.addSql(`alter table "accounts" add "is_operator" boolean not null default false, add "spending_restricted" boolean not null default false;`);
    // The first start makes the account of who runs the server.
    this.addSql(`update accounts set is_operator = true where id = (select id from accounts order by created_at, id limit 1);`);
    this.addSql(`create index accounts_spending_restricted on accounts (created_at, id) where spending_restricted and erased_at is null;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists "pending_sign_ups" cascade;`);

    this.addSql(`drop index "accounts_spending_restricted";`);
    this.addSql(`alter table "accounts" drop column "is_operator", drop column "spending_restricted";`);
  }

}
