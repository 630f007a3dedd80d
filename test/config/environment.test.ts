import { describe, expect, it } from 'vitest';
import { parseConfig } from '../../src/config/config-file.ts';
import { ConfigurationError, parseEnvironment } from '../../src/config/environment.ts';

function faultsOf(read: () => unknown): readonly string[] {
  try {
    read();
  } catch (error) {
    if (error instanceof ConfigurationError) return error.faults;
    throw error;
  }
  return [];
}

describe('the environment', () => {
  it('has a default for everything', () => {
    expect(parseEnvironment({}, [])).toMatchObject({
      PORT: 4000,
      HOST: '127.0.0.1',
      SLUICE_DATA_DIR: './data',
      SLUICE_SANDBOX: true,
      SLUICE_SIGNUP: 'open',
      LOG_LEVEL: 'info',
    });
  });

  it('is stricter on a server database', () => {
    const environment = parseEnvironment({ DATABASE_URL: 'postgres://u@h/d', SLUICE_SECRET: 'x'.repeat(32) }, []);
    expect(environment).toMatchObject({ SLUICE_SANDBOX: false, SLUICE_SIGNUP: 'invite' });
  });

  it('tells all faults together', () => {
    const faults = faultsOf(() =>
      parseEnvironment(
        {
          PORT: 'many',
          DATABASE_URL: 'mysql://x',
          SLUICE_SIGNUP: 'maybe',
          OPENAI_BASE_URL: 'ftp://x',
          SLUICE_OUTBOUND_ALLOW: 'nowhere',
        },
        ['openai'],
      ),
    );
    for (const name of [
      'PORT',
      'DATABASE_URL',
      'SLUICE_SIGNUP',
      'SLUICE_SECRET',
      'OPENAI_BASE_URL',
      'SLUICE_OUTBOUND_ALLOW',
    ])
      expect(faults.some((fault) => fault.includes(name))).toBe(true);
  });

  it.each(['REDIS_URL', 'SMTP_URL', 'OIDC_ISSUER', 'OTEL_EXPORTER_OTLP_ENDPOINT'])(
    'refuses %s, which it would not heed',
    (name) => {
      expect(faultsOf(() => parseEnvironment({ [name]: 'x' }, []))).toEqual([expect.stringContaining(name)]);
    },
  );

  it('refuses more than one worker, and takes one', () => {
    expect(faultsOf(() => parseEnvironment({ WORKERS: '2' }, []))).toHaveLength(1);
    expect(parseEnvironment({ WORKERS: '1' }, []).WORKERS).toBe(1);
  });

  it('takes an empty value for none', () => {
    expect(parseEnvironment({ PORT: '', DATABASE_URL: '' }, []).PORT).toBe(4000);
  });

  it('reads providers that are known by name, and no others', () => {
    const { providers } = parseEnvironment(
      { OPENAI_API_KEY: 'k', LM_STUDIO_BASE_URL: 'http://127.0.0.1:1234/v1', MAILER_API_KEY: 'other' },
      ['openai', 'lm-studio'],
    );
    expect([...providers]).toEqual([
      ['openai', { apiKey: 'k', baseUrl: undefined }],
      ['lm-studio', { apiKey: undefined, baseUrl: 'http://127.0.0.1:1234/v1' }],
    ]);
  });
});

describe('sluice.yaml', () => {
  it('may be empty', () => {
    expect(parseConfig('f', '', {})).toEqual({
      providers: {},
      aliases: {},
      routes: {},
      routing: {},
      models: {},
      cache: { megabytes: 64 },
      limits: {},
      timeouts: {},
    });
  });

  it.each([
    ['routes: { r: { targets: [] } }', /routes\.r\.targets: a route needs a target/],
    ['routes: { r: { targets: [a/b], order: best } }', /routes\.r\.order/],
    ['routes: { r: { targets: [{ model: a/b, weight: -1 }] } }', /routes\.r\.targets/],
    ['routes: { r: { targets: [a/b], tries: 3 } }', /routes\.r: .*tries/],
    ['models: { gpt: { input: "1" } }', /models/],
    ['cache: { redis: "http://127.0.0.1" }', /cache\.redis: must be a URL/],
    ['cache: { redis: "${NO_SUCH_URL}" }', /cache\.redis: the environment has no NO_SUCH_URL/],
  ])('refuses %s, and says where the fault is', (text, fault) => {
    expect(() => parseConfig('f', text, {})).toThrow(fault);
  });

  it('takes secrets from the environment', () => {
    const config = parseConfig(
      'f',
      'providers:\n  mine:\n    api_key: ${MY_KEY}\n    base_url: http://127.0.0.1:1/v1\n  ollama:\n',
      { MY_KEY: 'abc' },
    );
    expect(config.providers.mine).toEqual({ api_key: 'abc', base_url: 'http://127.0.0.1:1/v1', options: {} });
    expect(config.providers).toHaveProperty('ollama');
  });

  it.each([
    ['no YAML', 'a: [', 'f:'],
    ['a name that is not known', 'limit: {}', 'limit'],
    ['a value out of bounds', 'limits: { concurrency: 0 }', 'limits.concurrency'],
    ['a missing variable', 'providers: { mine: { api_key: "${NOT_THERE}" } }', 'NOT_THERE'],
    ['a wrong URL', 'providers: { mine: { base_url: "file:///etc" } }', 'providers.mine.base_url'],
  ])('tells of %s', (_name, text, told) => {
    expect(faultsOf(() => parseConfig('f', text, {})).join()).toContain(told);
  });
});
