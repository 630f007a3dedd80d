import { Migration } from '@mikro-orm/migrations';

// contract since 0.1.0: nothing is removed, `usage_logs_by_event` keeps unique what `on conflict` of the previous release names.

/**
 * The key of the usage log begins with the account, so that the log can be distributed by account. Inserts of earlier versions
 * name `event_id, began_at` in `on conflict`: that stays unique until a later version.
 *
 * The indexes of the partitions were built before without blocking anyone (src/database/concurrent-indexes.ts). Here they are
 * attached, under a lock that needs milliseconds. One that is missing is built: of a partition that was created meanwhile, and
 * on the embedded database, which one process alone uses.
 */
const swap = `
do $body$
declare
  part record;
  prepared record;
  in_sessions text;
begin
  -- Waiting for a long reader would block everyone behind.
  perform set_config('lock_timeout', '3s', true);
  lock table usage_logs in access exclusive mode;
  perform set_config('lock_timeout', '0', true);

  alter table usage_logs drop constraint usage_logs_pkey;
  -- The key has its columns.
  drop index usage_logs_by_account;

  for part in
    select relname as name from pg_inherits join pg_class on pg_class.oid = inhrelid
    where inhparent = 'usage_logs'::regclass order by relname
  loop
    for prepared in
      select relname as name, indisvalid as is_valid from pg_index join pg_class on pg_class.oid = indexrelid
      where indexrelid in (to_regclass(part.name || '_account_key'), to_regclass(part.name || '_event_id_began_at_idx'))
    loop
      if not prepared.is_valid then
        -- Its build was interrupted.
        execute format('drop index %I', prepared.name);
      elsif prepared.name = part.name || '_account_key' then
        execute format(
          'alter table %I add constraint %I primary key using index %I', part.name, part.name || '_pkey', prepared.name
        );
      end if;
    end loop;
  end loop;
  alter table usage_logs add constraint usage_logs_pkey primary key (account_id, began_at, event_id);
  create unique index usage_logs_by_event on usage_logs (event_id, began_at);

  for part in
    select pg_class.oid, relname as name from pg_inherits join pg_class on pg_class.oid = inhrelid
    where inhparent = 'usage_logs'::regclass order by relname
  loop
    -- As in partitions that are created later.
    select relname into in_sessions from pg_inherits
      join pg_index on indexrelid = inhrelid join pg_class on pg_class.oid = inhrelid
    where inhparent = 'usage_logs_in_sessions'::regclass and indrelid = part.oid;
    if in_sessions <> part.name || '_account_id_began_at_event_id_idx' then
      execute format('alter index %I rename to %I', in_sessions, part.name || '_account_id_began_at_event_id_idx');
    end if;
  end loop;
end
$body$`;

export class Migration20261128213000_key_usage_logs_by_account extends Migration {

  override name = 'Migration20261128213000_key_usage_logs_by_account';

  override up(): void | Promise<void> {
    this.addSql(swap);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop index usage_logs_by_event;`);
    this.addSql(`alter table usage_logs drop constraint usage_logs_pkey;`);
    this.addSql(`alter table usage_logs add constraint usage_logs_pkey primary key (event_id, began_at);`);
    this.addSql(`create index usage_logs_by_account on usage_logs (account_id, began_at, event_id);`);
  }

}
