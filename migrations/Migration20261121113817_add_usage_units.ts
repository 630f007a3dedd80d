import { Migration } from '@mikro-orm/migrations';

export class Migration20261121113817_add_usage_units extends Migration {

  override name = 'Migration20261121113817_add_usage_units';

  override up(): void | Promise<void> {
    this.addSql(`alter table "usage_logs" add "units" jsonb null;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "usage_logs" drop column "units";`);
  }

}
