import { Migration } from '@mikro-orm/migrations';

export class Migration20261128015843_add_content_level_to_usage_logs extends Migration {

  override name = 'Migration20261128015843_add_content_level_to_usage_logs';

  override up(): void | Promise<void> {
    this.addSql(`alter table "usage_logs" add "content_level" text null;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "usage_logs" drop column "content_level";`);
  }

}
