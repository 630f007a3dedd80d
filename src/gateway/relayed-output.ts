import type { GenerationResult } from '../protocols/canonical/generation-result.ts';
import type { StreamPart } from '../protocols/canonical/stream-part.ts';
import type { ClientResponse } from './client-response.ts';

/** Output on its way to the client: bytes of the client's protocol, or parts that its response encodes. */
export type RelayedOutput = Buffer | readonly StreamPart[];

/** The same of a complete response that is not streamed. */
export type CompleteOutput = Buffer | GenerationResult;

/** Of a part, in addition to its text: approximate. */
const PART_BYTES = 64;
/** Of a token with its log probability and its bytes: approximate. */
const LOGPROB_BYTES = 128;

/** @returns as `ClientResponse.write` */
export function writeOutput(response: ClientResponse, output: RelayedOutput): boolean {
  if (Buffer.isBuffer(output)) return response.write(output);
  if (response.writeParts === undefined) throw new Error('the response does not encode parts');
  return response.writeParts(output);
}

/** As `ClientResponse.end`. */
export function endWith(response: ClientResponse, output: CompleteOutput, costNano: bigint | null): void {
  if (Buffer.isBuffer(output)) return response.end(output, costNano);
  if (response.endResult === undefined) throw new Error('the response does not encode results');
  response.endResult(output, costNano);
}

/** Joins consecutive output of one stream; null for none. */
export function joinOutput(outputs: readonly RelayedOutput[]): RelayedOutput | null {
  const bytes: Buffer[] = [];
  const parts: StreamPart[] = [];
  for (const output of outputs)
    if (Buffer.isBuffer(output)) bytes.push(output);
    else for (const part of output) parts.push(part);
  if (bytes.length > 0 && parts.length > 0) throw new Error('a stream has either bytes or parts');
  if (bytes.length > 0) return Buffer.concat(bytes);
  return parts.length > 0 ? parts : null;
}

/** Bytes in memory: of parts, approximate. */
export function outputSize(output: RelayedOutput): number {
  if (Buffer.isBuffer(output)) return output.length;
  return output.reduce((size, part) => size + partSize(part), 0);
}

function partSize(part: StreamPart): number {
  if (part.type !== 'text') return PART_BYTES + ('text' in part ? part.text.length : JSON.stringify(part).length);
  const tokens = part.logprobs.reduce((count, { top_logprobs: others }) => count + 1 + others.length, 0);
  return PART_BYTES + part.text.length + tokens * LOGPROB_BYTES;
}
