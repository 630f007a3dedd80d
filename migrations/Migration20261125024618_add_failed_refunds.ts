import { Migration } from '@mikro-orm/migrations';

export class Migration20261125024618_add_failed_refunds extends Migration {

  override name = 'Migration20261125024618_add_failed_refunds';

  override up(): void | Promise<void> {
    this.addSql(`create table "failed_refunds" ("id" uuid not null, "refund_id" text not null, "account_id" uuid not null, "charge_id" text not null, "cents" int not null, "reason" text null, "created_at" timestamptz(3) not null default now(), "attempts" int not null default 0, "retried_at" timestamptz(3) null, "retry_id" text null, primary key ("id"));`);
    this.addSql(`alter table "failed_refunds" add constraint "failed_refunds_refund_id_unique" unique ("refund_id");`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists "failed_refunds" cascade;`);
  }

}
