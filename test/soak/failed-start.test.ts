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
  it('because its port is in use creates no owner, whose key nobody would see', async () => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const address = other.address();
    const port = String(typeof address === 'object' && address !== null ? address.port : 0);
    const taken = await startFailing({ SLUICE_DATA_DIR: folder, PORT: port, SLUICE_CONFIG: unserved });
    const fault = `Another program already listens on 127.0.0.1:${port}. Set PORT to another port.`;
    expect(taken.code).toBe(1);
    // It is printed after all log lines.
    expect(taken.output.trim().split('\n')).toEqual([...unservedLines, fault]);
    await new Promise((resolve) => other.close(resolve));
    // The next start is the first that shows one.
    const server = await startServerIn(folder);
    expect(server.apiKey).toMatch(/^sk-sluice-/);
    expect(server.output()).toContain(`Dashboard ${server.url}`);
    await server.end('SIGTERM');
  });

  it('because its data folder cannot be created names the variable to change', async () => {
    const { code, output } = await startFailing({ SLUICE_DATA_DIR: '/proc/sluice', LOG_LEVEL: 'silent' });
    expect(code).toBe(1);
    expect(output).toMatch(/^ENOENT: no such file or directory, mkdir '\/proc\/sluice'\n.*Set SLUICE_DATA_DIR.*\n$/);
  });

  it('because of its settings reports all faults together', async () => {
    const { code, output } = await startFailing({ PORT: 'abc', DATABASE_URL: 'foo', OPENAI_BASE_URL: 'nourl' });
    expect(code).toBe(1);
    for (const name of ['PORT', 'DATABASE_URL', 'OPENAI_BASE_URL', 'SLUICE_SECRET'])
      expect(output).toContain(`- ${name} `);
    expect(output).not.toContain('ready');
  });
});
