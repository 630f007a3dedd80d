import type { StreamPart } from '../../../protocols/canonical/stream-part.ts';
import type { ResolvedRequest } from '../resolution/resolve.ts';

/** What records the output of a provider: the cache, and what is stored for the account. */
type Recorders = Pick<ResolvedRequest<unknown>, 'cache' | 'recording'>;

/** Bytes from the provider, before the relay writes into them. A complete document is stored when it is sent. */
export function recordBytes({ cache, recording }: Recorders, bytes: Buffer, isStream: boolean): void {
  cache?.append(bytes);
  if (isStream) recording?.append(bytes);
}

export function recordParts({ cache, recording }: Recorders, parts: readonly StreamPart[]): void {
  cache?.appendParts(parts);
  recording?.appendParts(parts);
}
