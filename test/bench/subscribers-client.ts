import { randomUUID } from 'node:crypto';
import { WebSocket } from 'ws';

/**
 * Watches one completion over so many sockets, and prints as JSON how late its text came, by the times that the text itself says.
 * Arguments: url, key, how many sockets, seconds to warm up, seconds to measure.
 */
const [url = '', key = '', countText = '', warmUpText = '', measureText = ''] = process.argv.slice(2);
const count = Number(countText);
const query = `subscription ($input: CompletionInput!) { completion(input: $input) {
  __typename ... on CompletionDelta { cursor choice text } ... on CompletionFailed { code message } } }`;
const input = {
  clientRequestId: randomUUID(),
  model: 'openai/gpt-4.1-mini',
  messages: [{ role: 'user', content: 'Tell me the time.' }],
  parameters: { pace: 20, clock: true },
};

/** Tenths of a millisecond. */
const late: number[] = [];
let frames = 0;
let gaps = 0;
let closed = 0;
let measuring = false;
let told: ((error: Error) => void) | null = null;

function take(text: string): void {
  const now = performance.timeOrigin + performance.now();
  if (text.includes('"CompletionFailed"') || text.includes('"type":"error"')) told?.(new Error(text.slice(0, 500)));
  if (text.includes('"EventGap"')) gaps++;
  if (!measuring) return;
  const words = /"text":"([^"]*)"/.exec(text)?.[1];
  if (words === undefined) return;
  frames++;
  for (const time of words.trim().split(' ')) late.push(now - Number(time));
}

function open(): Promise<WebSocket> {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws');
  const id = randomUUID();
  return new Promise((resolve, reject) => {
    socket.on('error', reject);
    socket.on('close', () => closed++);
    socket.on('open', () =>
      socket.send(JSON.stringify({ type: 'connection_init', payload: { authorization: `Bearer ${key}` } })),
    );
    let isOpen = false;
    socket.on('message', (bytes) => {
      const text = String(bytes);
      if (isOpen) return take(text);
      if (!text.includes('connection_ack')) return;
      isOpen = true;
      socket.send(JSON.stringify({ id, type: 'subscribe', payload: { query, variables: { input } } }));
      resolve(socket);
    });
  });
}

const failure = new Promise<never>((_resolve, reject) => (told = reject));
const pause = (seconds: number): Promise<void> =>
  Promise.race([failure, new Promise<void>((resolve) => setTimeout(resolve, seconds * 1_000))]);

const sockets: WebSocket[] = [];
for (let batch = 0; batch < count; batch += 50)
  sockets.push(...(await Promise.all(Array.from({ length: Math.min(50, count - batch) }, open))));
process.stdout.write('ready\n');
await pause(Number(warmUpText));
measuring = true;
await pause(Number(measureText));
measuring = false;
late.sort((a, b) => a - b);
const at = (share: number): number => late[Math.min(late.length - 1, Math.floor(late.length * share))] ?? Number.NaN;
const figures = { tokens: late.length, frames, gaps, closed, p50: at(0.5), p99: at(0.99), most: late.at(-1) };
process.stdout.write(`figures ${JSON.stringify(figures)}\n`);
for (const socket of sockets) socket.terminate();
