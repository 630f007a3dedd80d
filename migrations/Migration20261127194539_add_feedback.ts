import { Migration } from '@mikro-orm/migrations';

export class Migration20261127194539_add_feedback extends Migration {

  override name = 'Migration20261127194539_add_feedback';

  override up(): void | Promise<void> {
    this.addSql(`create table "feedback" ("id" uuid not null, "account_id" uuid not null, "author_id" uuid not null, "event_id" uuid null, "session_id" text null, "name" text not null, "value" jsonb not null, "score" double precision null, "comment" text null, "requested_at" timestamptz(3) not null, "created_at" timestamptz(3) not null, "updated_at" timestamptz(3) not null, primary key ("id"));`);
    this.addSql(`create index feedback_by_time on feedback (account_id, requested_at);`);
    this.addSql(`create unique index feedback_of_session on feedback (account_id, session_id, name, author_id) where session_id is not null;`);
    this.addSql(`create unique index feedback_of_request on feedback (account_id, event_id, name, author_id) where event_id is not null;`);

    this.addSql(`alter table "feedback" add constraint "feedback_account_id_foreign" foreign key ("account_id") references "accounts" ("id") on delete cascade;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists "feedback" cascade;`);
  }

}
