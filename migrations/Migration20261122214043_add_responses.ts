import { Migration } from '@mikro-orm/migrations';

export class Migration20261122214043_add_responses extends Migration {

  override name = 'Migration20261122214043_add_responses';

  override up(): void | Promise<void> {
    this.addSql(`create table "responses" ("id" uuid not null, "account_id" uuid not null, "api_key_id" uuid not null, "member_id" uuid null, "model" text not null, "status" text not null, "background" boolean not null default false, "previous_id" uuid null, "input" jsonb not null, "response" jsonb not null, "cost_nano" bigint null, "created_at" timestamptz(3) not null, "completed_at" timestamptz(3) null, "expires_at" timestamptz(3) not null, "cancel_asked_at" timestamptz(3) null, "lease_until" timestamptz(3) null, primary key ("id"));`);
    this.addSql(`create index responses_by_expiry on responses (expires_at);`);
    this.addSql(`create index responses_unfinished on responses (lease_until) where completed_at is null;`);
    this.addSql(`create index responses_by_account on responses (account_id, created_at desc, id desc);`);

    this.addSql(`create table "response_events" ("response_id" uuid not null, "sequence_number" int not null, "event" text not null, primary key ("response_id", "sequence_number"));`);

    this.addSql(`alter table "responses" add constraint "responses_account_id_foreign" foreign key ("account_id") references "accounts" ("id") on delete cascade;`);
    this.addSql(`alter table "responses" add constraint "responses_status_check" check ("status" in ('queued', 'in_progress', 'completed', 'failed', 'cancelled', 'incomplete'));`);

    this.addSql(`alter table "response_events" add constraint "response_events_response_id_foreign" foreign key ("response_id") references "responses" ("id") on delete cascade;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "response_events" drop constraint "response_events_response_id_foreign";`);

    this.addSql(`drop table if exists "responses" cascade;`);
    this.addSql(`drop table if exists "response_events" cascade;`);
  }

}
