import { Migration } from '@mikro-orm/migrations';

export class Migration20261127183933_own_completion_ids extends Migration {

  override name = 'Migration20261127183933_own_completion_ids';

  override up(): void | Promise<void> {
    this.addSql(`drop index "chat_completions_by_completion";`);
    this.addSql(`create index chat_completions_by_completion_id on chat_completions (account_id, completion_id);`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop index "chat_completions_by_completion_id";`);
    this.addSql(`create unique index chat_completions_by_completion on chat_completions (account_id, completion_id, api_key_id);`);
  }

}
