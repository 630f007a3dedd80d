import { Migration } from '@mikro-orm/migrations';

export class Migration20261128144743_add_connection_terms extends Migration {

  override name = 'Migration20261128144743_add_connection_terms';

  override up(): void | Promise<void> {
    this.addSql(`alter table "provider_connections" add "region" text null, add "trains_on_data" boolean null, add "retention_days" int null;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "provider_connections" drop column "region", drop column "trains_on_data", drop column "retention_days";`);
  }

}
