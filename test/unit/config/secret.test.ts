import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ConfigurationError } from '../../../src/config/environment.ts';
import { findSecret, loadSecret } from '../../../src/config/secret.ts';

describe('loadSecret', () => {
  let folder: string;
  let warnings: string[];
  const load = (dataDir: string = folder): Promise<string> =>
    loadSecret({ given: undefined, dataDir, warn: (text) => warnings.push(text) });

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'sluice-secret-'));
    warnings = [];
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  it('uses the given secret and creates no file', async () => {
    const secret = await loadSecret({ given: 'g'.repeat(32), dataDir: join(folder, 'none'), warn: () => undefined });
    expect(secret).toBe('g'.repeat(32));
    expect(await readdir(folder)).toEqual([]);
  });

  it('is found where it exists, and not created otherwise', async () => {
    const find = () => findSecret({ given: undefined, dataDir: folder, warn: (text) => warnings.push(text) });
    expect(await find()).toBeNull();
    expect(await readdir(folder)).toEqual([]);
    expect(await find().then(() => load())).toBe(await find());
    await writeFile(join(folder, 'secret'), 'short');
    await expect(find()).rejects.toThrow(ConfigurationError);
  });

  it('generates 256 random bits once, readable only by the owner', async () => {
    const data = join(folder, 'new', 'data');
    const secret = await load(data);
    expect(Buffer.from(secret, 'base64url')).toHaveLength(32);
    expect((await stat(join(data, 'secret'))).mode & 0o777).toBe(0o600);
    expect(await readdir(data)).toEqual(['secret']);
    expect(await load(data)).toBe(secret);
    expect(warnings).toEqual([]);
  });

  it('returns one secret to processes that start concurrently on a new folder', async () => {
    const secrets = await Promise.all(Array.from({ length: 20 }, () => load()));
    expect(new Set(secrets).size).toBe(1);
    expect(await readdir(folder)).toEqual(['secret']);
  });

  it.each([0o644, 0o640, 0o604])('restricts a secret with mode %o, and warns', async (mode) => {
    const secret = await load();
    const path = join(folder, 'secret');
    await chmod(path, mode);
    expect(await load()).toBe(secret);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toContain(`mode 0${mode.toString(8)}`);
    expect(warnings[0]).not.toContain(secret);
  });

  it('refuses a truncated secret and does not change it', async () => {
    const path = join(folder, 'secret');
    await writeFile(path, 'short\n', { mode: 0o600 });
    await expect(load()).rejects.toThrow(ConfigurationError);
    await expect(load()).rejects.toThrow(/fewer than 32 characters/);
    expect(await readFile(path, 'utf8')).toBe('short\n');
  });

  it('names the file if its folder cannot be created', async () => {
    await writeFile(join(folder, 'file'), '');
    const dataDir = join(folder, 'file', 'data');
    await expect(load(dataDir)).rejects.toThrow(`${dataDir}/secret cannot be used`);
  });
});
