import { Migration } from '@mikro-orm/migrations';

export class Migration20261128024324_add_provider_copies_to_responses extends Migration {

  override name = 'Migration20261128024324_add_provider_copies_to_responses';

  override up(): void | Promise<void> {
    this.addSql(`alter table "responses" add "provider_copies" jsonb null;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "responses" drop column "provider_copies";`);
  }

}
