import {
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  calculatePKCECodeChallenge,
  customFetch,
  discovery,
  enableNonRepudiationChecks,
  fetchUserInfo,
  type Configuration,
} from 'openid-client';
import { systemClock, type Clock } from '../../../calendar/clock.ts';
import { SluiceError } from '../../../errors/index.ts';
import type {
  Challenge,
  ExternalIdentity,
  IdentityProvider,
  IdentityProviderSettings,
  ProviderFetch,
} from './identity-provider.ts';
import { mapProviderErrors, emailOf, nameOf } from './provider-failure.ts';

const TIMEOUT_SECONDS = 10;
/** How long discovery documents are cached. */
const DISCOVERY_TTL_MS = 60 * 60_000;

type Claims = Readonly<Record<string, unknown>>;

/** Any provider with OpenID Connect discovery: authorization code, PKCE, state, nonce, signature verification. */
export class OpenIdProvider implements IdentityProvider {
  readonly settings: IdentityProviderSettings;
  readonly #fetch: ProviderFetch;
  readonly #clock: Clock;
  /** `until` is of the clock's `monotonic`. */
  #discovered: { readonly configuration: Promise<Configuration>; readonly until: number } | null = null;

  constructor(settings: IdentityProviderSettings, fetch: ProviderFetch, clock: Clock = systemClock) {
    this.settings = settings;
    this.#fetch = fetch;
    this.#clock = clock;
  }

  begin({ redirectUri, state, nonce, verifier }: Challenge): Promise<URL> {
    return mapProviderErrors(this.settings, async () =>
      buildAuthorizationUrl(await this.#configuration(), {
        redirect_uri: redirectUri,
        scope: this.settings.scopes.join(' '),
        state,
        nonce,
        code_challenge: await calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
      }),
    );
  }

  finish({ state, nonce, verifier }: Challenge, answer: URL): Promise<ExternalIdentity> {
    return mapProviderErrors(this.settings, async () => {
      const configuration = await this.#configuration();
      const tokens = await authorizationCodeGrant(configuration, answer, {
        expectedState: state,
        expectedNonce: nonce,
        pkceCodeVerifier: verifier,
        idTokenExpected: true,
      });
      const claims = tokens.claims();
      if (claims === undefined)
        throw new SluiceError('internal_error', { detail: 'the token response contains no ID token claims' });
      // Many providers return the address only here. The subject must be the same.
      const more: Claims =
        claims.email === undefined && configuration.serverMetadata().userinfo_endpoint !== undefined
          ? await fetchUserInfo(configuration, tokens.access_token, claims.sub)
          : {};
      return this.#identityOf(claims.iss, claims.sub, { ...more, ...claims });
    });
  }

  #identityOf(issuer: string, subject: string, claims: Claims): ExternalIdentity {
    const email = emailOf(claims.email);
    return {
      issuer,
      subject,
      email,
      emailVerified: email !== null && (this.settings.trustsEmail || isMarkedVerified(claims)),
      name: nameOf(claims.name, claims.preferred_username, claims.given_name),
    };
  }

  #configuration(): Promise<Configuration> {
    if (this.#discovered !== null && this.#discovered.until > this.#clock.monotonic())
      return this.#discovered.configuration;
    const configuration = this.#discover();
    const entry = { configuration, until: this.#clock.monotonic() + DISCOVERY_TTL_MS };
    this.#discovered = entry;
    configuration.catch(() => {
      if (this.#discovered === entry) this.#discovered = null;
    });
    return configuration;
  }

  async #discover(): Promise<Configuration> {
    const { issuer, clientId, clientSecret, allowsHttp } = this.settings;
    return discovery(new URL(issuer), clientId, clientSecret ?? undefined, undefined, {
      [customFetch]: this.#fetch,
      timeout: TIMEOUT_SECONDS,
      // Signatures are verified although tokens are fetched by TLS, which a proxy may terminate.
      execute: [enableNonRepudiationChecks, ...(allowsHttp ? [allowInsecureRequests] : [])],
    });
  }
}

/** `xms_edov` is Microsoft's claim for an address with a verified domain owner. Some providers write booleans as text. */
function isMarkedVerified({ email_verified: verified, xms_edov: domainVerified }: Claims): boolean {
  const isTrue = (value: unknown): boolean => value === true || value === 'true' || value === 1 || value === '1';
  return verified === undefined ? isTrue(domainVerified) : isTrue(verified);
}
