import { Migration } from '@mikro-orm/migrations';

export class Migration20261127160527_add_served_model extends Migration {

  override name = 'Migration20261127160527_add_served_model';

  override up(): void | Promise<void> {
    this.addSql(`alter table "chat_completions" add "served_model" text null;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "chat_completions" drop column "served_model";`);
  }

}
