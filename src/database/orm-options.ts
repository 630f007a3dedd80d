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
  // Node can run TypeScript as it stands, but the server that is built shall not carry the compiler that takes.
  preferTs: import.meta.url.endsWith('.ts'),
  migrations: {
    path: `${packageRoot}dist/migrations`,
    pathTs: `${packageRoot}migrations`,
    glob: '*.{js,ts}',
    emit: 'ts',
    snapshot: true,
    snapshotName: 'snapshot',
    // Running migrations never writes to the installation's folder.
    snapshotOnMigrate: false,
    disableForeignKeys: false,
    silent: true,
  },
});
