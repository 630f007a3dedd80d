import type { ServerResponse } from 'node:http';
import {
  completion,
  json,
  refusal,
  startFakeProvider,
  usage,
  type FakeProvider,
  type ReceivedRequest,
} from './fake-provider.ts';

/** What becomes of one request of a batch. `expired` and `cancelled`: it is not run. */
export type LineOutcome = { readonly status: number; readonly body: unknown } | 'expired' | 'cancelled';

export interface FakeBatch {
  readonly id: string;
  readonly input_file_id: string;
  readonly endpoint: string;
  readonly metadata: Readonly<Record<string, string>> | null;
  status: string;
  output_file_id?: string;
  error_file_id?: string;
  errors?: unknown;
  request_counts?: { readonly total: number; readonly completed: number; readonly failed: number };
  readonly created_at: number;
}

/**
 * A loopback server with OpenAI's Batch API, files and chats, which keeps what it is sent. The shapes are those of OpenAI's API
 * document (Batch, BatchRequestInput, BatchRequestOutput, OpenAIFile) and developers.openai.com/api/docs/guides/batch.
 */
export interface FakeOpenAiBatches extends FakeProvider {
  readonly batches: readonly FakeBatch[];
  /** The requests of a batch, parsed. */
  linesOf(batch: FakeBatch): Record<string, unknown>[];
  readonly deletedFiles: readonly string[];
  /** The bodies of requests that were sent one by one. */
  readonly chats: readonly Record<string, unknown>[];
  /** Called when a batch was created, before that is answered. */
  onCreated: (response: ServerResponse) => void | Promise<void>;
  /** Ends a batch that is running. */
  end(
    batch: FakeBatch,
    status: 'completed' | 'expired' | 'cancelled',
    outcomeOf?: (line: number, body: Record<string, unknown>) => LineOutcome,
  ): void;
  fail(batch: FakeBatch, code: string, message: string): void;
}

/** @param url the path of requests within a file, as the provider wants it */
export async function startFakeOpenAiBatches(): Promise<FakeOpenAiBatches> {
  const provider = await startFakeProvider();
  const files = new Map<string, string>();
  const batches: FakeBatch[] = [];
  const deletedFiles: string[] = [];
  /** Whether they are is only told at the second look. */
  const processed = new Set<string>();
  const chats: Record<string, unknown>[] = [];
  const hooks: Pick<FakeOpenAiBatches, 'onCreated'> = { onCreated: () => undefined };
  const linesOf = ({ input_file_id: file }: FakeBatch): Record<string, unknown>[] =>
    (files.get(file) ?? '')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line));
  const addFile = (text: string): string => {
    const id = `file-${files.size + deletedFiles.length + 1}`;
    files.set(id, text);
    return id;
  };
  const create = async (
    { json: given }: ReceivedRequest,
    response: ServerResponse,
  ): Promise<ReturnType<typeof json>> => {
    const file = String(given.input_file_id);
    if (!files.has(file)) return refusal(400, 'no such file');
    const batch = {
      id: `batch_${batches.length + 1}`,
      object: 'batch',
      endpoint: String(given.endpoint),
      input_file_id: file,
      completion_window: given.completion_window,
      metadata: (given.metadata as Record<string, string> | undefined) ?? null,
      status: 'validating',
      created_at: Math.floor(Date.now() / 1000),
    };
    batches.push(batch);
    await hooks.onCreated(response);
    return json(200, batch);
  };
  const scriptOf = async (request: ReceivedRequest, response: ServerResponse): Promise<ReturnType<typeof json>> => {
    const [path = ''] = request.path.split('?');
    const isGet = request.body === '';
    const [, kind, id = '', action] = /^\/v1\/(files|batches)(?:\/([^/]+))?(?:\/(content|cancel))?$/.exec(path) ?? [];
    if (kind === 'files' && id === '')
      return json(200, { id: addFile(uploaded(request)), object: 'file', status: 'processed' });
    if (kind === 'files' && request.method === 'GET' && action === undefined) {
      const status = processed.has(id) ? 'processed' : 'pending';
      processed.add(id);
      return json(200, { id, object: 'file', status });
    }
    if (kind === 'files' && action === 'content')
      return (_request, answer) =>
        void answer.writeHead(200, { 'content-type': 'application/octet-stream' }).end(files.get(id));
    if (kind === 'files' && request.method === 'DELETE') {
      deletedFiles.push(id);
      return json(200, { id, object: 'file', deleted: true });
    }
    if (kind === 'batches' && id === '' && isGet)
      return json(200, { object: 'list', data: batches.toReversed(), has_more: false });
    if (kind === 'batches' && id === '') return create(request, response);
    const batch = batches.find((each) => each.id === id);
    if (batch !== undefined && action === 'cancel' && batch.status !== 'completed') batch.status = 'cancelling';
    if (batch !== undefined) return json(200, batch);
    if (path === '/v1/models') return json(200, { object: 'list', data: [] });
    chats.push(request.json);
    return completion();
  };
  provider.answerWith(async (request, response) => {
    const script = await scriptOf(request, response);
    if (!response.destroyed) await script(request, response);
  });
  return Object.assign(hooks, provider, {
    batches,
    deletedFiles,
    chats,
    linesOf,
    end: (
      batch: FakeBatch,
      status: string,
      outcomeOf: (line: number, body: Record<string, unknown>) => LineOutcome = chatOutcome,
    ) => {
      const outcomes = linesOf(batch).map(({ custom_id: id, body }, line) => ({
        id,
        outcome: outcomeOf(line, body as Record<string, unknown>),
      }));
      const output = outcomes.flatMap(({ id, outcome }) =>
        typeof outcome === 'object' && outcome.status === 200 ? [resultLine(id, outcome, null)] : [],
      );
      const errors = outcomes.flatMap(({ id, outcome }) => {
        if (outcome === 'cancelled') return [];
        if (outcome === 'expired') return [resultLine(id, null, { code: 'batch_expired', message: 'Expired.' })];
        return outcome.status === 200 ? [] : [resultLine(id, outcome, null)];
      });
      // In any order, as OpenAI says.
      if (output.length > 0) batch.output_file_id = addFile(output.toReversed().join('\n'));
      if (errors.length > 0) batch.error_file_id = addFile(errors.join('\n'));
      batch.status = status;
    },
    fail: (batch: FakeBatch, code: string, message: string) => {
      batch.errors = { object: 'list', data: [{ code, message, line: 1, param: null }] };
      batch.status = 'failed';
    },
  });
}

/** A chat completion that repeats the last message. */
export function chatOutcome(_line: number, body: Record<string, unknown>): LineOutcome {
  const messages = body.messages as { readonly content: string }[];
  return {
    status: 200,
    body: {
      id: 'chatcmpl-1',
      object: 'chat.completion',
      created: 1,
      model: body.model,
      choices: [
        {
          index: 0,
          message: { role: 'assistant', content: messages.at(-1)?.content, refusal: null },
          finish_reason: 'stop',
          logprobs: null,
        },
      ],
      usage,
    },
  };
}

function resultLine(id: unknown, outcome: Exclude<LineOutcome, string> | null, error: unknown): string {
  const response = outcome && { status_code: outcome.status, request_id: 'req_1', body: outcome.body };
  return JSON.stringify({ id: `batch_req_${String(id)}`, custom_id: id, response, error });
}

/** The file of a form. */
function uploaded({ body }: ReceivedRequest): string {
  const [, text = ''] = /name="file"[^]*?\r\n\r\n([^]*?)\r\n--sluice-/.exec(body) ?? [];
  return text;
}
