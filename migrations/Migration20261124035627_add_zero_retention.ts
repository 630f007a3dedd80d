import { Migration } from '@mikro-orm/migrations';

export class Migration20261124035627_add_zero_retention extends Migration {

  override name = 'Migration20261124035627_add_zero_retention';

  override up(): void | Promise<void> {
    this.addSql(`alter table "accounts" add "zero_retention" boolean not null default false;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "accounts" drop column "zero_retention";`);
  }

}
