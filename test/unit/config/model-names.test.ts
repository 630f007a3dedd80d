import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Catalogue } from '../../../src/catalogue/catalogue.ts';
import { parseConfig } from '../../../src/config/config-file.ts';
import { loadConfiguration } from '../../../src/config/configuration.ts';
import { ConfigurationError } from '../../../src/config/environment.ts';
import { wireProviders } from '../../../src/composition/gateway/providers.ts';
import { ModelRouter } from '../../../src/gateway/routing/model-router.ts';
import { knownProviders, providerAliases } from '../../../src/providers/registry.ts';
import { readPlans } from '../../../src/composition/gateway/read-plans.ts';
import { json, startFakeProvider } from '../../harness/fake-provider.ts';

const known = new Set([...knownProviders, ...providerAliases.keys()]);

function faults(text: string): readonly string[] {
  try {
    parseConfig('f', text, {}, known);
    return [];
  } catch (error) {
    if (error instanceof ConfigurationError) return error.faults;
    throw error;
  }
}

describe('model names in sluice.yaml', () => {
  it('with a misspelled provider are refused, with their line and a suggestion', () => {
    const text = `aliases:
  quick: opnai/gpt-4o
routes:
  fast:
    targets:
      - sandbox/chat
      - model: antropic/claude-sonnet-4-6
    larger: gemni/gemini-2.5-pro
    moderation: { model: opnai/omni-moderation-latest, action: block }
plans:
  free:
    models: [gpt-4o, opnai/gpt-4o]
`;
    expect(faults(text)).toEqual([
      'f: aliases.quick (line 2): no provider is named opnai; did you mean openai/gpt-4o?',
      'f: routes.fast.targets.1.model (line 7): no provider is named antropic; did you mean anthropic/claude-sonnet-4-6?',
      'f: routes.fast.larger (line 8): no provider is named gemni; did you mean gemini/gemini-2.5-pro?',
      'f: routes.fast.moderation.model (line 9): no provider is named opnai; did you mean openai/omni-moderation-latest?',
      'f: plans.free.models.1 (line 12): no provider is named opnai; did you mean openai/gpt-4o?',
    ]);
  });

  it.each([
    'aliases: { quick: opnai/of-tomorrow }',
    'aliases: { quick: meta-llama/llama-3.3-70b-instruct, own: house-model }',
    'aliases: { quick: opnai/gpt-4o }\nroutes: { opnai/gpt-4o: { targets: [openai/gpt-4o] } }',
    'aliases: { quick: opnai/gpt-4o }\nproviders: { opnai: { base_url: "http://127.0.0.1:1/v1" } }',
    'aliases: { quick: google/gemini-2.5-pro, other: sandbox/chat }',
  ])('that may exist are accepted: %s', (text) => {
    expect(faults(text)).toEqual([]);
  });

  it('of a plan allow a model in any spelling', () => {
    const text = 'plans: { free: { models: [google/Gemini-2.5-pro, openai/gpt-4o, gpt-4.1, lab/any] } }';
    expect(readPlans(parseConfig('f', text, {})).of('free').terms.models).toEqual([
      'google/Gemini-2.5-pro',
      'gemini/gemini-2.5-pro',
      'openai/gpt-4o',
      'gpt-4.1',
      'lab/any',
    ]);
  });
});

describe('model names that a provider may have', () => {
  let folder: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'sluice-names-'));
  });

  afterEach(() => {
    vi.unstubAllEnvs();
    rmSync(folder, { recursive: true });
  });

  it('are logged if its list lacks them and contains a similar one', async () => {
    const provider = await startFakeProvider(json(200, { data: [{ id: 'house-model' }, { id: 'gpt-of-tomorrow' }] }));
    const file = join(folder, 'sluice.yaml');
    vi.stubEnv('SLUICE_CONFIG', file);
    vi.stubEnv('OPENAI_API_KEY', 'a-key');
    vi.stubEnv('OPENAI_BASE_URL', provider.url);
    writeFileSync(
      file,
      'routes:\n  fast: { targets: [openai/gpt-of-tomorrow, openai/hose-model, openai/ft:other:org::1, gtp-4o] }\n',
    );
    const configuration = await loadConfiguration({ ids: knownProviders, aliases: providerAliases.keys() });
    const lines: string[] = [];
    const logged = Promise.withResolvers<void>();
    const log = pino(
      { level: 'warn' },
      {
        write: (line: string) => {
          lines.push(JSON.parse(line).msg);
          if (line.includes('gtp-4o is not a known model; did')) logged.resolve();
        },
      },
    );
    const connected = wireProviders(configuration, log);
    const catalogue = new Catalogue();
    const stop = connected.keepRouting(new ModelRouter(catalogue), catalogue, { retire: () => undefined });
    try {
      await logged.promise;
      expect(lines.filter((line) => line.includes('did you mean'))).toEqual([
        'sluice.yaml: routes.fast.targets.1: openai/hose-model is not a known model; did you mean openai/house-model?',
        'sluice.yaml: routes.fast.targets.3: gtp-4o is not a known model; did you mean gpt-4o?',
      ]);
    } finally {
      stop();
      await connected.close();
      await provider.close();
    }
  });
});
