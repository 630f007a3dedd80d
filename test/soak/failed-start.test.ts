import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { startFailing, startServerIn } from '../harness/server-process.ts';

const folder = mkdtempSync(join(tmpdir(), 'sluice-failed-'));
const unserved = join(folder, 'unserved.yaml');
writeFileSync(
  unserved,
  `routes: { ${['r', 's', 't'].map((name) => `${name}: { targets: [openai/like-no-other] }`).join(', ')} }\n`,
);
const unservedLines = ['r', 's', 't'].map((name) => expect.stringContaining(`no connection serves route ${name}`));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('a start that fails', () => {
  it('at its port makes no owner, whose key nobody would have seen', async () => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const address = other.address();
    const port = String(typeof address === 'object' && address !== null ? address.port : 0);
    const taken = await startFailing({ SLUICE_DATA_DIR: folder, PORT: port, SLUICE_CONFIG: unserved });
    const fault = `Another program listens at 127.0.0.1:${port} already: set PORT to another port.`;
    expect(taken.code).toBe(1);
    // It stands below all that was logged.
    expect(taken.output.trim().split('\n')).toEqual([...unservedLines, fault]);
    await new Promise((resolve) => other.close(resolve));
    // The next start is the first that shows one.
    const server = await startServerIn(folder);
    expect(server.apiKey).toMatch(/^sk-sluice-/);
    expect(server.output()).toContain(`Dashboard ${server.url}`);
    await server.end('SIGTERM');
  });

  it('at its folder says so, and which variable names another', async () => {
    const { code, output } = await startFailing({ SLUICE_DATA_DIR: '/proc/sluice', LOG_LEVEL: 'silent' });
    expect(code).toBe(1);
    expect(output).toMatch(/^ENOENT: no such file or directory, mkdir '\/proc\/sluice'\n.*set SLUICE_DATA_DIR.*\n$/);
  });

  it('by its settings tells all faults together', async () => {
    const { code, output } = await startFailing({ PORT: 'abc', DATABASE_URL: 'foo', OPENAI_BASE_URL: 'nourl' });
    expect(code).toBe(1);
    for (const name of ['PORT', 'DATABASE_URL', 'OPENAI_BASE_URL', 'SLUICE_SECRET'])
      expect(output).toContain(`- ${name} `);
    expect(output).not.toContain('ready');
  });
});
