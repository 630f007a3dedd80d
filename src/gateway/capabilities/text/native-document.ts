import { SluiceError } from '../../../errors/index.ts';
import { collectResult } from '../../../protocols/canonical/generation-result.ts';
import { isObject, type JsonObject } from '../../../protocols/canonical/json-members.ts';
import type { ResponseDecoder } from '../../../protocols/canonical/response-decoder.ts';
import { StreamPartWriter } from '../../../protocols/canonical/stream-part-writer.ts';
import { reportedWithin } from '../../../providers/shared/http/upstream-error.ts';
import type { ParsedResponse } from '../capability.ts';
import { readChatResult } from '../chat/chat-answer.ts';
import { tryParse } from '../../json-text.ts';

export interface NativeDocument {
  readonly document: JsonObject;
  readonly response: ParsedResponse;
}

/**
 * Reads an unstreamed response of a provider that speaks the client's protocol.
 * @param model the requested one, where responses do not name it
 * @throws SluiceError provider_invalid_response | provider_error
 */
export function readNativeDocument(
  provider: string,
  body: Buffer,
  model: string,
  decoder: (writer: StreamPartWriter) => ResponseDecoder,
): NativeDocument {
  const writer = new StreamPartWriter(model);
  const document = tryParse(body.toString());
  if (!isObject(document)) throw invalid(provider);
  decoder(writer).document(document);
  writer.writeUsage();
  const { start, choices, usage, error } = collectResult(writer.take() ?? []);
  if (error !== null) throw reportedWithin(provider, error);
  if (start === null) throw invalid(provider);
  return { document, response: readChatResult({ start, choices, usage }) };
}

function invalid(provider: string): SluiceError {
  return new SluiceError('provider_invalid_response', { values: { provider }, detail: 'no response of the protocol' });
}
