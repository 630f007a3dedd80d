import { Migration } from '@mikro-orm/migrations';

export class Migration20261127054754_add_protocol_to_usage_logs extends Migration {

  override name = 'Migration20261127054754_add_protocol_to_usage_logs';

  override up(): void | Promise<void> {
    this.addSql(`alter table "usage_logs" add "protocol" text null;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "usage_logs" drop column "protocol";`);
  }

}
