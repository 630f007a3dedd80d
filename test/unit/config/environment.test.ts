import { availableParallelism } from 'node:os';
import { describe, expect, it } from 'vitest';
import { parseConfig } from '../../../src/config/config-file.ts';
import { ConfigurationError, parseEnvironment } from '../../../src/config/environment.ts';

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

  it('reads a content level, also by the values of the switch that it was', () => {
    const levelOf = (value: string) => parseEnvironment({ SLUICE_STORE_CONTENT: value }, []).SLUICE_STORE_CONTENT;
    expect(['off', 'metadata', 'full'].map(levelOf)).toEqual(['off', 'metadata', 'full']);
    expect(['on', 'true', '1'].map(levelOf)).toEqual(['full', 'full', 'full']);
    expect(['false', '0', ''].map(levelOf)).toEqual(['off', 'off', 'off']);
    expect(faultsOf(() => levelOf('some'))).toHaveLength(1);
  });

  it('stores in the bucket that is configured, unless it says otherwise', () => {
    const parse = (given: Record<string, string>) => parseEnvironment(given, []);
    expect(parse({})).toMatchObject({ SLUICE_STORAGE: 'folder', S3_PREFIX: '', S3_FORCE_PATH_STYLE: false });
    expect(parse({ S3_BUCKET: 'files', S3_PREFIX: 'a/b' })).toMatchObject({ SLUICE_STORAGE: 's3', S3_PREFIX: 'a/b/' });
    expect(parse({ S3_BUCKET: 'files', SLUICE_STORAGE: 'folder' }).SLUICE_STORAGE).toBe('folder');
  });

  it.each([
    [
      { SLUICE_STORAGE: 's3', S3_ENDPOINT: 'https://s3.internal' },
      'S3_BUCKET is required with SLUICE_STORAGE=s3, S3_ENDPOINT',
    ],
    [{ S3_BUCKET: 'files', S3_ACCESS_KEY_ID: 'id' }, 'S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY must be set together'],
    [{ S3_BUCKET: 'files', S3_KMS_KEY_ID: 'key' }, 'S3_KMS_KEY_ID requires S3_SERVER_SIDE_ENCRYPTION=aws:kms'],
    [{ S3_BUCKET: 'files', S3_PREFIX: '/files' }, 'S3_PREFIX must be the beginning of a key'],
    [{ S3_BUCKET: 'a/b' }, 'S3_BUCKET must be the name of a bucket'],
    [{ S3_BUCKET: 'files', S3_ENDPOINT: 's3.internal' }, 'S3_ENDPOINT must be a URL'],
  ])('rejects the storage of %j', (given, fault) => {
    expect(faultsOf(() => parseEnvironment(given, []))).toEqual([expect.stringContaining(fault)]);
  });

  it('has stricter defaults with a server database', () => {
    const environment = parseEnvironment({ DATABASE_URL: 'postgres://u@h/d', SLUICE_SECRET: 'x'.repeat(32) }, []);
    expect(environment).toMatchObject({ SLUICE_SANDBOX: false, SLUICE_SIGNUP: 'invite' });
  });

  it('warns of an unknown name beside the errors', () => {
    expect(() => parseEnvironment({ PORT: 'abc', SLUICE_ZZZZZZZZZ: '1' }, [])).toThrow(
      /^The configuration has 1 error:\n {2}- PORT .+\n {2}- warning: unknown environment variable SLUICE_ZZZZZZZZZ$/,
    );
  });

  it('reports all errors together', () => {
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

  describe('with several workers', () => {
    const server = { DATABASE_URL: 'postgres://u@h/d', SLUICE_SECRET: 'x'.repeat(32) };
    const parse = (given: Record<string, string>) => parseEnvironment(given, []);

    it('requires a server database, and says what to set', () => {
      expect(faultsOf(() => parse({ WORKERS: '2' }))).toEqual([
        expect.stringMatching(/^WORKERS is 2, but the embedded database .+; set DATABASE_URL .+ or WORKERS to 1$/),
      ]);
      expect(parse({ ...server, WORKERS: '2' }).WORKERS).toBe(2);
      expect(parse({ WORKERS: '1' }).WORKERS).toBe(1);
    });

    it('has one per core with `auto`, where they can share all state', () => {
      const shared = { ...server, REDIS_URL: 'redis://h' };
      expect(parse({ ...shared, WORKERS: 'auto' }).WORKERS).toBe(availableParallelism());
      expect([parse({ ...server, WORKERS: 'auto' }), parse({ WORKERS: 'auto' })].map(({ WORKERS }) => WORKERS)).toEqual(
        [1, 1],
      );
    });

    it.each(['0', '257', 'many', '1.5'])('refuses %s of them', (WORKERS) => {
      expect(faultsOf(() => parse({ ...server, WORKERS }))).toEqual([expect.stringMatching(/^WORKERS must be /)]);
    });

    it('divides the connections of one pool among them', () => {
      expect(parse({}).DATABASE_POOL_SIZE).toBe(10);
      expect(parse({ ...server, WORKERS: '4' }).DATABASE_POOL_SIZE).toBe(20);
      expect(parse({ ...server, WORKERS: '4', DATABASE_POOL_SIZE: '8' }).DATABASE_POOL_SIZE).toBe(8);
      expect(faultsOf(() => parse({ ...server, WORKERS: '4', DATABASE_POOL_SIZE: '7' }))).toEqual([
        'DATABASE_POOL_SIZE must be at least 8, 2 per worker',
      ]);
    });
  });

  it.each([
    ['TRUST_PROXY_HOPS', 'two', 'TRUST_PROXY_HOPS must be an integer'],
    ['TRUST_PROXY_HOPS', '1.5', 'TRUST_PROXY_HOPS must be an integer'],
    ['TRUST_PROXY_HOPS', '-1', 'TRUST_PROXY_HOPS must be at least 0'],
    ['SLUICE_UPLOAD_MEGABYTES', '100', 'SLUICE_UPLOAD_MEGABYTES must be at least 256'],
    ['SLUICE_SIGNUP', 'maybe', 'SLUICE_SIGNUP must be one of open, invite, off'],
    ['SLUICE_ADMIN_EMAIL', 'me', 'SLUICE_ADMIN_EMAIL must be an e-mail address'],
    [
      'STRIPE_SECRET_KEY',
      'pk_live_1',
      'STRIPE_SECRET_KEY must be a secret or restricted Stripe key, such as sk_live_…',
    ],
    ['DATABASE_READ_URL', 'postgres://replica/sluice', 'DATABASE_URL is required with DATABASE_READ_URL'],
    ['STRIPE_WEBHOOK_SECRET', 'whsec_1', 'STRIPE_SECRET_KEY is required with STRIPE_WEBHOOK_SECRET'],
    [
      'STRIPE_API_BASE',
      'http://collector.example',
      'STRIPE_API_BASE is for tests only and must be an address of this machine',
    ],
    [
      'SLUICE_PUBLIC_URL',
      'https://gate.example/path',
      'SLUICE_PUBLIC_URL must be an origin without a path, such as https://gateway.example.com',
    ],
    ['SMTP_URL', 'mail.example.org', 'SMTP_URL must be a URL that begins with smtp:// or smtps://'],
  ])('explains what is wrong with %s=%s', (name, value, told) => {
    expect(faultsOf(() => parseEnvironment({ [name]: value }, []))).toEqual([told]);
  });

  it('warns of an unknown SLUICE_ variable and suggests the nearest known one', () => {
    const { warnings } = parseEnvironment({ SLUICE_SANBOX: 'on', SLUICE_ZZZZZZZZZ: 'x', HOME: '/' }, []);
    expect(warnings).toEqual([
      'unknown environment variable SLUICE_SANBOX; did you mean SLUICE_SANDBOX?',
      'unknown environment variable SLUICE_ZZZZZZZZZ',
    ]);
    expect(parseEnvironment({ SLUICE_SANDBOX: 'on' }, []).warnings).toEqual([]);
  });

  it('shares a folder of instances with a server database, in which the data folder is', () => {
    const shared = { SLUICE_INSTANCES_DIR: '/mnt/sluice', SLUICE_DATA_DIR: '/mnt/sluice/gateway-1' };
    const server = { DATABASE_URL: 'postgres://localhost/sluice', SLUICE_SECRET: 'x'.repeat(32) };
    expect(parseEnvironment({ ...shared, ...server }, []).SLUICE_INSTANCES_DIR).toBe('/mnt/sluice');
    expect(() => parseEnvironment(shared, [])).toThrow('DATABASE_URL is required with SLUICE_INSTANCES_DIR');
    for (const SLUICE_DATA_DIR of ['/mnt/sluice', '/data', '/mnt/sluice/a/b'])
      expect(() => parseEnvironment({ ...shared, ...server, SLUICE_DATA_DIR }, [])).toThrow(
        'SLUICE_DATA_DIR must be a folder in SLUICE_INSTANCES_DIR, such as /mnt/sluice/gateway-1',
      );
  });

  it('accepts a Redis timeout from one millisecond', () => {
    const timeout = (text: string) => parseEnvironment({ SLUICE_REDIS_TIMEOUT_MS: text }, []).SLUICE_REDIS_TIMEOUT_MS;
    expect([timeout(''), timeout('750')]).toEqual([undefined, 750]);
    expect(() => timeout('0')).toThrow('SLUICE_REDIS_TIMEOUT_MS');
  });

  it('treats an empty value as unset', () => {
    expect(parseEnvironment({ PORT: '', DATABASE_URL: '' }, []).PORT).toBe(4000);
  });

  it('reads only the variables of built-in providers', () => {
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
      graphql: { limits: {}, allowed_origins: [], only_trusted: false },
      limits: {},
      plans: {},
      sessions: {},
      signup_spending: 'approve',
      default_plan: 'free',
      identityProviders: {},
      timeouts: {},
    });
  });

  it.each([
    ['routes: { r: { targets: [] } }', /routes\.r\.targets: a route must have at least one target/],
    ['routes: { r: { targets: [a/b], order: best } }', /routes\.r\.order/],
    ['routes: { r: { targets: [{ model: a/b, weight: -1 }] } }', /routes\.r\.targets/],
    ['routes: { r: { targets: [a/b], tries: 3 } }', /routes\.r: .*tries/],
    ['models: { gpt: { input: "1" } }', /models/],
    ['cache: { redis: "http://127.0.0.1" }', /cache\.redis: must be a URL/],
    ['cache: { redis: "${NO_SUCH_URL}" }', /cache\.redis: the environment variable NO_SUCH_URL is not set/],
  ])('refuses %s and names the member', (text, fault) => {
    expect(() => parseConfig('f', text, {})).toThrow(fault);
  });

  const known = new Set(['openai', 'gemini', 'google']);

  it.each([
    ['providers: { custom: {} }', 'providers.custom: base_url is required, because no built-in provider has this name'],
    [
      'providers: { opnai: }',
      'providers.opnai: base_url is required, because no built-in provider has this name; did you mean openai?',
    ],
    ['aliases: { a: b, b: a }', 'aliases form a cycle: a, b'],
    ['aliases: { a: a }', 'aliases form a cycle: a'],
    ['aliases: { a: b, b: openai/x }', 'aliases.a: must be provider/model or a route, not the alias b'],
    ['aliases: { a: "" }', 'aliases.a: must be provider/model or a route'],
    ['aliases: { a: 5 }', 'aliases.a: must be provider/model or a route'],
    [
      'routes: { r: { targets: [openai/x, s] }, s: { targets: [openai/x] } }',
      'routes.r: a target must be a model (provider/model), not a route: s',
    ],
    [
      'routes: { r: { targets: [openai/x], larger: quick } }\naliases: { quick: openai/y }',
      'routes.r: a target must be a model (provider/model), not an alias: quick',
    ],
    [
      'routes: { r: { targets: [{ model: team/s }] }, team/s: { targets: [openai/x] } }',
      'routes.r: a target must be a model (provider/model), not a route: team/s',
    ],
  ])('refuses %s, which cannot work', (text, fault) => {
    expect(faultsOf(() => parseConfig('f', text, {}, known))).toEqual([`f: ${fault}`]);
  });

  it.each([
    'providers: { openai: , google: {}, mine: { base_url: "http://127.0.0.1:1/v1" } }',
    'aliases: { quick: r, bare: gpt-4.1 }\nroutes: { r: { targets: [nobody/x] } }',
    'routes: { openai/x: { targets: [openai/x, mine/x] } }\nproviders: { mine: { base_url: "http://127.0.0.1:1/v1" } }',
    'routes: { sandbox/chat: { targets: [sandbox/chat] } }',
    'routes: { gpt-4.1: { targets: [gpt-4.1, mistral/x] } }',
  ])('accepts %s', (text) => {
    expect(() => parseConfig('f', text, {}, known)).not.toThrow();
  });

  it.each([
    ['limit: {}', 'the document: unknown member limit (did you mean limits?); allowed: providers, aliases, routes,'],
    ['timeouts: { conect: 1 }', 'timeouts: unknown member conect (did you mean connect?); allowed: connect, answer,'],
    ['limits: { concurrency: many }', 'limits.concurrency: must be a number'],
    ['limits: { concurrency: 1.5 }', 'limits.concurrency: must be an integer'],
    ['limits: { concurrency: 0 }', 'limits.concurrency: must be at least 1'],
    ['routes: { r: {} }', 'routes.r.targets: is missing'],
    ['routes: { r: { targets: [{ model: a/b, wheight: 1 }] } }', 'routes.r.targets.0: unknown member wheight'],
    ['routes: { r: { targets: [7] } }', 'routes.r.targets.0: must be a string or an object'],
    ['routes: { r: { targets: [a/b], order: best } }', 'routes.r.order: must be one of listed, weighted, price,'],
    ['providers: { My: }', 'providers.My: a provider ID may contain only lower-case letters, digits and dashes'],
    [
      'models: { mine/m: { imput: 1, input: 1, output: 1 } }',
      'models.mine/m: unknown member imput (did you mean input?)',
    ],
    ['- a', 'the document: must be an object'],
  ])('explains what is wrong with %s', (text, told) => {
    const [fault, ...more] = faultsOf(() => parseConfig('f', text, {}, known));
    expect(fault).toContain(`f: ${told}`);
    expect(more).toEqual([]);
  });

  it('reports schema errors, semantic errors and missing variables together', () => {
    const text =
      'limit: {}\ntimeouts: { connect: no }\naliases: { a: a }\nproviders: { mine: { api_key: "${NOPE}" } }\n';
    const faults = faultsOf(() => parseConfig('f', text, {}, known)).join('\n');
    for (const fault of ['limit', 'timeouts.connect', 'cycle: a', 'NOPE', 'providers.mine: base_url is required'])
      expect(faults).toContain(fault);
  });

  it('is read without secrets by commands that need none', () => {
    const config = parseConfig('f', 'providers: { openai: { api_key: "${NOPE}" } }\ncache: { redis: "${URL}" }', null);
    expect(config.providers.openai?.api_key).toBe('${NOPE}');
  });

  it('reads secrets from environment variables', () => {
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
