import { createSign, generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { GuardedFetch } from '../../../../src/outbound/guarded-fetch.ts';
import { OutboundGuard } from '../../../../src/outbound/guard.ts';
import { OpenIdProvider } from '../../../../src/services/identity/external/openid-provider.ts';
import { toSettings } from '../../../../src/services/identity/external/presets.ts';
import { returnPath } from '../../../../src/services/identity/external/return-path.ts';

const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const other = generateKeyPairSync('rsa', { modulusLength: 2048 });
const TENANT = '9188040d-6c67-4c5b-b112-36a304b66dad';
const MICROSOFT = 'https://login.microsoftonline.com';
const challenge = {
  redirectUri: 'https://gate.example/auth/x/callback',
  state: 's',
  nonce: 'n',
  verifier: 'v'.repeat(43),
};
const answer = new URL(`${challenge.redirectUri}?code=c&state=s`);

function idToken(claims: object, key = privateKey): string {
  const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  const seconds = Math.floor(Date.now() / 1_000);
  const usual = { iat: seconds, exp: seconds + 300, nonce: 'n', aud: 'client', sub: 'subject' };
  const text = `${part({ alg: 'RS256', kid: 'k' })}.${part({ ...usual, ...claims })}`;
  return `${text}.${createSign('RSA-SHA256').update(text).sign(key, 'base64url')}`;
}

const json = (value: object): Response =>
  new Response(JSON.stringify(value), { headers: { 'content-type': 'application/json' } });

/** Microsoft's documents at the common endpoint: the issuer is a template. */
function microsoft(token: string, tenant = 'common') {
  const provider = new OpenIdProvider(
    toSettings('microsoft', { preset: 'microsoft', tenant, clientId: 'client', clientSecret: 'secret' }),
    async (url) => {
      const { pathname } = new URL(url);
      if (pathname.endsWith('/openid-configuration'))
        return json({
          issuer: `${MICROSOFT}/{tenantid}/v2.0`,
          authorization_endpoint: `${MICROSOFT}/common/oauth2/v2.0/authorize`,
          token_endpoint: `${MICROSOFT}/common/oauth2/v2.0/token`,
          jwks_uri: `${MICROSOFT}/common/discovery/v2.0/keys`,
          id_token_signing_alg_values_supported: ['RS256'],
        });
      if (pathname.endsWith('/keys'))
        return json({ keys: [{ ...publicKey.export({ format: 'jwk' }), kid: 'k', alg: 'RS256' }] });
      return json({ access_token: 'a', token_type: 'Bearer', expires_in: 60, id_token: token });
    },
  );
  return provider.finish(challenge, answer);
}

const issuer = `${MICROSOFT}/${TENANT}/v2.0`;
const person = { iss: issuer, tid: TENANT, email: 'Ada@Example.com', name: 'Ada' };

describe('Microsoft', () => {
  it('is a different issuer for each directory, and verifies no address by itself', async () => {
    expect(await microsoft(idToken(person))).toEqual({
      issuer,
      subject: 'subject',
      email: 'ada@example.com',
      emailVerified: false,
      name: 'Ada',
    });
    expect(await microsoft(idToken({ ...person, xms_edov: true }))).toMatchObject({ emailVerified: true });
    expect(await microsoft(idToken({ ...person, xms_edov: true, email_verified: false }))).toMatchObject({
      emailVerified: false,
    });
  });

  it.each([
    ['another directory’s name', { tid: '00000000-0000-4000-8000-000000000000' }],
    ['another issuer', { iss: 'https://evil.example' }],
    ['another audience', { aud: 'another' }],
    ['another nonce', { nonce: 'another' }],
    ['no nonce', { nonce: undefined }],
    ['an end that is past', { exp: 1_000 }],
  ])('is rejected with %s', async (_what, claims) => {
    await expect(microsoft(idToken({ ...person, ...claims }))).rejects.toMatchObject({
      code: 'identity_provider_failed',
    });
  });

  it('is rejected with a signature of another key, or none', async () => {
    await expect(microsoft(idToken(person, other.privateKey))).rejects.toMatchObject({
      code: 'identity_provider_failed',
    });
    const [, claims] = idToken(person).split('.');
    const header = Buffer.from('{"alg":"none"}').toString('base64url');
    await expect(microsoft(`${header}.${claims}.`)).rejects.toMatchObject({ code: 'identity_provider_failed' });
  });
});

describe('an issuer', () => {
  const visits: string[] = [];
  const inside = createServer((request, response) => {
    visits.push(request.url ?? '');
    response.end('{}');
  });
  const server = createServer((request, response) => {
    response.setHeader('content-type', 'application/json');
    if (request.url === '/.well-known/openid-configuration')
      response.end(
        JSON.stringify({
          issuer: urlOf(server),
          authorization_endpoint: `${urlOf(server)}/authorize`,
          token_endpoint: `${urlOf(inside)}/latest/meta-data`,
          jwks_uri: `${urlOf(server)}/jwks`,
        }),
      );
    else response.writeHead(302, { location: `${urlOf(inside)}/redirected` }).end();
  });

  beforeAll(async () => {
    for (const each of [server, inside]) await once(each.listen(0, '127.0.0.1'), 'listening');
  });
  afterAll(() => {
    for (const each of [server, inside]) each.closeAllConnections();
    server.close();
    inside.close();
  });

  it('is never requested at a private address, by its documents or a redirect', async () => {
    const guard = new OutboundGuard([new URL(urlOf(server)).host]);
    const guarded = new GuardedFetch({ guard, connectTimeoutMs: 60_000, timeoutMs: 60_000 });
    const settings = toSettings('x', { preset: null, issuer: urlOf(server), clientId: 'client', allowsHttp: true });
    const provider = new OpenIdProvider(settings, guarded.fetch);
    expect((await provider.begin(challenge)).pathname).toBe('/authorize');
    await expect(provider.finish(challenge, answer)).rejects.toMatchObject({ code: 'identity_provider_failed' });
    expect((await guarded.fetch(`${urlOf(server)}/elsewhere`, {})).status).toBe(302);
    expect(visits).toEqual([]);
    await guarded.close();
  });

  function urlOf(of: typeof server): string {
    const address = of.address();
    return `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`;
  }
});

describe('the return path', () => {
  it.each(['/', '/keys', '/usage?from=2026-11-01#chart'])('is %s', (path) => {
    expect(returnPath(path)).toBe(path);
  });

  it.each([
    undefined,
    ['/a', '/b'],
    'keys',
    '//evil.example',
    '/\\evil.example',
    '/a\\b',
    '/\tb',
    '/./\t/evil.example',
    '/.//evil.example',
    '/..//evil.example',
    `/${'x'.repeat(2_000)}`,
  ])('is the start page for %j', (path) => {
    expect(returnPath(path)).toBe('/');
  });
});
