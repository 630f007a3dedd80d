import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { Catalogue } from '../../../src/catalogue/catalogue.ts';
import { catalogueCommand } from '../../../src/cli/catalogue.command.ts';

const folder = mkdtempSync(join(tmpdir(), 'sluice-catalogue-cli-'));
const dataDir = join(folder, 'data');
const config = join(folder, 'sluice.yaml');
const updated = join(dataDir, 'catalogue.jsonl');

interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

async function run(...args: string[]): Promise<Ran> {
  vi.stubEnv('SLUICE_DATA_DIR', dataDir);
  vi.stubEnv('SLUICE_CONFIG', existsSync(config) ? config : '');
  const written = { out: '', err: '' };
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => ((written.out += String(text)), true));
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => ((written.err += String(text)), true));
  try {
    const code = await catalogueCommand(args);
    return { code, ...written };
  } finally {
    vi.restoreAllMocks();
  }
}

/** models.dev's `api.json`, with one model of OpenAI's. */
function apiJson(input: number): string {
  const model = { name: 'GPT-5.5', cost: { input, output: 30 }, modalities: { input: ['text'], output: ['text'] } };
  return JSON.stringify({ openai: { id: 'openai', name: 'OpenAI', models: { 'gpt-5.5': model } } });
}

afterAll(() => rmSync(folder, { recursive: true, force: true }));
beforeEach(() => rmSync(dataDir, { recursive: true, force: true }));
afterEach(() => vi.unstubAllEnvs());

describe('sluice catalogue show', () => {
  it('prints the prices of a model and their source', async () => {
    const { code, out } = await run('show', 'gemini/gemini-2.5-pro');
    expect(code).toBe(0);
    expect((await run('show', 'google/gemini-2.5-pro')).out).toBe(out);
    expect(out).toMatch(/^gemini\/gemini-2.5-pro\n/);
    expect(out).toMatch(/input +\$1.25 per 1,000,000 tokens[^]*above 200,000[^]*input +\$2.5 per[^]*models\.dev@/);
  });

  it('finds a bare name at every provider that has it, and prints JSON', async () => {
    const { out } = await run('show', 'claude-sonnet-4-5', '--json');
    const ids: string[] = JSON.parse(out).map(({ id }: { id: string }) => id);
    expect(ids).toContain('anthropic/claude-sonnet-4-5');
  });

  it('suggests similar names for an unknown one', async () => {
    const { code, err } = await run('show', 'dall-e');
    expect(code).toBe(1);
    expect(err).toMatch(/no model dall-e[^]*openai\/dall-e-3/);
  });

  it('shows that sandbox models are free', async () => {
    expect((await run('show', 'sandbox/chat')).out).toMatch(/price +free/);
  });

  it('does not require the secrets that sluice.yaml refers to', async () => {
    writeFileSync(config, 'providers: { openai: { api_key: "${NOT_IN_THIS_SHELL}" } }\n');
    try {
      expect(await run('show', 'sandbox/chat')).toMatchObject({ code: 0, err: '' });
    } finally {
      rmSync(config);
    }
  });

  it("shows the operator's own price", async () => {
    writeFileSync(config, 'models:\n  mine/m: { input: "0.1", output: 0.2 }\n');
    try {
      expect((await run('show', 'm')).out).toMatch(/^mine\/m\n[^]*\$0.2 per 1,000,000[^]*override@/);
    } finally {
      rmSync(config);
    }
  });
});

describe('sluice catalogue update', () => {
  let server: Server;
  let url: string;
  beforeAll(async () => {
    server = createServer((request, response) => {
      if (request.url === '/api.json') response.end(apiJson(7));
      else response.writeHead(503).end();
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`;
  });
  afterAll(() => server.close());

  it.each(['a file', 'a URL'])('imports %s and uses its prices', async (from) => {
    const file = join(folder, 'api.json');
    writeFileSync(file, apiJson(7));
    const { code, out, err } = await run('update', from === 'a URL' ? `${url}/api.json` : file);
    expect(err).toBe('');
    expect(code).toBe(0);
    expect(out).toContain(updated);
    const catalogue = new Catalogue({ updated });
    expect(catalogue.get('openai/gpt-5.5')?.rates).toMatchObject({ input: '7' });
    expect(catalogue.get('openai/gpt-5.5')?.priceVersion).toMatch(/^models\.dev@2/);
    // The file contains no other model of OpenAI, no other provider and no media prices.
    expect(catalogue.get('openai/gpt-4.1')).toBeUndefined();
    expect(catalogue.get('openai/whisper-1')?.priceVersion).toMatch(/^portkey@/);
    expect(catalogue.get('anthropic/claude-sonnet-4-5')?.rates?.cacheWrite1h).toBe('6');
    expect(readdirSync(dataDir)).toEqual(['catalogue.jsonl']);
  });

  it('changes nothing and prints the reason if the file is not valid', async () => {
    writeFileSync(join(folder, 'good.json'), apiJson(7));
    await run('update', join(folder, 'good.json'));
    const before = readFileSync(updated, 'utf8');
    const bad: Readonly<Record<string, string>> = {
      'no.json': 'not json',
      'form.json': '{"openai":{"models":{"m":{"name":"M","cost":{"input":"one","output":2}}}}}',
      'nobody.json': '{"nobody":{"models":{}}}',
      'old.json': JSON.stringify({ source: 's', commit: 'c', date: '2020-01-01', providers: JSON.parse(apiJson(7)) }),
    };
    for (const [name, content] of Object.entries(bad)) writeFileSync(join(folder, name), content);
    const refused: readonly (readonly [string, RegExp])[] = [
      [join(folder, 'no.json'), /it is not JSON/],
      [join(folder, 'form.json'), /openai\.models\.m\.cost\.input: Invalid input/],
      [join(folder, 'nobody.json'), /no model of a known provider/],
      [join(folder, 'old.json'), /dated 2020-01-01 and older than/],
      [join(folder, 'missing.json'), /no such file/],
      [`${url}/nothing`, /the server returned status 503/],
      ['http://127.0.0.1:9/', /fetch failed/],
    ];
    for (const [source, reason] of refused) {
      const { code, err } = await run('update', source);
      expect(err).toMatch(/^The catalogue was not changed: /);
      expect(err).toMatch(reason);
      expect(err.includes('catalogue update <file>')).toBe(source.startsWith('http'));
      expect(code).toBe(1);
    }
    expect(readFileSync(updated, 'utf8')).toBe(before);
  });

  it('prints help with examples, and refuses an unknown action', async () => {
    expect(await run('--help')).toMatchObject({ code: 0, out: expect.stringMatching(/Examples:[^]*catalogue update/) });
    expect(await run('delete')).toMatchObject({ code: 2 });
    expect(existsSync(updated)).toBe(false);
  });
});
