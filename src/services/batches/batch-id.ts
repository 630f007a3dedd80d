import { SluiceError } from '../../errors/index.ts';
import type { BatchProtocol } from '../../gateway/batches/batch.ts';

const PUBLIC_ID = /^(batch|msgbatch)_([0-9a-f]{8})([0-9a-f]{4})(7[0-9a-f]{3})([89ab][0-9a-f]{3})([0-9a-f]{12})$/;

const prefixes = { openai: 'batch', anthropic: 'msgbatch' } as const satisfies Record<BatchProtocol, string>;

/** A batch's public id: `batch_` or `msgbatch_`, and the 32 hex digits of the UUID. */
export function publicBatchId(protocol: BatchProtocol, id: string): string {
  return `${prefixes[protocol]}_${id.replaceAll('-', '')}`;
}

/** The UUID of a batch of either API. @throws SluiceError not_found */
export function anyBatchIdOf(publicId: string): string {
  return PUBLIC_ID.exec(publicId)?.slice(2).join('-') ?? noBatch();
}

/** @throws SluiceError not_found, also for a batch of the other API */
export function batchIdOf(protocol: BatchProtocol, publicId: string): string {
  const match = PUBLIC_ID.exec(publicId);
  if (match === null || match[1] !== prefixes[protocol]) return noBatch();
  return match.slice(2).join('-');
}

/** Another account's batch is not found. */
export function noBatch(): never {
  throw new SluiceError('not_found', { values: { what: 'batch' } });
}
