import { fileURLToPath } from 'node:url';
import { UnderscoreNamingStrategy } from '@mikro-orm/core';
import { ReflectMetadataProvider } from '@mikro-orm/decorators/legacy';
import { Migrator } from '@mikro-orm/migrations';
import { defineConfig } from '@mikro-orm/postgresql';
import { entities } from './entities/index.ts';

/** Both `src/database` and `dist/database` stand two folders below it. */
const packageRoot = fileURLToPath(new URL('../../', import.meta.url));

/** What the embedded and the server database have in common: entities, names, migrations. */
export const commonOrmOptions = defineConfig({
  dbName: 'sluice',
  baseDir: packageRoot,
  entities,
  metadataProvider: ReflectMetadataProvider,
  namingStrategy: UnderscoreNamingStrategy,
  // A forgotten fork fails loudly instead of sharing one identity map between callers.
  allowGlobalContext: false,
  forceUtcTimezone: true,
  extensions: [Migrator],
  migrations: {
    // Plain TypeScript that Node runs as it stands, so the source and the built server read the same files.
    path: `${packageRoot}migrations`,
    glob: '*.ts',
    emit: 'ts',
    snapshot: true,
    snapshotName: 'snapshot',
    // Running migrations never writes to the installation's folder.
    snapshotOnMigrate: false,
    disableForeignKeys: false,
    silent: true,
  },
});
