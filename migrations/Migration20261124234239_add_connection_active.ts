import { Migration } from '@mikro-orm/migrations';

export class Migration20261124234239_add_connection_active extends Migration {

  override name = 'Migration20261124234239_add_connection_active';

  override up(): void | Promise<void> {
    this.addSql(`alter table "provider_connections" add "active" boolean not null default true;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "provider_connections" drop column "active";`);
  }

}
