import { Migration } from '@mikro-orm/migrations';

export class Migration20261127190718_add_sessions extends Migration {

  override name = 'Migration20261127190718_add_sessions';

  override up(): void | Promise<void> {
    this.addSql(`alter table "usage_logs" add "session_id" text null, add "parent_id" text null, add "trace_id" text null;`);
    this.addSql(`create index usage_logs_by_trace on usage_logs (account_id, trace_id, began_at, event_id) where trace_id is not null;`);
    this.addSql(`create index usage_logs_in_sessions on usage_logs (account_id, began_at, event_id) where session_id is not null;`);
    this.addSql(`create index usage_logs_by_session on usage_logs (account_id, session_id, began_at, event_id) where session_id is not null;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop index "usage_logs_by_trace";`);
    this.addSql(`drop index "usage_logs_in_sessions";`);
    this.addSql(`drop index "usage_logs_by_session";`);
    this.addSql(`alter table "usage_logs" drop column "session_id", drop column "parent_id", drop column "trace_id";`);
  }

}
