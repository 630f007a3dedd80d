import { Migration } from '@mikro-orm/migrations';

export class Migration20261127150321_add_provider_batches extends Migration {

  override name = 'Migration20261127150321_add_provider_batches';

  override up(): void | Promise<void> {
    this.addSql(`create table "provider_batches" ("id" uuid not null, "batch_id" uuid not null, "connection_id" text not null, "model" text not null, "upstream_model" text not null, "kind" text not null, "stage" text not null default 'collecting', "total" int not null default 0, "bytes" int not null default 0, "reserved_nano" bigint not null default '0', "upload_id" text null, "external_id" text null, "creating_since" timestamptz(3) null, "cancelled_at" timestamptz(3) null, "created_at" timestamptz(3) not null default clock_timestamp(), primary key ("id"));`);
    this.addSql(`create index "provider_batches_batch_id_index" on "provider_batches" ("batch_id");`);

    this.addSql(`alter table "batches" add "pass" text not null default 'run', add "wait_until" timestamptz(3) null;`);
    this.addSql(`alter table "batches" add constraint "batches_pass_check" check ("pass" in ('collect', 'run', 'deliver'));`);

    this.addSql(`alter table "batch_lines" add "provider_batch_id" uuid null, add "part" text null, add "answer_status" int null, add "answer" text null;`);

    this.addSql(`alter table "provider_batches" add constraint "provider_batches_batch_id_foreign" foreign key ("batch_id") references "batches" ("id") on delete cascade;`);
    this.addSql(`alter table "provider_batches" add constraint "provider_batches_stage_check" check ("stage" in ('collecting', 'uploading', 'creating', 'running', 'ended', 'delivered'));`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists "provider_batches" cascade;`);

    this.addSql(`alter table "batch_lines" drop column "provider_batch_id", drop column "part", drop column "answer_status", drop column "answer";`);

    this.addSql(`alter table "batches" drop constraint "batches_pass_check";`);
    this.addSql(`alter table "batches" drop column "pass", drop column "wait_until";`);
  }

}
