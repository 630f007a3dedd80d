import {
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  calculatePKCECodeChallenge,
  Configuration,
  customFetch,
  fetchProtectedResource,
} from 'openid-client';
import { z } from 'zod';
import type {
  Challenge,
  ExternalIdentity,
  IdentityProvider,
  IdentityProviderSettings,
  ProviderFetch,
} from './identity-provider.ts';
import { mapProviderErrors, emailOf, nameOf } from './provider-failure.ts';

const TIMEOUT_SECONDS = 10;
const GITHUB = 'https://github.com';

const userSchema = z.object({ id: z.int(), login: z.string(), name: z.string().nullish() });
const emailsSchema = z.array(z.object({ email: z.string(), primary: z.boolean(), verified: z.boolean() }));

/**
 * GitHub and GitHub Enterprise Server: OAuth 2.0 without discovery and ID tokens, so the identity is read from its API.
 * Source: https://docs.github.com/rest/users
 */
export class GithubProvider implements IdentityProvider {
  readonly settings: IdentityProviderSettings;
  readonly #configuration: Configuration;
  readonly #api: string;
  readonly #issuer: string;

  constructor(settings: IdentityProviderSettings, fetch: ProviderFetch) {
    this.settings = settings;
    const issuer = settings.issuer.replace(/\/+$/, '');
    this.#issuer = issuer;
    this.#api = issuer === GITHUB ? 'https://api.github.com' : `${issuer}/api/v3`;
    this.#configuration = new Configuration(
      {
        issuer,
        authorization_endpoint: `${issuer}/login/oauth/authorize`,
        token_endpoint: `${issuer}/login/oauth/access_token`,
      },
      settings.clientId,
      settings.clientSecret ?? undefined,
    );
    this.#configuration[customFetch] = fetch;
    this.#configuration.timeout = TIMEOUT_SECONDS;
    if (settings.allowsHttp) allowInsecureRequests(this.#configuration);
  }

  begin({ redirectUri, state, verifier }: Challenge): Promise<URL> {
    return mapProviderErrors(this.settings, async () =>
      buildAuthorizationUrl(this.#configuration, {
        redirect_uri: redirectUri,
        scope: this.settings.scopes.join(' '),
        state,
        code_challenge: await calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
      }),
    );
  }

  finish({ state, verifier }: Challenge, answer: URL): Promise<ExternalIdentity> {
    return mapProviderErrors(this.settings, async () => {
      const { access_token: token } = await authorizationCodeGrant(this.#configuration, answer, {
        expectedState: state,
        pkceCodeVerifier: verifier,
      });
      const user = await this.#request(token, '/user', userSchema);
      const emails = await this.#request(token, '/user/emails', emailsSchema);
      const chosen = emails.find(({ primary }) => primary) ?? emails.find(({ verified }) => verified);
      const email = emailOf(chosen?.email);
      return {
        issuer: this.#issuer,
        // The numeric id does not change with the login name.
        subject: String(user.id),
        email,
        emailVerified: email !== null && chosen?.verified === true,
        name: nameOf(user.name, user.login),
      };
    });
  }

  async #request<T>(token: string, path: string, schema: z.ZodType<T>): Promise<T> {
    const headers = new Headers({ accept: 'application/vnd.github+json', 'x-github-api-version': '2022-11-28' });
    const answer = await fetchProtectedResource(
      this.#configuration,
      token,
      new URL(`${this.#api}${path}`),
      'GET',
      null,
      headers,
    );
    if (!answer.ok) throw new Error(`GitHub returned status ${answer.status} for ${path}`);
    return schema.parse(await answer.json());
  }
}
