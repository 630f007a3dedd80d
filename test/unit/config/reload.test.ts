import { mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Catalogue } from '../../../src/catalogue/catalogue.ts';
import { loadConfiguration } from '../../../src/config/configuration.ts';
import { wireProviders } from '../../../src/composition/gateway/providers.ts';
import { ModelRouter } from '../../../src/gateway/routing/model-router.ts';

const known = { ids: ['openai', 'gemini'], aliases: ['google'] };

describe('the configuration of a process', () => {
  let folder: string;
  let file: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'sluice-reload-'));
    file = join(folder, 'sluice.yaml');
    vi.stubEnv('SLUICE_CONFIG', file);
  });

  afterEach(() => {
    vi.unstubAllEnvs();
    rmSync(folder, { recursive: true });
  });

  it('reports errors of the environment and of the file together', async () => {
    writeFileSync(file, 'aliases: { a: a }\n');
    vi.stubEnv('PORT', 'many');
    await expect(loadConfiguration(known)).rejects.toThrow(/PORT must be a number[^]*aliases form a cycle: a/);
  });

  it('skips a provider whose options form no valid URL', async () => {
    writeFileSync(
      file,
      'providers:\n  azure-openai: { api_key: key, options: { resource: no host } }\n  openai: { api_key: key }\n',
    );
    const configuration = await loadConfiguration({ ids: [...known.ids, 'azure-openai'], aliases: [] });
    const lines: string[] = [];
    const log = pino({ level: 'warn' }, { write: (line: string) => void lines.push(JSON.parse(line).msg) });
    const connected = wireProviders(configuration, log);
    expect(connected.current.connections.map(({ id }) => id)).toContain('openai');
    expect(connected.current.connections.map(({ id }) => id)).not.toContain('azure-openai');
    expect(lines).toEqual([
      'The options of provider `azure-openai` do not form a valid URL.; the connection is skipped',
    ]);
    await connected.close();
  });

  it('reads a file that changed between its start and the watch', async () => {
    writeFileSync(file, 'aliases: { quick: sandbox/chat }\n');
    const configuration = await loadConfiguration(known);
    writeFileSync(file, 'aliases: { other: sandbox/chat }\n');
    utimesSync(file, new Date(0), new Date(0));
    const changed = Promise.withResolvers<unknown>();
    const stop = configuration.watch(changed.resolve, changed.reject);
    expect(await changed.promise).toMatchObject({ aliases: { other: 'sandbox/chat' } });
    stop();
  });

  it('stays active if a changed file is not valid, and logs its errors in one line', async () => {
    writeFileSync(file, 'aliases: { quick: sandbox/chat }\n');
    const configuration = await loadConfiguration(known);
    const lines: string[] = [];
    const log = pino({ level: 'error' }, { write: (line: string) => void lines.push(line) });
    const connected = wireProviders(configuration, log);
    const router = new ModelRouter(new Catalogue());
    const stop = connected.keepRouting(router, new Catalogue(), { retire: () => undefined });
    try {
      writeFileSync(file, 'aliases: { a: b, b: a }\nproviders: { custom: {} }\n');
      // The modification time is polled: the first poll is no change, so another write follows.
      for (let second = 1; lines.length === 0; second++) {
        utimesSync(file, second, second);
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
      const { msg, ...rest } = JSON.parse(lines[0] ?? '');
      expect(msg).toBe(
        `sluice.yaml is not valid; the previous configuration stays active: ${file}: providers.custom: base_url is required, because no built-in provider has this name; ${file}: aliases form a cycle: a, b`,
      );
      expect(rest).not.toHaveProperty('err');
      expect(router.resolve('quick', { accountId: '' })?.listed).toMatchObject([{ model: 'sandbox/chat' }]);
    } finally {
      stop();
      await connected.close();
    }
  });
});
