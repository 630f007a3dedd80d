import { Migration } from '@mikro-orm/migrations';

export class Migration20261128015219_add_event_to_conversation_items extends Migration {

  override name = 'Migration20261128015219_add_event_to_conversation_items';

  override up(): void | Promise<void> {
    this.addSql(`alter table "conversation_items" add "event_id" uuid null;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "conversation_items" drop column "event_id";`);
  }

}
