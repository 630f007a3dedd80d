import { fileURLToPath } from 'node:url';
import { UnderscoreNamingStrategy } from '@mikro-orm/core';
import { ReflectMetadataProvider } from '@mikro-orm/decorators/legacy';
import { Migrator } from '@mikro-orm/migrations';
import { defineConfig } from '@mikro-orm/postgresql';
import { entities } from './entities/index.ts';

/** Both `src/database` and `dist/database` are two folders below it. */
const packageRoot = fileURLToPath(new URL('../../', import.meta.url));

/** Options shared by the embedded and the server database: entities, naming, migrations. */
export const commonOrmOptions = defineConfig({
  dbName: 'sluice',
  baseDir: packageRoot,
  entities,
  metadataProvider: ReflectMetadataProvider,
  namingStrategy: UnderscoreNamingStrategy,
  // Fails on a missing fork instead of sharing one identity map between requests.
  allowGlobalContext: false,
  forceUtcTimezone: true,
  extensions: [Migrator],
  // Node can run the TypeScript sources directly, but the built server must not depend on a compiler.
  preferTs: import.meta.url.endsWith('.ts'),
  migrations: {
    path: `${packageRoot}dist/migrations`,
    pathTs: `${packageRoot}migrations`,
    glob: '*.{js,ts}',
    emit: 'ts',
    snapshot: true,
    snapshotName: 'snapshot',
    // Running migrations never writes to the installation folder.
    snapshotOnMigrate: false,
    disableForeignKeys: false,
    silent: true,
  },
});
