import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { anthropicError } from '../../harness/anthropic-schema.ts';
import { completion, pieces, startFakeProvider, stream, type FakeProvider } from '../../harness/fake-provider.ts';
import { secret, startGateway, type TestGateway } from '../../harness/gateway.ts';
import {
  completionsTemplate,
  geminiTemplate,
  malformedTextRequests,
  messagesTemplate,
  type Template,
} from '../../harness/malformed-text-requests.ts';
import { recording, replayDocument } from '../providers/replay.ts';

const BODIES = 400;
const AT_ONCE = 8;

let chats: FakeProvider;
let messages: FakeProvider;
let gateway: TestGateway;

beforeAll(async () => {
  const [streamed, whole] = [stream(['Hi']), completion()];
  chats = await startFakeProvider((request, response) =>
    (request.json.stream === true ? streamed : whole)(request, response),
  );
  const message = replayDocument(recording('anthropic/anthropic-text.json'));
  const lines = recording('anthropic/anthropic-text.chunks.txt').split('\n');
  const data = lines.filter((line) => line.trim() !== '');
  const event = (line: string): string => `event: ${String(JSON.parse(line).type)}\ndata: ${line}\n\n`;
  const events = pieces(data.map(event), 'end', 'text/event-stream');
  messages = await startFakeProvider((request, response) =>
    (request.json.stream === true ? events : message)(request, response),
  );
  const limits = { requestsPerMinute: Infinity, tokensPerMinute: Infinity, requestsPerDay: Infinity, concurrency: 100 };
  gateway = await startGateway({
    openai: chats.url,
    providers: { anthropic: { apiKey: 'key', baseUrl: messages.url }, ollama: chats.url },
    key: { limits },
  });
});

afterAll(async () => {
  await gateway.close();
  await chats.close();
  await messages.close();
});

const googleError = z.object({
  error: z.object({ code: z.int(), message: z.string().min(1), status: z.string().regex(/^[A-Z_]+$/) }),
});
const openAiError = z.object({
  error: z.object({ message: z.string().min(1), type: z.string(), code: z.string().nullable() }),
});
const completionTemplate = (model: string): Template => ({ ...completionsTemplate, model });
const ofModel = (model: string): Template => ({ ...messagesTemplate, model });
const gemini = '/v1beta/models/openai/m';

describe(`of ${BODIES} malformed bodies`, () => {
  it.each<[path: string, template: Template, envelope: z.ZodType]>([
    ['/v1/messages', ofModel('sandbox/chat'), anthropicError],
    ['/v1/messages?converted', ofModel('openai/m'), anthropicError],
    ['/v1/messages?relayed', ofModel('anthropic/claude'), anthropicError],
    ['/v1/messages/count_tokens', ofModel('openai/m'), anthropicError],
    ['/v1/messages/count_tokens?relayed', ofModel('anthropic/claude'), anthropicError],
    ['/v1/completions', completionTemplate('sandbox/chat'), openAiError],
    ['/v1/completions?converted', completionTemplate('openai/m'), openAiError],
    ['/v1/completions?relayed', completionTemplate('ollama/m'), openAiError],
    ['/v1beta/models/sandbox/chat:generateContent', geminiTemplate, googleError],
    [`${gemini}:generateContent`, geminiTemplate, googleError],
    [`${gemini}:streamGenerateContent`, geminiTemplate, googleError],
    [`${gemini}:streamGenerateContent?alt=sse`, geminiTemplate, googleError],
    [`${gemini}:countTokens`, geminiTemplate, googleError],
  ])(
    'none is the server’s fault, and refusals have the envelope of the protocol: %s',
    async (path, template, envelope) => {
      const faults: string[] = [];
      let refused = 0;
      const next = malformedTextRequests(template, BODIES).values();
      const work = async (): Promise<void> => {
        for (const body of next) {
          const headers = { 'x-api-key': secret, 'content-type': 'application/json' };
          const response = await fetch(gateway.url + path, { method: 'POST', headers, body });
          const text = await response.text();
          if (response.status === 200) continue;
          refused++;
          const isRefusal = response.status < 500 && envelope.safeParse(JSON.parse(text)).success;
          if (!isRefusal) faults.push(`${response.status} ${text} ${body}`.slice(0, 2_000));
        }
      };
      await Promise.all(Array.from({ length: AT_ONCE }, work));
      expect(faults).toEqual([]);
      expect(refused).toBeGreaterThan(BODIES / 20);
    },
  );
});
