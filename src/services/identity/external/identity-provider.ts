/** The operator's settings of an identity provider. */
export interface IdentityProviderSettings {
  /** Part of URLs. */
  readonly id: string;
  readonly name: string;
  readonly kind: 'openid' | 'github';
  /** Where the discovery document is; tokens may name another issuer where it serves many directories. */
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string | null;
  readonly scopes: readonly string[];
  /** Whether its addresses count as verified without a claim. */
  readonly trustsEmail: boolean;
  /** For an issuer on this machine. */
  readonly allowsHttp: boolean;
}

/** The parameters that start a sign-in and that its result is checked against. */
export interface Challenge {
  readonly redirectUri: string;
  readonly state: string;
  readonly nonce: string;
  /** The PKCE code verifier. */
  readonly verifier: string;
}

/** A user's identity at the provider. */
export interface ExternalIdentity {
  /** With `subject`, a permanent identifier, unlike the address. */
  readonly issuer: string;
  readonly subject: string;
  /** In lower case; null if the provider reports none. */
  readonly email: string | null;
  readonly emailVerified: boolean;
  readonly name: string | null;
}

/** An identity provider. */
export interface IdentityProvider {
  readonly settings: IdentityProviderSettings;
  /** The authorization URL. @throws SluiceError identity_provider_failed */
  begin(challenge: Challenge): Promise<URL>;
  /**
   * The identity of the user who was redirected back.
   * @param answer the redirect URI with the provider's parameters
   * @throws SluiceError identity_provider_failed | identity_provider_denied
   */
  finish(challenge: Challenge, answer: URL): Promise<ExternalIdentity>;
}

/** The `fetch` that the libraries call. */
export type ProviderFetch = (
  url: string,
  init: {
    readonly method?: string | undefined;
    readonly headers?: Readonly<Record<string, string>> | undefined;
    readonly body?: unknown;
    readonly signal?: AbortSignal | undefined;
  },
) => Promise<Response>;
