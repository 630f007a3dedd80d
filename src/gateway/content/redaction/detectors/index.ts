import type { DetectorName } from '../rules.ts';
import { card } from './card.ts';
import type { Detector } from './detector.ts';
import { email } from './email.ts';
import { iban } from './iban.ts';
import { ip } from './ip.ts';
import { phone } from './phone.ts';
import { secret } from './secret.ts';

/** The built-in detectors; of overlapping matches, the first names the range. */
const detectors: readonly Detector[] = [secret, email, iban, card, ip, phone];

export function detectorsNamed(names: readonly DetectorName[]): readonly Detector[] {
  return detectors.filter(({ name }) => names.includes(name));
}
