import { Migration } from '@mikro-orm/migrations';

export class Migration20261127064350_add_batches extends Migration {

  override name = 'Migration20261127064350_add_batches';

  override up(): void | Promise<void> {
    this.addSql(`create table "batches" ("id" uuid not null, "account_id" uuid not null, "api_key_id" uuid not null, "member_id" uuid null, "is_by_session" boolean not null default false, "protocol" text not null, "endpoint" text not null, "beta" text null, "status" text not null, "input_file_id" text null, "input_blob_id" uuid null, "metadata" jsonb null, "output_seconds" int null, "total" int not null default 0, "succeeded" int not null default 0, "errored" int not null default 0, "problems" jsonb null, "output_file_id" text null, "error_file_id" text null, "results_blob_id" uuid null, "created_at" timestamptz(3) not null, "started_at" timestamptz(3) null, "finalizing_at" timestamptz(3) null, "ended_at" timestamptz(3) null, "cancel_asked_at" timestamptz(3) null, "expires_at" timestamptz(3) not null, "removed_after" timestamptz(3) not null, "lease_token" int not null default 0, "lease_until" timestamptz(3) null, "turn_at" timestamptz(3) null, "input_offset" int not null default 0, "next_line" int not null default 0, "lines_began_at" timestamptz(3) null, primary key ("id"));`);
    this.addSql(`create index batches_by_removal on batches (removed_after);`);
    this.addSql(`create index batches_unfinished on batches (turn_at) where ended_at is null;`);
    this.addSql(`create index batches_by_account on batches (account_id, protocol, created_at desc, id desc);`);

    this.addSql(`create table "batch_lines" ("batch_id" uuid not null, "line" int not null, "attempt" int not null default 0, "began_at" timestamptz(3) null, "is_success" boolean null, "result" text null, primary key ("batch_id", "line"));`);

    this.addSql(`alter table "batches" add constraint "batches_account_id_foreign" foreign key ("account_id") references "accounts" ("id") on delete cascade;`);
    this.addSql(`alter table "batches" add constraint "batches_protocol_check" check ("protocol" in ('openai', 'anthropic'));`);
    this.addSql(`alter table "batches" add constraint "batches_status_check" check ("status" in ('validating', 'in_progress', 'finalizing', 'completed', 'failed', 'expired', 'cancelled'));`);

    this.addSql(`alter table "batch_lines" add constraint "batch_lines_batch_id_foreign" foreign key ("batch_id") references "batches" ("id") on delete cascade;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "batch_lines" drop constraint "batch_lines_batch_id_foreign";`);

    this.addSql(`drop table if exists "batches" cascade;`);
    this.addSql(`drop table if exists "batch_lines" cascade;`);
  }

}
