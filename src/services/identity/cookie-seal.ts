import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { systemClock, type Clock } from '../../calendar/clock.ts';
import { UnsealError, type CredentialVault } from '../connections/credential-vault.ts';

const MAX_LENGTH = 8_000;

const envelope = z.object({ id: z.uuid(), expiresAt: z.number(), value: z.unknown() });

export interface Unsealed<T> {
  readonly value: T;
  /** Identifies the value, so that it can be used once. */
  readonly id: string;
  readonly expiresAt: Date;
}

/** Encrypts short-lived values that a browser stores and can neither read nor change. */
export class CookieSeal {
  readonly #vault: CredentialVault;
  readonly #clock: Clock;

  constructor(vault: CredentialVault, clock: Clock = systemClock) {
    this.#vault = vault;
    this.#clock = clock;
  }

  /** @param purpose the value opens only for the same purpose */
  seal(purpose: string, value: object, lifetimeMs: number): string {
    const text = JSON.stringify({ id: randomUUID(), expiresAt: this.#clock.now() + lifetimeMs, value });
    return this.#vault.seal(text, ownerFor(purpose)).toString('base64url');
  }

  /** Null if it was not sealed here, was changed, or has expired. */
  open<T>(purpose: string, sealed: string | null, schema: z.ZodType<T>): Unsealed<T> | null {
    if (sealed === null || sealed.length > MAX_LENGTH) return null;
    try {
      const text = this.#vault.open(Buffer.from(sealed, 'base64url'), ownerFor(purpose));
      const { id, expiresAt, value } = envelope.parse(JSON.parse(text));
      return expiresAt > this.#clock.now() ? { id, expiresAt: new Date(expiresAt), value: schema.parse(value) } : null;
    } catch (error) {
      if (error instanceof UnsealError || error instanceof z.ZodError) return null;
      throw error;
    }
  }
}

function ownerFor(purpose: string): { accountId: string; rowId: string } {
  return { accountId: '', rowId: `cookie/${purpose}` };
}
