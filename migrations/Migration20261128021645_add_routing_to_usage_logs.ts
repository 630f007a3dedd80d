import { Migration } from '@mikro-orm/migrations';

export class Migration20261128021645_add_routing_to_usage_logs extends Migration {

  override name = 'Migration20261128021645_add_routing_to_usage_logs';

  override up(): void | Promise<void> {
    this.addSql(`alter table "usage_logs" add "routing" jsonb null;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "usage_logs" drop column "routing";`);
  }

}
