import { Migration } from '@mikro-orm/migrations';

export class Migration20261128144707_add_dataset_runs extends Migration {

  override name = 'Migration20261128144707_add_dataset_runs';

  override up(): void | Promise<void> {
    this.addSql(`create table "dataset_runs" ("id" uuid not null, "account_id" uuid not null, "dataset_id" uuid null, "name" text not null, "scorers" jsonb not null, "temperature" double precision null, "max_tokens" int null, "item_count" int not null, "member_id" uuid null, "created_at" timestamptz(3) not null, "started_at" timestamptz(3) null, "cancel_asked_at" timestamptz(3) null, "ended_at" timestamptz(3) null, "outcome" text null, primary key ("id"));`);
    this.addSql(`create index dataset_runs_by_account on dataset_runs (account_id);`);
    this.addSql(`create index dataset_runs_by_dataset on dataset_runs (dataset_id, created_at desc, id desc);`);

    this.addSql(`create table "dataset_run_items" ("run_id" uuid not null, "line" int not null, "item_id" uuid not null, "position" int not null, "bytes" int not null, "content" bytea null, "wrapped_key" bytea null, primary key ("run_id", "line"));`);

    this.addSql(`create table "dataset_run_models" ("run_id" uuid not null, "position" int not null, "model" text not null, "is_priced" boolean not null, "outcome" text null, "summary" jsonb null, primary key ("run_id", "position"));`);

    this.addSql(`create table "dataset_run_outputs" ("run_id" uuid not null, "line" int not null, "model" int not null, "status" text null, "events" uuid[] not null, "error_code" text null, "bytes" int not null default 0, "content" bytea null, "wrapped_key" bytea null, "digest" bytea null, "scores" jsonb null, "is_metered" boolean not null default false, "cost_nano" bigint not null default '0', "input_tokens" int null, "output_tokens" int null, "duration_ms" int null, primary key ("run_id", "line", "model"));`);
    this.addSql(`create index dataset_run_outputs_unmetered on dataset_run_outputs (run_id, model, line) where not is_metered and status is not null;`);

    this.addSql(`alter table "batches" add "dataset_run_id" uuid null, add "dataset_run_model" int null;`);
    this.addSql(`alter table "batches" add constraint "batches_dataset_run_id_foreign" foreign key ("dataset_run_id") references "dataset_runs" ("id") on delete cascade;`);
    this.addSql(`create index batches_by_dataset_run on batches (dataset_run_id) where dataset_run_id is not null;`);

    this.addSql(`alter table "dataset_runs" add constraint "dataset_runs_account_id_foreign" foreign key ("account_id") references "accounts" ("id") on delete cascade;`);
    this.addSql(`alter table "dataset_runs" add constraint "dataset_runs_dataset_id_foreign" foreign key ("dataset_id") references "datasets" ("id") on delete set null;`);

    this.addSql(`alter table "dataset_run_items" add constraint "dataset_run_items_run_id_foreign" foreign key ("run_id") references "dataset_runs" ("id") on delete cascade;`);

    this.addSql(`alter table "dataset_run_models" add constraint "dataset_run_models_run_id_foreign" foreign key ("run_id") references "dataset_runs" ("id") on delete cascade;`);

    this.addSql(`alter table "dataset_run_outputs" add constraint "dataset_run_outputs_run_id_foreign" foreign key ("run_id") references "dataset_runs" ("id") on delete cascade;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "batches" drop constraint "batches_dataset_run_id_foreign";`);
    this.addSql(`alter table "dataset_run_items" drop constraint "dataset_run_items_run_id_foreign";`);
    this.addSql(`alter table "dataset_run_models" drop constraint "dataset_run_models_run_id_foreign";`);
    this.addSql(`alter table "dataset_run_outputs" drop constraint "dataset_run_outputs_run_id_foreign";`);

    this.addSql(`drop table if exists "dataset_runs" cascade;`);
    this.addSql(`drop table if exists "dataset_run_items" cascade;`);
    this.addSql(`drop table if exists "dataset_run_models" cascade;`);
    this.addSql(`drop table if exists "dataset_run_outputs" cascade;`);

    this.addSql(`drop index "batches_by_dataset_run";`);
    this.addSql(`alter table "batches" drop column "dataset_run_id", drop column "dataset_run_model";`);
  }

}
