import { Migration } from '@mikro-orm/migrations';

export class Migration20261127150029_add_chat_completions extends Migration {

  override name = 'Migration20261127150029_add_chat_completions';

  override up(): void | Promise<void> {
    this.addSql(`create table "chat_completions" ("id" uuid not null, "account_id" uuid not null, "api_key_id" uuid not null, "member_id" uuid null, "completion_id" text not null, "model" text not null, "metadata" jsonb not null, "messages" jsonb not null, "completion" jsonb not null, "cost_nano" bigint null, "created_at" timestamptz(3) not null, "expires_at" timestamptz(3) not null, primary key ("id"));`);
    this.addSql(`create index chat_completions_by_expiry on chat_completions (expires_at);`);
    this.addSql(`create index chat_completions_by_account on chat_completions (account_id, created_at desc, id desc);`);
    this.addSql(`create unique index chat_completions_by_completion on chat_completions (account_id, completion_id, api_key_id);`);

    this.addSql(`alter table "chat_completions" add constraint "chat_completions_account_id_foreign" foreign key ("account_id") references "accounts" ("id") on delete cascade;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists "chat_completions" cascade;`);
  }

}
