import { Migration } from '@mikro-orm/migrations';

export class Migration20261128113400_add_keys_to_logged_texts extends Migration {

  override name = 'Migration20261128113400_add_keys_to_logged_texts';

  override up(): void | Promise<void> {
    this.addSql(`alter table "logged_texts" add "is_keyed" boolean not null default false;`);
    this.addSql(`create index logged_texts_without_keys on logged_texts (account_id, event_id) where not is_keyed;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop index "logged_texts_without_keys";`);
    this.addSql(`alter table "logged_texts" drop column "is_keyed";`);
  }

}
