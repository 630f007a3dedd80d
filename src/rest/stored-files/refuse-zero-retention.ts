import { SluiceError } from '../../errors/index.ts';
import type { KeyRecord } from '../../gateway/keys/key-directory.ts';

/** @throws SluiceError zero_retention */
export function refuseZeroRetention({ zeroRetention }: Pick<KeyRecord, 'zeroRetention'>, param: string): void {
  if (zeroRetention !== true) return;
  throw new SluiceError('zero_retention', {
    param,
    values: { what: 'A stored file', next: 'Send the content within the request.' },
  });
}
