import { Migration } from '@mikro-orm/migrations';

export class Migration20261122150525_sessions_revoked extends Migration {

  override name = 'Migration20261122150525_sessions_revoked';

  override up(): void | Promise<void> {
    this.addSql(`create index sessions_revoked on sessions (revoked_at) where revoked_at is not null;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop index "sessions_revoked";`);
  }

}
