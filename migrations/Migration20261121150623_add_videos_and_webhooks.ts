import { Migration } from '@mikro-orm/migrations';

export class Migration20261121150623_add_videos_and_webhooks extends Migration {

  override name = 'Migration20261121150623_add_videos_and_webhooks';

  override up(): void | Promise<void> {
    this.addSql(`create table "videos" ("id" uuid not null, "account_id" uuid not null, "api_key_id" uuid not null, "member_id" uuid null, "connection_id" text not null, "provider" text not null, "model" text not null, "requested_model" text not null, "upstream_model" text not null, "upstream_id" text not null, "upstream_state" jsonb not null default '{}', "status" text not null default 'queued', "progress" smallint not null default 0, "seconds" double precision null, "size" text null, "quality" text null, "prompt" text not null, "error_code" text null, "error_message" text null, "remixed_from" uuid null, "rates" jsonb null, "price_version" text not null, "cost_nano" bigint null, "bill_event_id" uuid null, "estimated" boolean not null default false, "created_at" timestamptz(3) not null, "completed_at" timestamptz(3) null, "expires_at" timestamptz(3) null, "deadline_at" timestamptz(3) not null, "poll_at" timestamptz(3) not null, "settled_at" timestamptz(3) null, primary key ("id"));`);
    this.addSql(`create index videos_unsettled on videos (poll_at) where settled_at is null;`);
    this.addSql(`create index videos_by_account on videos (account_id, created_at desc, id desc);`);

    this.addSql(`create table "webhooks" ("id" uuid not null, "account_id" uuid not null, "url" text not null, "events" text[] not null, "secret_hint" text not null, "sealed_secret" bytea not null, "created_at" timestamptz(3) not null default now(), "last_delivered_at" timestamptz(3) null, "last_attempt_at" timestamptz(3) null, "last_status" smallint null, "last_failure" text null, primary key ("id"));`);
    this.addSql(`create index "webhooks_account_id_index" on "webhooks" ("account_id");`);

    this.addSql(`alter table "videos" add constraint "videos_account_id_foreign" foreign key ("account_id") references "accounts" ("id") on delete cascade;`);

    this.addSql(`alter table "webhooks" add constraint "webhooks_account_id_foreign" foreign key ("account_id") references "accounts" ("id") on delete cascade;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists "videos" cascade;`);
    this.addSql(`drop table if exists "webhooks" cascade;`);
  }

}
