import { SluiceError, toSluiceError } from '../../errors/index.ts';
import type { Call } from '../call.ts';
import { openChat } from '../capabilities/chat/open-chat.ts';
import { completionsProtocol } from '../capabilities/completions/completions-protocol.ts';
import { embeddings } from '../capabilities/embeddings/embeddings.ts';
import { messagesProtocol } from '../capabilities/messages/messages-protocol.ts';
import { moderation } from '../capabilities/moderation/moderation.ts';
import type { ClientObjects } from '../capabilities/text/held-objects.ts';
import { openText } from '../capabilities/text/open-text.ts';
import type { ClientResponse, ResponseTarget } from '../client-response.ts';
import type { Pipeline } from '../pipeline.ts';
import type { BatchEndpoint } from './batch.ts';
import type { LineAnswer } from './line-result.ts';

/** The version of Anthropic's API that requests of message batches have. */
const ANTHROPIC_VERSION = '2023-06-01';

/** Runs a request of `POST /v1/responses` to its end. */
export type OpenBatchResponse = (call: Call, body: Buffer) => Promise<void>;

export interface OpenLineDependencies {
  readonly pipeline: Pipeline;
  readonly openResponse: OpenBatchResponse;
  /** As `TextDependencies.objects`. */
  readonly objects?: ClientObjects;
}

export interface LineRequest {
  readonly endpoint: BatchEndpoint;
  /** The `anthropic-beta` header. */
  readonly beta: string | null;
  readonly body: Buffer;
}

/** Runs one line through the pipeline, like a request of a client. Never rejects. */
export function openLine(
  deps: OpenLineDependencies,
  call: Omit<Call, 'response'>,
  request: LineRequest,
): Promise<LineAnswer> {
  return new Promise((resolve) => {
    const response = new LineResponse(resolve);
    start(deps, { ...call, response }, request).catch((error: unknown) => response.fail(toSluiceError(error), null));
  });
}

async function start(deps: OpenLineDependencies, call: Call, { endpoint, beta, body }: LineRequest): Promise<void> {
  const { pipeline, openResponse } = deps;
  const headers = ['anthropic-version', ANTHROPIC_VERSION, ...(beta === null ? [] : ['anthropic-beta', beta])];
  const run: Readonly<Record<BatchEndpoint, () => unknown>> = {
    '/v1/chat/completions': () => openChat(deps, call, body),
    '/v1/completions': () => openText(deps, completionsProtocol, { headers: [], query: '' }, call, body),
    '/v1/messages': () => openText(deps, messagesProtocol, { headers, query: '' }, call, body),
    '/v1/embeddings': () => pipeline.open(embeddings, call, body),
    '/v1/moderations': () => pipeline.open(moderation, call, body),
    '/v1/responses': () => openResponse(call, body),
  };
  await run[endpoint]();
}

/** Collects the response to a line. */
class LineResponse implements ClientResponse {
  readonly #done: (answer: LineAnswer) => void;
  readonly #chunks: Buffer[] = [];

  constructor(done: (answer: LineAnswer) => void) {
    this.#done = done;
  }

  head(): void {}

  write(bytes: Buffer): boolean {
    this.#chunks.push(bytes);
    return true;
  }

  end(bytes: Buffer | null): void {
    if (bytes !== null) this.#chunks.push(bytes);
    this.#done({ type: 'answered', body: Buffer.concat(this.#chunks) });
  }

  fail(error: SluiceError, routed: ResponseTarget | null): void {
    this.#done({ type: 'failed', error, wasSent: routed !== null });
  }

  abort(): void {
    this.#done({ type: 'failed', error: new SluiceError('internal_error'), wasSent: true });
  }
}
