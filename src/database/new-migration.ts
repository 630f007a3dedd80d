import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDatabase } from './database.ts';

/** Writes a migration from the schema of the existing migrations to the schema of the entities. */
const [name] = process.argv.slice(2);
if (name === undefined || !/^[a-z][a-z0-9_]*$/.test(name)) {
  process.stderr.write(
    'Usage: npm run migration -- <name>   (lower case and underscores, what it does: add_invitations)\n',
  );
  process.exit(2);
}
const dataDir = await mkdtemp(join(tmpdir(), 'sluice-migration-'));
const database = await openDatabase({ dataDir });
const { fileName } = await database.orm.migrator.create(undefined, false, false, name);
await database.close();
await rm(dataDir, { recursive: true, force: true });
process.stdout.write(
  fileName === ''
    ? 'The entities and the migrations agree: nothing was written.\n'
    : `migrations/${fileName} was written: read it before you commit it.\n`,
);
