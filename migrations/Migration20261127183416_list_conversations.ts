import { Migration } from '@mikro-orm/migrations';

export class Migration20261127183416_list_conversations extends Migration {

  override name = 'Migration20261127183416_list_conversations';

  override up(): void | Promise<void> {
    this.addSql(`drop index "conversations_account_id_index";`);
    this.addSql(`create index conversations_by_account on conversations (account_id, created_at desc, id desc);`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop index "conversations_by_account";`);
    this.addSql(`create index "conversations_account_id_index" on "conversations" ("account_id");`);
  }

}
