import { chmod, mkdir, mkdtemp, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { restrictDataFolder } from '../../../src/config/data-folder-access.ts';
import { ConfigurationError } from '../../../src/config/environment.ts';

describe('the data folder', () => {
  let outside: string;
  let folder: string;
  let warnings: string[];
  const closing = (): Promise<void> => restrictDataFolder(folder, (text) => warnings.push(text));
  const modeOf = async (...path: string[]): Promise<number> => (await stat(join(folder, ...path))).mode & 0o777;

  beforeEach(async () => {
    outside = await mkdtemp(join(tmpdir(), 'sluice-data-'));
    folder = join(outside, 'data');
    await mkdir(join(folder, 'blobs', 'ab'), { recursive: true });
    for (const path of ['usage', 'blobs/ab/one']) await writeFile(join(folder, path), 'kept');
    for (const path of ['.', 'blobs', 'blobs/ab']) await chmod(join(folder, path), 0o755);
    for (const path of ['usage', 'blobs/ab/one']) await chmod(join(folder, path), 0o644);
    warnings = [];
  });
  afterEach(() => rm(outside, { recursive: true, force: true }));

  it('is restricted to its owner with its content, with one warning', async () => {
    await closing();
    expect([await modeOf('.'), await modeOf('blobs'), await modeOf('blobs', 'ab')]).toEqual([0o700, 0o700, 0o700]);
    expect([await modeOf('usage'), await modeOf('blobs', 'ab', 'one')]).toEqual([0o600, 0o600]);
    expect(warnings).toEqual([expect.stringContaining('could be read by other users of this machine (mode 0755)')]);
    await closing();
    expect(warnings).toHaveLength(1);
  });

  it('has its files restricted even if the folder was already restricted', async () => {
    await chmod(folder, 0o700);
    await closing();
    expect(await modeOf('usage')).toBe(0o600);
    expect(warnings).toEqual([]);
  });

  it('loses write access of the group, which container volumes grant', async () => {
    await chmod(folder, 0o775);
    await closing();
    expect(await modeOf('.')).toBe(0o700);
    expect(warnings[0]).toContain('read and changed');
  });

  it.each([
    ['the folder itself', '.', 0o777],
    ['a folder in it', 'blobs/ab', 0o757],
    ['a file in it', 'blobs/ab/one', 0o646],
  ])('is refused if every user could write to %s', async (_what, path, mode) => {
    await chmod(join(folder, path), mode);
    await expect(closing()).rejects.toThrow(ConfigurationError);
    await expect(closing()).rejects.toThrow(/every user of this machine \(mode 0\d{3}\).*chmod -R go-rwx/);
  });

  it('does not change the targets of links', async () => {
    const other = join(outside, 'other');
    await writeFile(other, 'another’s', { mode: 0o644 });
    await chmod(other, 0o644);
    await symlink(other, join(folder, 'link'));
    await closing();
    expect((await stat(other)).mode & 0o777).toBe(0o644);
  });
});
