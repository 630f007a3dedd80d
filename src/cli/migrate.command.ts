import { withDatabase } from './with-database.ts';

/** @returns the exit code */
export async function migrateCommand(): Promise<number> {
  const { applied } = await withDatabase((database) => database.migrate());
  process.stdout.write(
    applied.length === 0 ? 'The database is up to date.\n' : `${applied.map((name) => `applied ${name}`).join('\n')}\n`,
  );
  return 0;
}
