import { chmodSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { startFailing, startServer } from '../harness/server-process.ts';

function entriesOf(folder: string): { path: string; isFolder: boolean; mode: number }[] {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  const stats = ['.', ...names].map((name) => ({ path: name, stat: statSync(join(folder, name)) }));
  return stats.flatMap(({ path, stat }) =>
    stat.isFile() || stat.isDirectory() ? [{ path, isFolder: stat.isDirectory(), mode: stat.mode & 0o777 }] : [],
  );
}

it('is restricted to its owner at the next start, and so are new files', async () => {
  const server = await startServer();
  await server.end('SIGTERM');
  for (const { path, isFolder } of entriesOf(server.dataDir))
    chmodSync(join(server.dataDir, path), isFolder ? 0o755 : 0o644);
  const next = await server.restart();
  try {
    await next.end('SIGTERM');
    const open = entriesOf(next.dataDir).filter(({ mode, isFolder }) => mode !== (isFolder ? 0o700 : 0o600));
    expect(open).toEqual([]);
  } finally {
    await next.dispose();
  }
});

it('prevents the start if every user can write to it', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-open-'));
  try {
    chmodSync(folder, 0o777);
    const { code, output } = await startFailing({ SLUICE_DATA_DIR: folder });
    expect(code).toBe(1);
    expect(output).toContain(`${folder} is writable by every user of this machine (mode 0777)`);
    expect(readdirSync(folder)).toEqual([]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
