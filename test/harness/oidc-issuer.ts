import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { Provider } from 'oidc-provider';

/** Somebody who has signed in at the provider. */
export interface Person {
  readonly sub: string;
  readonly email?: string;
  readonly email_verified?: boolean;
  readonly name?: string;
}

export interface OidcIssuer {
  readonly url: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** Who signs in there from now on; null: who comes turns back. */
  person: Person | null;
  close(): Promise<void>;
}

/** A real OpenID provider on loopback, where everybody who comes is signed in as `person` without being asked. */
export async function startOidcIssuer(): Promise<OidcIssuer> {
  const server: Server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const url = `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`;
  const signingKey = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ format: 'jwk' });
  const people = new Map<string, Person>();
  const clientId = 'sluice';
  const clientSecret = 'the-secret-of-the-client';
  const provider = new Provider(url, {
    clients: [{ client_id: clientId, client_secret: clientSecret, redirect_uris: ['http://127.0.0.1/any'] }],
    pkce: { required: () => true },
    scopes: ['openid', 'profile', 'email'],
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
    cookies: { keys: ['a key of the tests'] },
    jwks: { keys: [{ ...signingKey, use: 'sig', alg: 'RS256', kid: 'test' }] },
    ttl: { AccessToken: 600, AuthorizationCode: 60, Grant: 600, IdToken: 600, Interaction: 600, Session: 600 },
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_context, interaction) => `/interaction/${interaction.uid}` },
    findAccount: (_context, id) => ({
      accountId: id,
      claims: () => ({ ...people.get(id), sub: id }),
    }),
    loadExistingGrant: async (context) => {
      const { client, session } = context.oidc;
      const grant = new context.oidc.provider.Grant({ clientId: client?.clientId, accountId: session?.accountId });
      grant.addOIDCScope('openid profile email');
      await grant.save();
      return grant;
    },
  });
  provider.Client.prototype.redirectUriAllowed = (uri: string) =>
    /^http:\/\/127\.0\.0\.1:\d+\/auth\/[\w-]+\/callback$/.test(uri);
  const handle = provider.callback();
  const issuer: OidcIssuer = {
    url,
    clientId,
    clientSecret,
    person: null,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
  server.on('request', (request, response) => {
    if (!request.url?.startsWith('/interaction/')) {
      void handle(request, response);
      return;
    }
    const { person } = issuer;
    if (person !== null) people.set(person.sub, person);
    const result = person === null ? { error: 'access_denied' } : { login: { accountId: person.sub, remember: false } };
    void provider.interactionFinished(request, response, result);
  });
  return issuer;
}
