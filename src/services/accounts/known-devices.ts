import { z } from 'zod';
import type { CookieSeal } from '../identity/cookie-seal.ts';

const PURPOSE = 'device';
const deviceSchema = z.object({ email: z.string() });
/** Half a year of not signing in there, and a browser is a stranger's again. */
export const DEVICE_MS = 180 * 86_400_000;

/**
 * Browsers in which somebody signed in before, by a cookie that only this server can make. Their attempts are counted apart: what
 * strangers try keeps nobody from signing in where they did already.
 */
export class KnownDevices {
  readonly #seal: Pick<CookieSeal, 'seal' | 'open'>;

  constructor(seal: Pick<CookieSeal, 'seal' | 'open'>) {
    this.#seal = seal;
  }

  /** What a browser keeps from now on. */
  remember(email: string): string {
    return this.#seal.seal(PURPOSE, { email }, DEVICE_MS);
  }

  /** The device's id, where this user signed in there before. */
  idOf(email: string, cookie: string | null): string | null {
    const device = this.#seal.open(PURPOSE, cookie, deviceSchema);
    return device !== null && device.value.email === email ? device.id : null;
  }
}
