import type { Load } from '../load.ts';
import { RECORDING_BYTES, RECORDING_TYPE, recordingForm } from '../recording.ts';
import { agentConversation } from './agent.ts';
import { textKinds, textOf, type TextKind } from './texts.ts';

const CHAT_MODEL = 'openai/gpt-4.1-mini';
const OTHER_MODEL = 'anthropic/claude-sonnet-4-5';
const EMBEDDED_INPUTS = 100;

const sizes = [
  { size: '1kb', title: '1 kB', bytes: 1_000, warmUp: 30_000, requests: 6_000 },
  { size: '10kb', title: '10 kB', bytes: 10_000, warmUp: 30_000, requests: 6_000 },
  { size: '100kb', title: '100 kB', bytes: 100_000, warmUp: 15_000, requests: 3_000 },
  { size: '1mb', title: '1 MB', bytes: 1_000_000, warmUp: 2_000, requests: 480 },
] as const;

const kindTitles: Readonly<Record<TextKind, string>> = {
  english: 'English',
  chinese: 'Chinese',
  code: 'code',
  json: 'JSON in strings',
};

function prompts(): [string, Load][] {
  return sizes.flatMap(({ size, title, bytes, warmUp, requests }) =>
    textKinds.map((kind): [string, Load] => [
      `prompt-${size}-${kind}`,
      {
        title: `${title} prompt, ${kindTitles[kind]}`,
        warmUp,
        requests,
        body: body({ model: CHAT_MODEL, messages: [{ role: 'user', content: textOf(kind, bytes) }] }),
      },
    ]),
  );
}

function embeddings(format: 'base64' | 'float'): Load {
  const input = Array.from({ length: EMBEDDED_INPUTS }, (_, at) => textOf('english', 800, at + 1));
  return {
    title: `embeddings of ${EMBEDDED_INPUTS} inputs, as ${format === 'base64' ? 'base64' : 'numbers'}`,
    warmUp: 2_000,
    requests: 480,
    path: '/v1/embeddings',
    body: body({ model: 'openai/text-embedding-3-small', input, encoding_format: format }),
  };
}

function upload(): Load {
  const { head, soundBytes, end } = recordingForm(RECORDING_BYTES);
  return {
    title: '25 MB recording, transcribed, 4 at a time',
    warmUp: 100,
    requests: 60,
    // More than one at a time is memory, which `--only media` measures.
    connections: 4,
    path: '/v1/audio/transcriptions',
    contentType: RECORDING_TYPE,
    body: Buffer.concat([head, Buffer.alloc(soundBytes), end]),
  };
}

const hello = [{ role: 'user', content: 'Say hello.' }];
const translated = { warmUp: 30_000, requests: 3_000 };

/** Rows that resemble what clients send. The proxy is asked where the provider is: its bytes are the provider's own. */
export function realisticLoads(): ReadonlyMap<string, Load> {
  return new Map<string, Load>([
    ...prompts(),
    [
      'agent',
      {
        title: '40 messages of an agent, 1 MB',
        warmUp: 2_000,
        requests: 480,
        body: body(agentConversation(CHAT_MODEL)),
      },
    ],
    [
      'agent-translated',
      {
        title: '40 messages of an agent, 1 MB, translated to Messages',
        warmUp: 2_000,
        requests: 480,
        proxyPath: '/v1/messages',
        body: body(agentConversation(OTHER_MODEL)),
      },
    ],
    ['embeddings', embeddings('base64')],
    ['embeddings-numbers', embeddings('float')],
    ['upload', upload()],
    [
      'messages-to-chat',
      {
        ...translated,
        title: '100-chunk stream, Messages client, Chat Completions provider',
        path: '/v1/messages',
        proxyPath: '/v1/chat/completions',
        body: body({ model: CHAT_MODEL, stream: true, max_tokens: 200, messages: hello }),
      },
    ],
    [
      'responses-to-messages',
      {
        ...translated,
        title: '100-chunk stream, Responses client, Messages provider',
        path: '/v1/responses',
        proxyPath: '/v1/messages',
        body: body({ model: OTHER_MODEL, stream: true, store: false, input: 'Say hello.' }),
      },
    ],
    [
      'gemini-to-messages',
      {
        ...translated,
        title: '100-chunk stream, Gemini client, Messages provider',
        path: `/v1beta/models/${OTHER_MODEL}:streamGenerateContent?alt=sse`,
        proxyPath: '/v1/messages',
        body: body({ contents: [{ role: 'user', parts: [{ text: 'Say hello.' }] }] }),
      },
    ],
  ]);
}

/** As bytes: a client that encodes it for each request would be slower than what is measured. */
function body(members: object): Buffer {
  return Buffer.from(JSON.stringify(members));
}
