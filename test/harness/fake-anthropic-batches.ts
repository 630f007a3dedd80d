import type { ServerResponse } from 'node:http';
import { json, refusal, startFakeProvider, type FakeProvider, type ReceivedRequest } from './fake-provider.ts';

/** What becomes of one request of a batch, as Anthropic states it. */
export type MessageResult = Readonly<Record<string, unknown>> & {
  readonly type: 'succeeded' | 'errored' | 'canceled' | 'expired';
};

export interface FakeMessageBatch {
  readonly id: string;
  readonly betas: string | undefined;
  readonly requests: readonly { readonly custom_id: string; readonly params: Record<string, unknown> }[];
  processing_status: 'in_progress' | 'canceling' | 'ended';
  readonly created_at: string;
  results: string;
}

/**
 * A loopback server with Anthropic's Message Batches API, which keeps what it is sent. The shapes are those of `MessageBatch` and
 * `MessageBatchIndividualResponse` of `@anthropic-ai/sdk`.
 */
export interface FakeAnthropicBatches extends FakeProvider {
  /** Those that are not deleted, in the order of their creation. */
  readonly batches: readonly FakeMessageBatch[];
  readonly deleted: readonly string[];
  /** Called when a batch was created, before that is answered. */
  onCreated: () => void | Promise<void>;
  end(batch: FakeMessageBatch, resultOf?: (index: number, params: Record<string, unknown>) => MessageResult): void;
}

export async function startFakeAnthropicBatches(): Promise<FakeAnthropicBatches> {
  const provider = await startFakeProvider();
  const batches: FakeMessageBatch[] = [];
  const deleted: string[] = [];
  const hooks: Pick<FakeAnthropicBatches, 'onCreated'> = { onCreated: () => undefined };
  const shown = ({ id, requests, processing_status, created_at }: FakeMessageBatch): object => ({
    id,
    type: 'message_batch',
    processing_status,
    request_counts: { processing: requests.length, succeeded: 0, errored: 0, canceled: 0, expired: 0 },
    created_at,
    results_url: processing_status === 'ended' ? `${provider.url}/messages/batches/${id}/results` : null,
  });
  const create = async ({ json: given, headers }: ReceivedRequest): Promise<ReturnType<typeof json>> => {
    const batch: FakeMessageBatch = {
      id: `msgbatch_${batches.length + 1}`,
      betas: headers['anthropic-beta']?.toString(),
      requests: given.requests as FakeMessageBatch['requests'],
      processing_status: 'in_progress',
      created_at: new Date().toISOString(),
      results: '',
    };
    batches.push(batch);
    await hooks.onCreated();
    return json(200, shown(batch));
  };
  const scriptOf = async (request: ReceivedRequest): Promise<ReturnType<typeof json>> => {
    const [path = ''] = request.path.split('?');
    const [, id = '', action] = /^\/v1\/messages\/batches\/([^/]+)(?:\/(results|cancel))?$/.exec(path) ?? [];
    if (path === '/v1/models') return json(200, { data: [], has_more: false });
    if (path === '/v1/messages/batches' && request.method === 'POST') return create(request);
    if (path === '/v1/messages/batches')
      return json(200, { data: batches.toReversed().map(shown), has_more: false, last_id: null });
    const batch = batches.find((each) => each.id === id);
    if (batch === undefined) return refusal(404, 'no such batch');
    if (request.method === 'DELETE') deleted.push(id);
    if (action === 'cancel') batch.processing_status = 'canceling';
    if (action === 'results')
      return (_request, answer) =>
        void answer.writeHead(200, { 'content-type': 'application/x-jsonl' }).end(batch.results);
    return json(200, shown(batch));
  };
  provider.answerWith(async (request, response: ServerResponse) => {
    const script = await scriptOf(request);
    if (!response.destroyed) await script(request, response);
  });
  return Object.assign(hooks, provider, {
    batches,
    deleted,
    end: (
      batch: FakeMessageBatch,
      resultOf: (index: number, params: Record<string, unknown>) => MessageResult = messageResult,
    ) => {
      const lines = batch.requests.map(({ custom_id: id, params }, index) =>
        JSON.stringify({ custom_id: id, result: resultOf(index, params) }),
      );
      // In any order, as Anthropic says.
      batch.results = `${lines.toReversed().join('\n')}\n`;
      batch.processing_status = 'ended';
    },
  });
}

/** A message that repeats the last text. */
export function messageResult(_index: number, params: Record<string, unknown>): MessageResult {
  const messages = params.messages as { readonly content: string | { readonly text: string }[] }[];
  const content = messages.at(-1)?.content ?? '';
  const text = typeof content === 'string' ? content : content[0]?.text;
  return {
    type: 'succeeded',
    message: {
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      model: params.model,
      content: [{ type: 'text', text }],
      stop_reason: 'end_turn',
      stop_sequence: null,
      usage: { input_tokens: 12, output_tokens: 5, service_tier: 'batch' },
    },
  };
}
