import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { startFailing } from '../../harness/server-process.ts';

const folder = mkdtempSync(join(tmpdir(), 'sluice-manifest-'));

afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Starts it with these settings of `graphql`. */
function startWith(graphql: string): ReturnType<typeof startFailing> {
  const config = join(folder, 'sluice.yaml');
  writeFileSync(config, `graphql: ${graphql}`);
  return startFailing({ SLUICE_CONFIG: config, SLUICE_DATA_DIR: join(folder, 'data') });
}

describe('a manifest of trusted documents', () => {
  it('that is not there stops the server before it listens', async () => {
    const { code, output } = await startWith(`{ trusted_documents: ${join(folder, 'nowhere.json')} }`);
    expect([code, output]).toEqual([1, expect.stringContaining('graphql.trusted_documents')]);
  });

  it('that is none stops the server before it listens', async () => {
    writeFileSync(join(folder, 'list.json'), '[1, 2]');
    const { code, output } = await startWith(`{ trusted_documents: ${join(folder, 'list.json')} }`);
    expect([code, output]).toEqual([1, expect.stringContaining('graphql.trusted_documents')]);
  });

  it('is needed where only its documents may run', async () => {
    const { code, output } = await startWith('{ only_trusted: true }');
    expect([code, output]).toEqual([1, expect.stringContaining('graphql.only_trusted')]);
  });
});
