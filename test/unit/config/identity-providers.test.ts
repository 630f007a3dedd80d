import { describe, expect, it } from 'vitest';
import { parseConfig } from '../../../src/config/config-file.ts';
import { ConfigurationError, parseEnvironment } from '../../../src/config/environment.ts';

const read = (entries: string) =>
  parseConfig('sluice.yaml', `identityProviders:\n  ${entries}\n`, { SECRET: 's3cret' });

function faultsOf(work: () => unknown): readonly string[] {
  try {
    work();
  } catch (error) {
    if (error instanceof ConfigurationError) return error.faults;
    throw error;
  }
  return [];
}

describe('identity providers', () => {
  it('read their secrets from environment variables', () => {
    const { identityProviders } = read('google: { client_id: id, client_secret: "${SECRET}" }');
    expect(identityProviders.google).toMatchObject({ client_id: 'id', client_secret: 's3cret' });
    expect(faultsOf(() => read('google: { client_id: id, client_secret: "${NONE}" }'))).toEqual([
      'sluice.yaml: identityProviders.google.client_secret: the environment variable NONE is not set',
    ]);
  });

  it.each([
    ['work: { client_id: x }', 'identityProviders.work: must have an issuer or a preset'],
    ['github: { client_id: x }', 'identityProviders.github: must have a client_secret'],
    [
      'google: { client_id: x, tenant: y }',
      'identityProviders.google: tenant is only supported by the preset microsoft',
    ],
    [
      'microsoft: { client_id: x, trust_email: true }',
      'identityProviders.microsoft: trust_email requires your own tenant',
    ],
    ['work: { client_id: x, issuer: "http://idp.example" }', 'identityProviders.work: issuer must begin with https://'],
    ['work: { client_id: x, issuer: "http://idp.example", allow_http: true }', 'issuer must begin with https://'],
    ['Work: { client_id: x, issuer: "https://idp.example" }', 'an ID may contain only lower-case letters'],
    ['work: { issuer: "https://idp.example" }', 'identityProviders.work.client_id: is missing'],
  ])('are refused as %s', (entry, told) => {
    expect(faultsOf(() => read(entry))).toEqual([expect.stringContaining(told)]);
  });

  it.each([
    'work: { client_id: x, issuer: "http://127.0.0.1:9000", allow_http: true }',
    'microsoft: { client_id: x, client_secret: y, tenant: example.com, trust_email: true }',
    'mine: { preset: google, client_id: x }',
  ])('are accepted as %s', (entry) => {
    expect(faultsOf(() => read(entry))).toEqual([]);
  });
});

describe('the environment of identity', () => {
  it.each([
    [{ OIDC_ISSUER: 'https://idp.example' }, 'OIDC_ISSUER and OIDC_CLIENT_ID must be set together'],
    [{ OIDC_ISSUER: 'http://idp.example', OIDC_CLIENT_ID: 'x' }, 'OIDC_ISSUER must be a URL that begins with https://'],
    [{ SLUICE_PUBLIC_URL: 'gate.example' }, 'SLUICE_PUBLIC_URL must be a URL'],
    [{ SLUICE_PUBLIC_URL: 'https://gate.example/path' }, 'SLUICE_PUBLIC_URL must be an origin without a path'],
  ])('refuses %j', (environment, told) => {
    expect(faultsOf(() => parseEnvironment(environment, []))).toEqual([expect.stringContaining(told)]);
  });

  it('accepts an origin, and warns if the server listens for others without one', () => {
    expect(parseEnvironment({ SLUICE_PUBLIC_URL: 'https://Gate.example/' }, []).SLUICE_PUBLIC_URL).toBe(
      'https://gate.example',
    );
    expect(parseEnvironment({ HOST: '0.0.0.0' }, []).warnings).toEqual([expect.stringContaining('SLUICE_PUBLIC_URL')]);
    expect(parseEnvironment({ HOST: 'localhost' }, []).warnings).toEqual([]);
  });
});
