import { z } from 'zod';
import type { ChatMessage } from '../datasets/dataset-document.ts';

/** The encrypted content of an output. */
export interface OutputDocument {
  /** The message of the assistant; null where the request failed, or had no output. */
  readonly message: ChatMessage | null;
  readonly errorMessage: string | null;
}

/** A result of a batch. */
export interface RunOutput extends OutputDocument {
  /** Of the request; null where its result cannot be read. */
  readonly requestId: string | null;
  readonly errorCode: string | null;
}

const lineSchema = z.object({ response: z.object({ request_id: z.string(), body: z.unknown() }) });
const errorSchema = z.object({
  error: z.object({ message: z.string(), type: z.string().nullish(), code: z.string().nullish() }),
});
const REQUEST_ID = /"request_id":"(req_[0-9a-f]{32})"/;

/** @param result a line of a batch's results @param messageOf the assistant's message of a response */
export function readOutput(
  result: string,
  isSuccess: boolean,
  messageOf: (body: unknown) => ChatMessage | null,
): RunOutput {
  const { response = null } = lineOf(result);
  const requestId = response?.request_id ?? REQUEST_ID.exec(result)?.[1] ?? null;
  if (isSuccess) return { requestId, message: messageOf(response?.body), errorCode: null, errorMessage: null };
  const { data } = errorSchema.safeParse(response?.body);
  const { message, code, type } = data?.error ?? {};
  return { requestId, message: null, errorCode: code ?? type ?? 'unknown_error', errorMessage: message ?? null };
}

/** A response is relayed as the provider sent it, which may be no JSON. */
function lineOf(result: string): Partial<z.infer<typeof lineSchema>> {
  try {
    return lineSchema.safeParse(JSON.parse(result)).data ?? {};
  } catch {
    return {};
  }
}
