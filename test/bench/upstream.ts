import { createServer, type ServerResponse } from 'node:http';
import { EMBEDDINGS, embeddings, TRANSCRIPTIONS, transcript } from './upstream-documents.ts';
import { streams } from './upstream-streams.ts';

/**
 * The provider of the benchmark: answers as cheaply as it can, so that what is measured is what stands before it.
 * A body with `"stream":true` gets 100 chunks; with a `"pace":N` one chunk each N milliseconds;
 * and with `"clock":true` each chunk says when it was written, in milliseconds since the epoch.
 */
const head = {
  id: 'chatcmpl-bench',
  object: 'chat.completion.chunk',
  created: 1_795_000_000,
  model: 'gpt-4.1-mini',
  service_tier: 'default',
  system_fingerprint: 'fp_bench',
};
const usage = {
  prompt_tokens: 12,
  completion_tokens: 98,
  total_tokens: 110,
  prompt_tokens_details: { cached_tokens: 0, audio_tokens: 0 },
  completion_tokens_details: { reasoning_tokens: 0, audio_tokens: 0 },
};
const small = Buffer.from(
  JSON.stringify({
    ...head,
    object: 'chat.completion',
    choices: [
      {
        index: 0,
        message: { role: 'assistant', content: 'Hello! How can I help you today?', refusal: null },
        logprobs: null,
        finish_reason: 'stop',
      },
    ],
    usage,
  }),
);

function chunk(delta: object, finishReason: string | null): string {
  return `data: ${JSON.stringify({ ...head, choices: [{ index: 0, delta, logprobs: null, finish_reason: finishReason }], usage: null })}\n\n`;
}

const chunks = [
  chunk({ role: 'assistant', content: '' }, null),
  ...Array.from({ length: 97 }, (_, index) => chunk({ content: ` word${index}` }, null)),
  chunk({}, 'stop'),
  `data: ${JSON.stringify({ ...head, choices: [], usage })}\n\n`,
  'data: [DONE]\n\n',
].map((text) => Buffer.from(text));

const server = createServer((request, response) => {
  const path = request.url ?? '';
  if (TRANSCRIPTIONS.test(path)) {
    request.resume().on('end', () => answer(response, transcript));
    return;
  }
  const parts: Buffer[] = [];
  request.on('data', (part: Buffer) => parts.push(part));
  request.on('end', () => {
    const body = Buffer.concat(parts);
    if (EMBEDDINGS.test(path)) {
      answer(response, body.includes('"encoding_format":"base64"') ? embeddings.base64 : embeddings.numbers);
      return;
    }
    const relayed = streams.find(({ pattern }) => pattern.test(path));
    if (relayed === undefined && !body.includes('"stream":true')) {
      answer(response, small);
      return;
    }
    response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
    const pace = Number(/"pace":(\d+)/.exec(body.toString())?.[1] ?? 0);
    if (pace === 0) {
      for (const each of relayed?.events ?? chunks) response.write(each);
      response.end();
      return;
    }
    const tellsTime = body.includes('"clock":true');
    let sent = 0;
    const timer = setInterval(() => {
      // An open stream for as long as it is wanted: the words come round again.
      if (tellsTime) response.write(chunk({ content: ` ${performance.timeOrigin + performance.now()}` }, null));
      else response.write(chunks[1 + (sent++ % 97)]);
    }, pace);
    response.on('close', () => clearInterval(timer));
  });
});

function answer(response: ServerResponse, document: Buffer): void {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': document.length }).end(document);
}

server.listen(Number(process.argv[2]), '127.0.0.1', () => process.stdout.write('ready\n'));
