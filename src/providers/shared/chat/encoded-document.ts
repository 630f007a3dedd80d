import { SluiceError } from '../../../errors/index.ts';
import { collectResult } from '../../../protocols/canonical/generation-result.ts';
import type { StreamPartWriter } from '../../../protocols/canonical/stream-part-writer.ts';
import { encodeResponse } from '../../../protocols/chat-completions/encode-response.ts';
import { reportedWithin } from '../http/upstream-error.ts';

/**
 * Ends a response that is not streamed and encodes it in OpenAI's format.
 * @throws SluiceError provider_invalid_response where nothing was written, and the error that the provider reported
 */
export function encodedDocument(provider: string, writer: StreamPartWriter): Buffer {
  writer.end();
  const result = collectResult(writer.take() ?? []);
  if (result.error !== null) throw reportedWithin(provider, result.error);
  if (result.start === null || result.choices.length === 0)
    throw new SluiceError('provider_invalid_response', { values: { provider }, detail: 'no answer' });
  return encodeResponse(result.start, result);
}
