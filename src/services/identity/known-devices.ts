import { z } from 'zod';
import type { CookieSeal } from './cookie-seal.ts';

const PURPOSE = 'device';
const deviceSchema = z.object({ email: z.string() });
/** A browser without a sign-in for half a year is no longer recognized. */
export const DEVICE_LIFETIME_MS = 180 * 86_400_000;

/**
 * Recognizes browsers in which a user signed in before, by a signed cookie. Their attempts are counted separately, so that
 * attempts by strangers do not lock users out of their own browsers.
 */
export class KnownDevices {
  readonly #seal: Pick<CookieSeal, 'seal' | 'open'>;

  constructor(seal: Pick<CookieSeal, 'seal' | 'open'>) {
    this.#seal = seal;
  }

  /** The cookie for the browser. */
  remember(email: string): string {
    return this.#seal.seal(PURPOSE, { email }, DEVICE_LIFETIME_MS);
  }

  /** The device id, if this user signed in with this browser before. */
  idOf(email: string, cookie: string | null): string | null {
    const device = this.#seal.open(PURPOSE, cookie, deviceSchema);
    return device !== null && device.value.email === email ? device.id : null;
  }
}
