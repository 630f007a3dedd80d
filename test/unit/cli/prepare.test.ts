import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, readFileSync, rmSync, statSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, describe, expect, it } from 'vitest';
import { smallCheckout } from '../../harness/small-checkout.ts';

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

function checkout(main?: string): ReturnType<typeof smallCheckout> {
  const made = smallCheckout(main);
  folders.push(made.folder);
  return made;
}

/** @returns the messages on stderr */
function prepare(folder: string, ...options: string[]): string {
  const script = join(folder, 'src', 'cli', 'prepare.mjs');
  const { status, stderr } = spawnSync(process.execPath, [script, ...options], { encoding: 'utf8' });
  expect({ status, stderr }).toMatchObject({ status: 0 });
  return stderr;
}

const oldNode = `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.20.2' } });`;

const generated = 'src/dashboard/generated/graphql.ts';
const both = 'Building …\nBuilding the dashboard …\n';

it('fails before the build if Node is too old and no package provides another', () => {
  const { folder, write } = checkout();
  write(generated, '');
  rmSync(join(folder, 'node_modules', '.bin'), { recursive: true });
  write('old-node.mjs', oldNode);
  const script = join(folder, 'src', 'cli', 'prepare.mjs');
  const run = ['--import', join(folder, 'old-node.mjs'), script];
  const { status, stderr } = spawnSync(process.execPath, run, { encoding: 'utf8' });
  expect([status, stderr]).toEqual([
    1,
    'Node 20.20.2 is too old. Install Node 22.19 or newer, then run the same command again.\n',
  ]);
});

describe('a checkout that is built', () => {
  it('is not rebuilt, and neither is a copy of it in another folder', () => {
    const { folder, write } = checkout();
    write(generated, '');
    expect(prepare(folder)).toBe(both);
    expect(prepare(folder)).toBe('');
    const copy = mkdtempSync(join(tmpdir(), 'sluice-copy-'));
    folders.push(copy);
    cpSync(folder, copy, { recursive: true });
    expect(prepare(copy)).toBe('');
    for (const mark of ['.built', '.dashboard-built'])
      expect(readFileSync(join(copy, 'dist', mark))).toEqual(readFileSync(join(folder, 'dist', mark)));
  });

  it.each([
    ['src/main.ts', 'Building …\n'],
    ['migrations/Migration1.ts', 'Building …\n'],
    ['src/dashboard/main.tsx', 'Building the dashboard …\n'],
    ['tsconfig.json', both],
  ])('is rebuilt when a byte of %s differs, whatever its modification time', (path, built) => {
    const { folder, write } = checkout();
    write(generated, '');
    write(path, '{}//1');
    prepare(folder);
    const { atime, mtime } = statSync(join(folder, path));
    write(path, '{}//2');
    utimesSync(join(folder, path), atime, mtime);
    expect(prepare(folder)).toBe(built);
  });
});

describe('npm run generate', () => {
  it('generates the sources of the dashboard before it is built', () => {
    const { folder } = checkout();
    const { status, stderr } = spawnSync('npm', ['run', 'generate'], { cwd: folder, encoding: 'utf8' });
    expect({ status, stderr }).toMatchObject({ status: 0 });
    expect(prepare(folder)).toBe('Building the dashboard …\n');
  });
});

describe('npm run dev', () => {
  it('restarts the server for a new migration', async () => {
    const main = `
      import { readdirSync } from 'node:fs';
      process.stdout.write('serves ' + readdirSync('dist/migrations').sort().join(' ') + '\\n');
      setInterval(() => {}, 60_000);
      process.on('SIGTERM', () => process.exit(0));`;
    const { folder, write } = checkout(main);
    write(generated, '');
    const script = join(folder, 'src', 'cli', 'develop.mjs');
    const command = spawn(process.execPath, [script], { cwd: folder, stdio: ['ignore', 'pipe', 'ignore'] });
    try {
      const lines = createInterface(command.stdout)[Symbol.asyncIterator]();
      expect((await lines.next()).value).toBe('serves Migration1.js');
      write('migrations/Migration2.ts', '// 2');
      expect((await lines.next()).value).toBe('serves Migration1.js Migration2.js');
    } finally {
      command.kill('SIGTERM');
      await once(command, 'exit');
    }
  });
});
