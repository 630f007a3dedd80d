import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { parseConfig } from '../../../src/config/config-file.ts';
import { secretSettings } from '../../../src/config/environment-schema.ts';
import { ConfigurationError, parseEnvironment } from '../../../src/config/environment.ts';

const folder = mkdtempSync(join(tmpdir(), 'sluice-secret-files-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function fileOf(name: string, content: string): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

function faultsOf(read: () => unknown): readonly string[] {
  try {
    read();
  } catch (error) {
    if (error instanceof ConfigurationError) return error.faults;
    throw error;
  }
  return [];
}

/** A valid value of each secret. */
const values: Readonly<Record<string, string>> = {
  DATABASE_URL: 'postgres://sluice:password@db/sluice',
  REDIS_URL: 'redis://:password@cache:6379',
  SLUICE_SECRET: 's'.repeat(40),
  SLUICE_ADMIN_PASSWORD: 'correct horse',
  SLUICE_METRICS_TOKEN: 'm'.repeat(32),
  STRIPE_SECRET_KEY: 'sk_live_1',
  STRIPE_WEBHOOK_SECRET: 'whsec_1',
  OIDC_CLIENT_SECRET: 'client secret',
  SMTP_URL: 'smtp://user:password@mail:587',
};

describe('a secret in a file', () => {
  it('is read for every setting that is a secret', () => {
    expect(secretSettings).toEqual(expect.arrayContaining(Object.keys(values)));
    const files = Object.entries(values).map(([name, value]) => [`${name}_FILE`, fileOf(name, `${value}\n`)]);
    const environment = parseEnvironment(Object.fromEntries(files), []);
    expect(environment).toMatchObject(values);
    expect(environment.warnings).toEqual([]);
  });

  it('is the API key of a provider', () => {
    const path = fileOf('openai', 'sk-provider\n');
    const { providers } = parseEnvironment({ OPENAI_API_KEY_FILE: path, AZURE_OPENAI_API_KEY_FILE: path }, [
      'openai',
      'azure-openai',
    ]);
    expect([...providers]).toEqual([
      ['openai', { apiKey: 'sk-provider' }],
      ['azure-openai', { apiKey: 'sk-provider' }],
    ]);
  });

  it('keeps everything but one newline at its end', () => {
    const read = (content: string) =>
      parseEnvironment({ OIDC_CLIENT_SECRET_FILE: fileOf('spaces', content) }, []).OIDC_CLIENT_SECRET;
    expect(['a b', ' a ', 'a\r\n', 'a\n\n', 'a\nb\n'].map(read)).toEqual(['a b', ' a ', 'a', 'a\n', 'a\nb']);
  });

  it('replaces a reference in sluice.yaml', () => {
    const text = 'providers: { mine: { base_url: https://llm.example.com/v1, api_key: "${MINE_KEY}" } }';
    const { providers } = parseConfig('sluice.yaml', text, { MINE_KEY_FILE: fileOf('mine', 'sk-mine\n') });
    expect(providers.mine?.api_key).toBe('sk-mine');
    expect(faultsOf(() => parseConfig('sluice.yaml', text, { MINE_KEY_FILE: join(folder, 'none') }))).toEqual([
      `sluice.yaml: providers.mine.api_key: MINE_KEY_FILE names ${join(folder, 'none')}, which cannot be read: ENOENT`,
    ]);
  });

  it('is refused beside a value', () => {
    const path = fileOf('both', values.SLUICE_SECRET ?? '');
    expect(faultsOf(() => parseEnvironment({ SLUICE_SECRET: 't'.repeat(40), SLUICE_SECRET_FILE: path }, []))).toEqual([
      'SLUICE_SECRET and SLUICE_SECRET_FILE are both set; unset one of them',
    ]);
  });

  it('is as good as unset where both are empty', () => {
    expect(parseEnvironment({ SLUICE_SECRET: '', SLUICE_SECRET_FILE: '' }, []).SLUICE_SECRET).toBeUndefined();
    expect(parseEnvironment({ REDIS_URL: '', REDIS_URL_FILE: fileOf('redis', 'redis://cache') }, []).REDIS_URL).toBe(
      'redis://cache',
    );
  });

  it.each([
    ['that does not exist', join(folder, 'missing'), 'cannot be read: ENOENT'],
    ['that is a folder', folder, 'cannot be read: EISDIR'],
  ])('is reported once by its variable with a file %s', (_case, path, reason) => {
    const environment = { DATABASE_URL: values.DATABASE_URL, SLUICE_SECRET_FILE: path };
    expect(faultsOf(() => parseEnvironment(environment, []))).toEqual([
      `SLUICE_SECRET_FILE names ${path}, which ${reason}`,
    ]);
  });

  it('is reported where the file is empty', () => {
    const path = fileOf('empty', '\n');
    expect(faultsOf(() => parseEnvironment({ STRIPE_SECRET_KEY_FILE: path }, []))).toEqual([
      `STRIPE_SECRET_KEY_FILE names ${path}, which is empty`,
    ]);
  });

  it('is never part of an error', () => {
    const invalid = 'not-valid-€';
    const names = Object.keys(values).filter(
      (name) => name !== 'OIDC_CLIENT_SECRET' && name !== 'SLUICE_ADMIN_PASSWORD',
    );
    const path = fileOf('invalid', invalid);
    const environment = Object.fromEntries([...names, 'OPENAI_API_KEY'].map((name) => [`${name}_FILE`, path]));
    const faults = faultsOf(() => parseEnvironment(environment, ['openai']));
    expect(faults.map((fault) => fault.split(' ')[0]).toSorted()).toEqual(Object.keys(environment).toSorted());
    expect(faults.join('\n')).not.toContain(invalid);
  });

  it('is no unknown variable, and its misspelling is one', () => {
    const path = fileOf('token', values.SLUICE_METRICS_TOKEN ?? '');
    expect(parseEnvironment({ SLUICE_METRICS_TOKEN_FILE: path }, []).warnings).toEqual([]);
    expect(parseEnvironment({ SLUICE_METRICS_TOKN_FILE: path }, []).warnings).toEqual([
      'unknown environment variable SLUICE_METRICS_TOKN_FILE; did you mean SLUICE_METRICS_TOKEN_FILE?',
    ]);
  });
});
