import { setTimeout as sleep } from 'node:timers/promises';
import { chunk, completion, refusal, startFakeProvider, type Script } from '../fake-provider.ts';

const CHUNKS = 10;
const CHUNK_MS = 10;
/** Of `sluice.yaml`: a dollar for a million input tokens, two for a million output tokens. */
const [INPUT_NANO, OUTPUT_NANO] = [1_000, 2_000];
export const MAX_TOKENS = 100;
export const PRICED_MODEL = 'openai/priced';
export const pricedModels = `models:\n  ${PRICED_MODEL}: { input: "1", output: "2", max_output_tokens: ${MAX_TOKENS} }\n`;

export interface PricedProvider {
  readonly url: string;
  /** How often each request has arrived, by its name. */
  readonly received: ReadonlyMap<string, number>;
  close(): Promise<void>;
}

/** The usage that the provider reports for a request, by its number. */
function usageOf(number: number) {
  const [prompt, answer] = [10 + (number % 7), 20 + (number % 50)];
  return { prompt_tokens: prompt, completion_tokens: answer, total_tokens: prompt + answer };
}

/** @param name of a request: `<kind>-<number>` */
export function costNanoOf(name: string): bigint {
  const { prompt_tokens: prompt, completion_tokens: answer } = usageOf(numberOf(name));
  return BigInt(prompt * INPUT_NANO + answer * OUTPUT_NANO);
}

export function textOf(name: string): string {
  return `The answer to ${name}.`;
}

/** Answers each request with a text and a usage of its own. One whose name begins with `clock` streams times. */
export async function startPricedProvider(): Promise<PricedProvider> {
  const received = new Map<string, number>();
  const script: Script = async (request, response) => {
    const { user: name } = request.json;
    // Such as for its list of models.
    if (typeof name !== 'string') return refusal(404, 'Not found')(request, response);
    received.set(name, (received.get(name) ?? 0) + 1);
    if (request.json.stream !== true) return completion(answerTo(name))(request, response);
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.socket?.setNoDelay(true);
    const texts = name.startsWith('clock') ? times() : wordsOf(name);
    for await (const content of texts) response.write(chunk({ content }, null, { usage: null }));
    response.write(chunk({}, 'stop', { usage: null }));
    response.write(chunk({}, null, { choices: [], usage: usageOf(numberOf(name)) }));
    response.end('data: [DONE]\n\n');
  };
  const provider = await startFakeProvider(script);
  return { url: provider.url, received, close: () => provider.close() };
}

function answerTo(name: string): object & Record<string, unknown> {
  const message = { role: 'assistant', content: textOf(name), refusal: null };
  return {
    usage: usageOf(numberOf(name)),
    choices: [{ index: 0, message, logprobs: null, finish_reason: 'stop' }],
  };
}

/** In pieces, between which a process can be killed. */
async function* wordsOf(name: string): AsyncIterable<string> {
  const text = textOf(name);
  const length = Math.ceil(text.length / CHUNKS);
  for (let at = 0; at < text.length; at += length) {
    yield text.slice(at, at + length);
    await sleep(CHUNK_MS);
  }
}

const TIMES = 250;
const TIMES_MS = 20;

/** 50 a second for 5 s: when each was written, in milliseconds since the epoch. */
async function* times(): AsyncIterable<string> {
  for (let count = 0; count < TIMES; count++) {
    yield ` ${performance.timeOrigin + performance.now()}`;
    await sleep(TIMES_MS);
  }
}

function numberOf(name: string): number {
  return Number(name.split('-')[1]);
}
