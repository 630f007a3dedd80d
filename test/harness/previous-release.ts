import { readFileSync } from 'node:fs';

/** The release before this one: its processes may run while the database has the schema of this one. */
export const previousRelease: { readonly commit: string; readonly lastMigration: string } = JSON.parse(
  readFileSync(new URL('../fixtures/migrations/previous-release.json', import.meta.url), 'utf8'),
);
