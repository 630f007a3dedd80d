import type { GenerationResult } from '../../../protocols/canonical/generation-result.ts';
import type { StreamPart } from '../../../protocols/canonical/stream-part.ts';
import type { RequestSpan } from '../../telemetry/request-span.ts';
import type { ResolvedRequest } from '../resolution/resolve.ts';

/** What records the output of a provider: the cache, and what is stored for the account. */
type Recorders = Pick<ResolvedRequest<unknown>, 'cache' | 'recording'>;

/** Whose span states what a response names itself. */
interface Traced {
  readonly call: { readonly span?: RequestSpan | undefined };
  readonly capability: { readonly protocol?: unknown };
}

/** Bytes from the provider, before the relay writes into them. A complete document is stored when it is sent. */
export function recordBytes(traced: Traced, { cache, recording }: Recorders, bytes: Buffer, isStream: boolean): void {
  textSpanOf(traced)?.received(bytes);
  cache?.append(bytes);
  if (isStream) recording?.append(bytes);
}

export function recordParts(traced: Traced, { cache, recording }: Recorders, parts: readonly StreamPart[]): void {
  const span = textSpanOf(traced);
  if (span !== null) for (const part of parts) if (part.type === 'start') span.identified(part.id, part.model);
  cache?.appendParts(parts);
  recording?.appendParts(parts);
}

/** @returns the result */
export function recordResult(traced: Traced, result: GenerationResult): GenerationResult {
  textSpanOf(traced)?.identified(result.start.id, result.start.model);
  return result;
}

/** Null where no span is recorded, and for other responses than text. */
function textSpanOf({ call: { span }, capability }: Traced): RequestSpan | null {
  return span?.isSampled === true && capability.protocol !== undefined ? span : null;
}
