import { createSign } from 'node:crypto';
import { systemClock, type Clock } from '../../calendar/clock.ts';
import { SluiceError, unreachable } from '../../errors/index.ts';
import { isObject } from '../../protocols/canonical/json-members.ts';
import type { ConnectionSettings } from '../contract.ts';
import type { Fetch } from '../bridge/package/connection-fetch.ts';
import { boundedText } from '../shared/http/bounded-text.ts';
import { pem } from './service-account.ts';

const TOKEN_URL = 'https://oauth2.googleapis.com/token';
const SCOPE = 'https://www.googleapis.com/auth/cloud-platform';
const GRANT = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
/** The longest that Google accepts. */
const ASSERTION_SECONDS = 3_600;
const TIMEOUT_MS = 10_000;
/** A token is replaced this long before it expires. */
const EARLY_MS = 60_000;

interface Token {
  readonly text: string;
  readonly expiresAt: number;
}

/**
 * Access tokens of a service account, each requested once while it is valid.
 * Source: developers.google.com/identity/protocols/oauth2/service-account, "HTTP/REST".
 */
export class AccessTokens {
  readonly #provider: string;
  readonly #options: ConnectionSettings['options'];
  readonly #fetch: Fetch;
  readonly #clock: Pick<Clock, 'now'>;
  #token: Token | null = null;
  #requesting: Promise<Token> | null = null;

  constructor(
    provider: string,
    { options }: Pick<ConnectionSettings, 'options'>,
    fetch: Fetch,
    clock: Pick<Clock, 'now'> = systemClock,
  ) {
    this.#provider = provider;
    this.#options = options;
    this.#fetch = fetch;
    this.#clock = clock;
  }

  /** @throws SluiceError provider_credentials | provider_unreachable, as the promise's rejection */
  async get(): Promise<string> {
    if (this.#token === null || this.#token.expiresAt - EARLY_MS <= this.#clock.now()) {
      this.#requesting ??= this.#request().finally(() => {
        this.#requesting = null;
      });
      this.#token = await this.#requesting;
    }
    return this.#token.text;
  }

  async #request(): Promise<Token> {
    const requestedAt = this.#clock.now();
    const response = await this.#fetch(TOKEN_URL, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' },
      body: `grant_type=${encodeURIComponent(GRANT)}&assertion=${this.#assertion(requestedAt)}`,
      signal: AbortSignal.timeout(TIMEOUT_MS),
    }).catch((cause: unknown) => this.#unreachable(cause));
    const text = response.body === null ? '' : await boundedText(response.body);
    const answer = response.ok ? parsed(text) : null;
    if (!isObject(answer) || typeof answer.access_token !== 'string')
      throw new SluiceError('provider_credentials', {
        values: { provider: this.#provider },
        detail: `token: ${response.status}`,
      });
    const seconds = typeof answer.expires_in === 'number' ? answer.expires_in : 0;
    return { text: answer.access_token, expiresAt: requestedAt + seconds * 1_000 };
  }

  #assertion(now: number): string {
    const issuedAt = Math.floor(now / 1_000);
    const claims = {
      iss: this.#options.client_email,
      scope: SCOPE,
      aud: TOKEN_URL,
      iat: issuedAt,
      exp: issuedAt + ASSERTION_SECONDS,
    };
    const signed = `${encoded({ alg: 'RS256', typ: 'JWT' })}.${encoded(claims)}`;
    const signature = createSign('RSA-SHA256')
      .update(signed)
      .sign(pem(this.#options.private_key ?? ''), 'base64url');
    return `${signed}.${signature}`;
  }

  #unreachable(cause: unknown): never {
    if (cause instanceof SluiceError) throw cause;
    throw unreachable({ provider: this.#provider, cause });
  }
}

function encoded(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
