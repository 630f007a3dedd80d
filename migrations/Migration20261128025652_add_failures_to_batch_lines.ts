import { Migration } from '@mikro-orm/migrations';

export class Migration20261128025652_add_failures_to_batch_lines extends Migration {

  override name = 'Migration20261128025652_add_failures_to_batch_lines';

  override up(): void | Promise<void> {
    this.addSql(`alter table "batch_lines" add "failures" int not null default 0, add "last_error" text null, add "retry_at" timestamptz(3) null;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "batch_lines" drop column "failures", drop column "last_error", drop column "retry_at";`);
  }

}
