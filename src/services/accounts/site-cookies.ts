import { cookieIn } from './request-credentials.ts';

/** What signing in leaves in a browser. */
const SESSION = 'sluice_session';
/** Of who came in by an identity provider and still owes the code of their authenticator app. */
const PENDING_SIGN_IN = 'sluice_pending';
/** Of where somebody signed in before. */
const DEVICE = 'sluice_device';
/** Of who signed up, and has not followed the link in the mail yet. */
const SIGN_UP = 'sluice_sign_up';
/** Of who is at an identity provider. */
const EXTERNAL_FLOW = 'sluice_flow';
/** A browser takes and sends such a cookie by https alone, and lets no other host set it (RFC 6265bis, 4.1.3.2). */
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

/** Names and attributes of this server's cookies: no script reads them, and no other site's form sends them. */
export class SiteCookies {
  /** Whether people reach this server by https alone. */
  readonly isHttps: boolean;
  readonly #prefix: string;

  /** @param publicUrl where people reach this server; its own word, as a proxy's is another's */
  constructor(publicUrl: string | undefined) {
    this.isHttps = publicUrl?.startsWith('https:') ?? false;
    this.#prefix = this.isHttps ? HOST_ONLY : '';
  }

  /** The session's token, from the header `cookie`. */
  sessionIn(header: string | undefined): string | null {
    return cookieIn(header, this.#prefix + SESSION);
  }

  /** The token of a session that began before this server had an https address; never where a newer one is there. */
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

  /** @param isSecure whether the request came by TLS */
  session(isSecure: boolean): SiteCookie {
    return this.#cookie(SESSION, '/', isSecure);
  }

  /** The one of before https, to clear it. */
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

  /** One a provider, so that two that are begun beside each other do not meet. */
  flow(isSecure: boolean, provider: string): SiteCookie {
    const cookie = this.#cookie(EXTERNAL_FLOW, `/auth/${encodeURIComponent(provider)}`, isSecure);
    return { ...cookie, name: this.#flowName(provider) };
  }

  /** A name with the prefix has the path `/`, or a browser takes it for none. */
  #cookie(name: string, path: string, isSecure: boolean): SiteCookie {
    return {
      name: this.#prefix + name,
      options: { httpOnly: true, sameSite: 'lax', path: this.isHttps ? '/' : path, secure: this.isHttps || isSecure },
    };
  }

  /** By name where the path cannot tell them apart. */
  #flowName(provider: string): string {
    if (!this.isHttps) return EXTERNAL_FLOW;
    return `${HOST_ONLY}${EXTERNAL_FLOW}_${provider.slice(0, MAX_PROVIDER_LENGTH).replaceAll(/[^\w-]/g, '_')}`;
  }
}

/** Whether a browser sends along what it got by signing in here, under whichever name. */
export function hasSiteCookie(header: string | undefined): boolean {
  return header !== undefined && ours.test(header);
}
