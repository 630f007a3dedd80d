import { cookieIn } from '../client-request/request-credentials.ts';

/** The session cookie. */
const SESSION = 'sluice_session';
/** After a sign-in at an identity provider, until the code of the authenticator app is entered. */
const PENDING_SIGN_IN = 'sluice_pending';
/** Recognizes browsers in which a user signed in before. */
const DEVICE = 'sluice_device';
/** After a sign-up, until the mailed link is opened. */
const SIGN_UP = 'sluice_sign_up';
/** During a sign-in at an identity provider. */
const EXTERNAL_FLOW = 'sluice_flow';
/** Browsers accept and send such a cookie by https only, and no other host can set it (RFC 6265bis, 4.1.3.2). */
const HOST_ONLY = '__Host-';
const ours = /(?:^|;\s*)(?:__Host-)?sluice_(?:session|pending|flow|sign_up)/;
const MAX_PROVIDER_LENGTH = 100;

/** How a cookie is set or cleared. */
export interface SiteCookie {
  readonly name: string;
  readonly options: {
    readonly httpOnly: true;
    readonly sameSite: 'lax';
    readonly path: string;
    readonly secure: boolean;
  };
}

/** Names and attributes of this server's cookies: not readable by scripts, not sent with forms of other sites. */
export class SiteCookies {
  /** Whether this server is reached by https only. */
  readonly isHttps: boolean;
  readonly #prefix: string;

  /** @param publicUrl the configured public origin; headers of a proxy are not used for it */
  constructor(publicUrl: string | undefined) {
    this.isHttps = publicUrl?.startsWith('https:') ?? false;
    this.#prefix = this.isHttps ? HOST_ONLY : '';
  }

  /** The session token from the `cookie` header. */
  sessionIn(header: string | undefined): string | null {
    return cookieIn(header, this.#prefix + SESSION);
  }

  /** The token of a session from before this server had an https address; null if there is a newer one. */
  formerSessionIn(header: string | undefined): string | null {
    return this.isHttps && this.sessionIn(header) === null ? cookieIn(header, SESSION) : null;
  }

  pendingIn(header: string | undefined): string | null {
    return cookieIn(header, this.#prefix + PENDING_SIGN_IN);
  }

  signUpIn(header: string | undefined): string | null {
    return cookieIn(header, this.#prefix + SIGN_UP);
  }

  deviceIn(header: string | undefined): string | null {
    return cookieIn(header, this.#prefix + DEVICE);
  }

  flowIn(header: string | undefined, provider: string): string | null {
    return cookieIn(header, this.#flowName(provider));
  }

  /** @param isSecure whether the request was made by TLS */
  session(isSecure: boolean): SiteCookie {
    return this.#cookie(SESSION, '/', isSecure);
  }

  /** The cookie from before https, to clear it. */
  readonly formerSession: SiteCookie = {
    name: SESSION,
    options: { httpOnly: true, sameSite: 'lax', path: '/', secure: false },
  };

  pending(isSecure: boolean): SiteCookie {
    return this.#cookie(PENDING_SIGN_IN, '/graphql', isSecure);
  }

  signUp(isSecure: boolean): SiteCookie {
    return this.#cookie(SIGN_UP, '/graphql', isSecure);
  }

  device(isSecure: boolean): SiteCookie {
    return this.#cookie(DEVICE, '/graphql', isSecure);
  }

  /** One per provider, so that concurrent flows do not interfere. */
  flow(isSecure: boolean, provider: string): SiteCookie {
    const cookie = this.#cookie(EXTERNAL_FLOW, `/auth/${encodeURIComponent(provider)}`, isSecure);
    return { ...cookie, name: this.#flowName(provider) };
  }

  /** Browsers ignore a cookie with the prefix unless its path is `/`. */
  #cookie(name: string, path: string, isSecure: boolean): SiteCookie {
    return {
      name: this.#prefix + name,
      options: { httpOnly: true, sameSite: 'lax', path: this.isHttps ? '/' : path, secure: this.isHttps || isSecure },
    };
  }

  /** With the provider's name where the path cannot distinguish them. */
  #flowName(provider: string): string {
    if (!this.isHttps) return EXTERNAL_FLOW;
    return `${HOST_ONLY}${EXTERNAL_FLOW}_${provider.slice(0, MAX_PROVIDER_LENGTH).replaceAll(/[^\w-]/g, '_')}`;
  }
}

/** Whether a browser sends a session cookie, under any of its names. */
export function hasSiteCookie(header: string | undefined): boolean {
  return header !== undefined && ours.test(header);
}
