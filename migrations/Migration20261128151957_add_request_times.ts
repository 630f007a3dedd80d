import { Migration } from '@mikro-orm/migrations';

export class Migration20261128151957_add_request_times extends Migration {

  override name = 'Migration20261128151957_add_request_times';

  override up(): void | Promise<void> {
    this.addSql(`alter table "usage_logs" add "admitted_ms" int null, add "last_output_ms" int null;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "usage_logs" drop column "admitted_ms", drop column "last_output_ms";`);
  }

}
