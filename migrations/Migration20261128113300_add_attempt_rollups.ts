import { Migration } from '@mikro-orm/migrations';

export class Migration20261128113300_add_attempt_rollups extends Migration {

  override name = 'Migration20261128113300_add_attempt_rollups';

  override up(): void | Promise<void> {
    this.addSql(`create table "attempt_rollups" ("account_id" uuid not null, "bucket" timestamptz(3) not null, "provider" text not null, "model" text not null, "capability" text not null, "own_connection" boolean not null, "code" text not null, "attempts" int not null, "successes" int not null, "failures" int not null, "streamed_tokens" bigint not null, "streamed_ms" bigint not null, primary key ("account_id", "bucket", "provider", "model", "capability", "own_connection", "code"));`);
    this.addSql(`create index "attempt_rollups_bucket_index" on "attempt_rollups" ("bucket");`);

    this.addSql(`create table "status_days" ("day" date not null, "kind" text not null, "name" text not null, "successes" bigint not null, "failures" bigint not null, primary key ("day", "kind", "name"));`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists "attempt_rollups" cascade;`);
    this.addSql(`drop table if exists "status_days" cascade;`);
  }

}
