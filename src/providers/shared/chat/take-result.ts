import { SluiceError } from '../../../errors/index.ts';
import { collectResult, type GenerationResult } from '../../../protocols/canonical/generation-result.ts';
import type { StreamPartWriter } from '../../../protocols/canonical/stream-part-writer.ts';
import { reportedWithin } from '../http/upstream-error.ts';

/**
 * Ends a response that is not streamed.
 * @throws SluiceError provider_invalid_response where nothing was written, and the error that the provider reported
 */
export function takeResult(provider: string, writer: StreamPartWriter): GenerationResult {
  writer.end();
  const { start, choices, usage, error } = collectResult(writer.take() ?? []);
  if (error !== null) throw reportedWithin(provider, error);
  if (start === null || choices.length === 0)
    throw new SluiceError('provider_invalid_response', { values: { provider }, detail: 'no answer' });
  return { start, choices, usage };
}
