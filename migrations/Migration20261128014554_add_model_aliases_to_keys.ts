import { Migration } from '@mikro-orm/migrations';

export class Migration20261128014554_add_model_aliases_to_keys extends Migration {

  override name = 'Migration20261128014554_add_model_aliases_to_keys';

  override up(): void | Promise<void> {
    this.addSql(`alter table "api_keys" add "model_aliases" jsonb null;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "api_keys" drop column "model_aliases";`);
  }

}
