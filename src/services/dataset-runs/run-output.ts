import { z } from 'zod';
import { SluiceError } from '../../errors/index.ts';
import type { LineResult } from '../../gateway/batches/batch.ts';
import type { ChatMessage } from '../datasets/dataset-document.ts';

/** The encrypted content of an output. */
export interface OutputDocument {
  /** The message of the assistant; null where the request failed, or had no output. */
  readonly message: ChatMessage | null;
  readonly errorMessage: string | null;
  /** Of a judge's output: what it answered. */
  readonly judgement?: { readonly score: number; readonly reason: string } | null;
}

/** A result of a batch. */
export interface RunOutput {
  /** Of the request; null where its result cannot be read. */
  readonly requestId: string | null;
  readonly message: ChatMessage | null;
  /** Null for a request that succeeded. */
  readonly errorCode: string | null;
  /** An `OutputDocument` as JSON. */
  readonly document: Buffer;
}

/** Of a result, and of its document. Those of one item for 8 models, and the item, are less than an operation may read. */
const MAX_OUTPUT_BYTES = 800_000;
/** Characters of a result that contain the ID of its request. */
const HEAD_LENGTH = 1_000;

const lineSchema = z.object({ response: z.object({ request_id: z.string(), body: z.unknown() }) });
const errorSchema = z.object({
  error: z.object({ message: z.string(), type: z.string().nullish(), code: z.string().nullish() }),
});
const REQUEST_ID = /"request_id":"(req_[0-9a-f]{32})"/;

/** A result that is too long to be stored is not parsed. @param messageOf the assistant's message of a response */
export function readOutput(
  { result, isSuccess }: Pick<LineResult, 'result' | 'isSuccess'>,
  messageOf: (body: unknown) => ChatMessage | null,
): RunOutput {
  const requestId = REQUEST_ID.exec(result.slice(0, HEAD_LENGTH))?.[1] ?? null;
  if (result.length > MAX_OUTPUT_BYTES) return tooLong(requestId);
  const { response = null } = lineOf(result);
  const of = response?.request_id ?? requestId;
  const output = isSuccess
    ? outputOf(of, messageOf(response?.body), null, null)
    : failure(of, errorSchema.safeParse(response?.body).data?.error);
  return output.document.length > MAX_OUTPUT_BYTES ? tooLong(of) : output;
}

function failure(requestId: string | null, error: z.infer<typeof errorSchema>['error'] | undefined): RunOutput {
  const { message, code, type } = error ?? {};
  return outputOf(requestId, null, code ?? type ?? 'unknown_error', message ?? null);
}

function tooLong(requestId: string | null): RunOutput {
  const { code, message } = new SluiceError('output_too_long', { values: { limit: MAX_OUTPUT_BYTES } });
  return outputOf(requestId, null, code, message);
}

function outputOf(
  requestId: string | null,
  message: ChatMessage | null,
  errorCode: string | null,
  errorMessage: string | null,
): RunOutput {
  const document = Buffer.from(JSON.stringify({ message, errorMessage } satisfies OutputDocument));
  return { requestId, message, errorCode, document };
}

/** A response is relayed as the provider sent it, which may be no JSON. */
function lineOf(result: string): Partial<z.infer<typeof lineSchema>> {
  try {
    return lineSchema.safeParse(JSON.parse(result)).data ?? {};
  } catch {
    return {};
  }
}
