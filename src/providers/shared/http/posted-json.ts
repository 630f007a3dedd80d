import { SluiceError } from '../../../errors/index.ts';
import type { UpstreamReceiver } from '../../contract.ts';
import { collected } from '../chat/collected-answer.ts';
import type { HttpUpstream } from './http-upstream.ts';
import { isObject, type JsonObject } from '../../../protocols/canonical/json-members.ts';
import { parseAnswer } from '../json/json-complexity.ts';

/** Of one response. 2,048 embeddings of 4,096 numbers, as Python formats them, have about 176 MB. */
const MAX_ANSWER_BYTES = 256 * 1024 * 1024;

export interface PostedJson {
  readonly provider: string;
  readonly upstream: HttpUpstream;
  /** A result of `HttpUpstream.path`. */
  readonly path: string;
  readonly body: Buffer | string;
  readonly signal: AbortSignal;
}

/** Posts JSON and returns the complete response. @throws SluiceError provider_*, and the signal's reason once it is aborted */
export async function postedJson({ provider, upstream, path, body, signal }: PostedJson): Promise<Buffer> {
  const send = (receiver: UpstreamReceiver): void => upstream.post(path, body, receiver);
  return (await collected(provider, signal, send, MAX_ANSWER_BYTES)).body;
}

/** @throws SluiceError provider_invalid_response */
export function parsedAnswer(provider: string, answer: Buffer): JsonObject {
  let parsed: unknown;
  try {
    parsed = parseAnswer(answer);
  } catch {
    parsed = null;
  }
  if (isObject(parsed)) return parsed;
  throw new SluiceError('provider_invalid_response', { values: { provider }, detail: 'no JSON object' });
}
