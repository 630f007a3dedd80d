import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { soakDatabases, type SoakDatabase } from '../../soak/databases.ts';

const folder = fileURLToPath(new URL('../../soak/', import.meta.url));
const files = globSync('**/*.test.ts', { cwd: folder }).map((path) => path.replaceAll('\\', '/'));

describe('the list of databases of the soak lane', () => {
  it('has one entry for each file', () => {
    expect(Object.keys(soakDatabases).toSorted()).toEqual(files.toSorted());
  });

  it.each(Object.entries(soakDatabases))('is right about the database of %s', (path, { database }) => {
    const text = readFileSync(`${folder}${path}`, 'utf8');
    expect(databasesIn(text)).toContain(database);
  });
});

/** Those that a file with this text may run on. */
function databasesIn(text: string): SoakDatabase['database'][] {
  if (text.includes('describeOnEachDatabase(') || text.includes("each(['embedded', 'server']")) return ['both'];
  if (/\b(startPostgres\(|startWorkers\(|startGatewayCluster\(|shared\('(product|migrated)Database'\))/.test(text))
    return ['server PostgreSQL'];
  return /\b(startServer|startServerIn|startConfigured|startFailing|temporaryDataDir|startWithLongLog)\(|embedded/.test(
    text,
  )
    ? ['embedded']
    : ['none'];
}
