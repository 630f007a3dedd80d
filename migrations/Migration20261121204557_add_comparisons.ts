import { Migration } from '@mikro-orm/migrations';

export class Migration20261121204557_add_comparisons extends Migration {

  override name = 'Migration20261121204557_add_comparisons';

  override up(): void | Promise<void> {
    this.addSql(`create table "comparisons" ("id" uuid not null, "account_id" uuid not null, "api_key_id" uuid not null, "member_id" uuid null, "kind" text not null, "name" text null, "question" jsonb not null, "created_at" timestamptz(3) not null default now(), "ended_at" timestamptz(3) null, "lease_until" timestamptz(3) not null, "share_token_hash" bytea null, "shared_at" timestamptz(3) null, primary key ("id"));`);
    this.addSql(`create unique index comparisons_by_token on comparisons (share_token_hash);`);
    this.addSql(`create index comparisons_unfinished on comparisons (lease_until) where ended_at is null;`);
    this.addSql(`create index comparisons_by_account on comparisons (account_id, created_at desc, id desc);`);

    this.addSql(`create table "comparison_lanes" ("comparison_id" uuid not null, "position" smallint not null, "model" text not null, "request_id" text not null, "status" text not null default 'running', "cancel_asked" boolean not null default false, "served_model" text null, "provider" text null, "output" text not null default '', "reasoning" text not null default '', "tool_calls" jsonb not null default '[]', "media" jsonb not null default '[]', "similarity" double precision null, "dimensions" int null, "finish_reason" text null, "input_tokens" int not null default 0, "output_tokens" int not null default 0, "cached_tokens" int not null default 0, "reasoning_tokens" int not null default 0, "estimated" boolean not null default true, "cost_nano" bigint not null default '0', "first_token_ms" int null, "duration_ms" int null, "tokens_per_second" double precision null, "error_code" text null, "error_message" text null, primary key ("comparison_id", "position"));`);
    this.addSql(`create index comparison_lanes_by_model on comparison_lanes (model, comparison_id);`);

    this.addSql(`create table "comparison_votes" ("comparison_id" uuid not null, "voter" uuid not null, "position" smallint null, "voted_at" timestamptz(3) not null default now(), primary key ("comparison_id", "voter"));`);

    this.addSql(`alter table "comparisons" add constraint "comparisons_account_id_foreign" foreign key ("account_id") references "accounts" ("id") on delete cascade;`);
    this.addSql(`alter table "comparisons" add constraint "comparisons_share_is_whole" check ((share_token_hash is null) = (shared_at is null));`);
    this.addSql(`alter table "comparisons" add constraint "comparisons_kind_check" check ("kind" in ('chat', 'image', 'speech', 'embeddings'));`);

    this.addSql(`alter table "comparison_lanes" add constraint "comparison_lanes_comparison_id_foreign" foreign key ("comparison_id") references "comparisons" ("id") on delete cascade;`);
    this.addSql(`alter table "comparison_lanes" add constraint "comparison_lanes_status_check" check ("status" in ('running', 'finished', 'failed', 'cancelled', 'interrupted'));`);

    this.addSql(`alter table "comparison_votes" add constraint "comparison_votes_comparison_id_foreign" foreign key ("comparison_id") references "comparisons" ("id") on delete cascade;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "comparison_lanes" drop constraint "comparison_lanes_comparison_id_foreign";`);
    this.addSql(`alter table "comparison_votes" drop constraint "comparison_votes_comparison_id_foreign";`);

    this.addSql(`drop table if exists "comparisons" cascade;`);
    this.addSql(`drop table if exists "comparison_lanes" cascade;`);
    this.addSql(`drop table if exists "comparison_votes" cascade;`);
  }

}
