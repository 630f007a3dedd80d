import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDatabase } from './database.ts';

/** Exits with 1 if the migrations do not produce the schema that the entities describe. */
const dataDir = await mkdtemp(join(tmpdir(), 'sluice-drift-'));
const database = await openDatabase({ dataDir });
const drifted = await database.orm.migrator.checkSchema();
await database.close();
await rm(dataDir, { recursive: true, force: true });
if (drifted) {
  process.stderr.write(
    'The entities differ from the migrations: add a migration with `npm run migration -- <name>`.\n',
  );
  process.exit(1);
}
