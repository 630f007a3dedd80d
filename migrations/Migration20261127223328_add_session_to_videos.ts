import { Migration } from '@mikro-orm/migrations';

export class Migration20261127223328_add_session_to_videos extends Migration {

  override name = 'Migration20261127223328_add_session_to_videos';

  override up(): void | Promise<void> {
    this.addSql(`alter table "videos" add "session_id" text null, add "trace_id" text null;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "videos" drop column "session_id", drop column "trace_id";`);
  }

}
