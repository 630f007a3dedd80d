import { ChangeWatch } from '../../src/database/change-watch.ts';
import type { Database } from '../../src/database/database.ts';

/** A migrated database that tests use one after the other, each as if it were new. */
export class WorkerDatabase {
  readonly #database: Database;
  readonly #reset: string;
  #lent: Lent | undefined;

  private constructor(database: Database, reset: string) {
    this.#database = database;
    this.#reset = reset;
  }

  /** @param database migrated, without any row, and used by nobody else */
  static async of(database: Database): Promise<WorkerDatabase> {
    const [row] = await database.query<{ last: string }>(
      'select max(oid)::text as last from (select oid from pg_class union all select oid from pg_namespace) as known',
    );
    return new WorkerDatabase(database, resetStatement(Number(row?.last)));
  }

  /** What was lent before can be used no more. */
  async lend(): Promise<Database> {
    this.#lent?.end();
    await this.#database.query(this.#reset);
    this.#lent = new Lent(this.#database);
    return this.#lent.database;
  }

  close(): Promise<void> {
    this.#lent?.end();
    return this.#database.close();
  }
}

/** A database as one test has it, until the test is over. */
class Lent {
  readonly database: Database;
  #isOver = false;

  constructor(of: Database) {
    const query: Database['query'] = async (text, values) => this.#whileLent(of).query(text, values);
    const changes = new ChangeWatch({ query });
    this.database = {
      kind: of.kind,
      orm: of.orm,
      changes,
      query,
      em: () => this.#whileLent(of).em(),
      read: async (work) => this.#whileLent(of).read(work),
      migrate: async () => this.#whileLent(of).migrate(),
      transaction: async (work) => this.#whileLent(of).transaction(work),
      ping: async () => this.#whileLent(of).ping(),
      close: async () => changes.close(),
    };
  }

  end(): void {
    this.#isOver = true;
    this.database.changes.close();
  }

  /** Work that outlives its test would change what the next test sees: it fails instead. */
  #whileLent(database: Database): Database {
    if (this.#isOver) throw new Error('The test that this database was opened for is over.');
    return database;
  }
}

/**
 * Removes all rows and all that was created after the migrations: partitions of usage, the schema of the job queue,
 * tables of tests. The user needs the right to set `session_replication_role`, as the owner of a cluster has.
 * @param last of all tables and schemas that the migrations made, the highest object identifier
 */
function resetStatement(last: number): string {
  return `
do $$
declare
  found record;
begin
  -- No trigger refuses a deletion, and no foreign key asks for an order.
  set local session_replication_role = replica;
  for found in select nspname as name from pg_namespace where oid > ${last} and nspname !~ '^pg_' loop
    execute format('drop schema %I cascade', found.name);
  end loop;
  for found in
    select relname as name from pg_class
    where oid > ${last} and relnamespace = 'public'::regnamespace and relkind in ('r', 'p')
  loop
    execute format('drop table if exists %I cascade', found.name);
  end loop;
  for found in
    select relname as name, pg_relation_size(oid) as bytes from pg_class
    where relnamespace = 'public'::regnamespace and relkind = 'r' and relname <> 'mikro_orm_migrations'
  loop
    -- To delete a few rows is cheaper than to make new files for a table and its indexes.
    if found.bytes > 65536 then
      execute format('truncate %I cascade', found.name);
    elsif found.bytes > 0 then
      execute format('delete from %I', found.name);
    end if;
  end loop;
  perform setval(oid::regclass, 1, false) from pg_class
  where relnamespace = 'public'::regnamespace and relkind = 'S' and relname <> 'mikro_orm_migrations_id_seq';
end
$$`;
}
