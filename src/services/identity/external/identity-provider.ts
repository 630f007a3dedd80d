/** What the operator says of a place where people may sign in. */
export interface IdentityProviderSettings {
  /** Stands in the URLs. */
  readonly id: string;
  readonly name: string;
  readonly kind: 'openid' | 'github';
  /** Where its documents are; tokens may name another issuer where it serves many directories. */
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string | null;
  readonly scopes: readonly string[];
  /** Whether its addresses are verified, without its saying so. */
  readonly trustsEmail: boolean;
  /** For an issuer on this machine. */
  readonly allowsHttp: boolean;
}

/** What a sign-in begins with, and what its end is held against. */
export interface Challenge {
  readonly redirectUri: string;
  readonly state: string;
  readonly nonce: string;
  /** PKCE's. */
  readonly verifier: string;
}

/** Who somebody is there. */
export interface ExternalIdentity {
  /** With `subject`, who it is: for good, unlike the address. */
  readonly issuer: string;
  readonly subject: string;
  /** In lower case; null where none is told. */
  readonly email: string | null;
  readonly emailVerified: boolean;
  readonly name: string | null;
}

/** A place where people may sign in. */
export interface IdentityProvider {
  readonly settings: IdentityProviderSettings;
  /** Where the browser goes. @throws SluiceError identity_provider_failed */
  begin(challenge: Challenge): Promise<URL>;
  /**
   * Who came back.
   * @param answer the redirect URI with what the provider added
   * @throws SluiceError identity_provider_failed | identity_provider_denied
   */
  finish(challenge: Challenge, answer: URL): Promise<ExternalIdentity>;
}

/** As libraries take it. */
export type ProviderFetch = (
  url: string,
  init: {
    readonly method?: string | undefined;
    readonly headers?: Readonly<Record<string, string>> | undefined;
    readonly body?: unknown;
    readonly signal?: AbortSignal | undefined;
  },
) => Promise<Response>;
