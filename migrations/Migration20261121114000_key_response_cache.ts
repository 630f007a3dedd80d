import { Migration } from '@mikro-orm/migrations';

export class Migration20261121114000_key_response_cache extends Migration {
  override name = 'Migration20261121114000_key_response_cache';

  override up(): void {
    this.addSql(`alter table "api_keys" add "response_cache_seconds" int null;`);
  }

  override down(): void {
    this.addSql(`alter table "api_keys" drop column "response_cache_seconds";`);
  }
}
