import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FakeClock } from '../../../harness/fake-clock.ts';
import {
  chunk,
  completion,
  json,
  refusal,
  startFakeProvider,
  type FakeProvider,
} from '../../../harness/fake-provider.ts';
import { noFileIn } from '../../../harness/folder-changes.ts';
import { MemoryClaims } from '../../../harness/memory-claims.ts';
import { exchange } from '../../../harness/raw-http.ts';
import { secret, startGateway, type GatewayOptions, type TestGateway } from '../../../harness/gateway.ts';

const DAY_MS = 24 * 60 * 60_000;
const hello = { model: 'openai/gpt-4.1-mini', messages: [{ role: 'user', content: 'a canary prompt' }] };

let provider: FakeProvider;
let gateway: TestGateway;
let folder: string;
const gateways: TestGateway[] = [];

beforeEach(async () => {
  provider = await startFakeProvider();
  folder = mkdtempSync(join(tmpdir(), 'sluice-idempotency-'));
  gateway = await start();
});

afterEach(async () => {
  await Promise.all(gateways.splice(0).map((started) => started.close()));
  await provider.close();
  rmSync(folder, { recursive: true, force: true });
});

async function start(options: GatewayOptions = {}): Promise<TestGateway> {
  const started = await startGateway({ openai: provider.url, idempotencyFolder: folder, ...options });
  gateways.push(started);
  return started;
}

interface Asked {
  readonly key?: string;
  readonly body?: unknown;
  readonly path?: string;
  readonly signal?: AbortSignal;
  readonly at?: TestGateway;
}

function post({
  key = 'first',
  body = hello,
  path = 'chat/completions',
  signal,
  at = gateway,
}: Asked = {}): Promise<Response> {
  const isForm = body instanceof FormData;
  return fetch(`${at.url}/v1/${path}`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${secret}`,
      'idempotency-key': key,
      ...(!isForm && { 'content-type': 'application/json' }),
    },
    body: isForm ? body : typeof body === 'string' ? body : JSON.stringify(body),
    ...(signal && { signal }),
  });
}

async function codeOf(response: Response): Promise<unknown> {
  const { error } = JSON.parse(await response.text());
  return [response.status, error.code];
}

describe('Idempotency-Key', () => {
  it('makes one call and one charge of 100 parallel duplicates', async () => {
    const answers = await Promise.all(Array.from({ length: 100 }, () => post()));
    const texts = await Promise.all(answers.map((answer) => answer.text()));
    expect(new Set(texts).size).toBe(1);
    expect(answers.filter((answer) => answer.headers.get('idempotency-replayed') === 'true')).toHaveLength(99);
    expect(provider.requests).toHaveLength(1);
    expect(gateway.settled()).toHaveLength(1);
  });

  it('replays a response with its headers, regardless of the order of members in the body', async () => {
    const first = await post();
    const text = await first.text();
    const again = await post({ body: `{ "messages": ${JSON.stringify(hello.messages)}, "model": "${hello.model}" }` });
    expect(await again.text()).toBe(text);
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    expect(first.headers.get('idempotency-replayed')).toBeNull();
    for (const name of ['x-request-id', 'x-sluice-cost', 'x-sluice-model', 'content-type', 'content-length'])
      expect(again.headers.get(name)).toBe(first.headers.get(name));
    expect(provider.requests).toHaveLength(1);
  });

  it('refuses another body, and accepts another key, another path, or the same body without the header', async () => {
    await (await post()).text();
    const reused = await post({ body: { ...hello, seed: 7 } });
    // Official SDKs would retry the 409.
    expect(reused.headers.get('x-should-retry')).toBe('false');
    expect(await codeOf(reused)).toEqual([409, 'idempotency_key_reused']);
    await (await post({ key: 'second' })).text();
    await (await post({ path: 'moderations', body: { input: 'hello', model: 'sandbox/moderation' } })).text();
    expect(provider.requests).toHaveLength(2);
  });

  it('refuses a key that is not printable ASCII', async () => {
    expect(await codeOf(await post({ key: 'k'.repeat(256) }))).toEqual([400, 'invalid_idempotency_key']);
    for (const key of ['', 'k'.repeat(10_000), 'schl\u00fcssel', 'a\tb'])
      expect(await codeOf(await post({ key }))).toEqual([400, 'invalid_idempotency_key']);
    const head = `POST /v1/chat/completions HTTP/1.1\r\nhost: test\r\nauthorization: Bearer ${secret}\r\n`;
    const twice = 'idempotency-key: one\r\nIdempotency-Key: two\r\ncontent-length: 0\r\n\r\n';
    expect((await exchange(gateway.url, head + twice)).body).toContain('invalid_idempotency_key');
    expect(provider.requests).toHaveLength(0);
  });

  it('replays a stream exactly, and lets a duplicate join a running one', async () => {
    const events = [chunk({ content: 'Hel' }), chunk({ content: 'lo' }, 'stop'), 'data: [DONE]\n\n'];
    let goOn = (): void => undefined;
    provider.answerWith(async (_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(events[0]);
      await new Promise<void>((resolve) => (goOn = resolve));
      response.end(events.slice(1).join(''));
    });
    const body = { ...hello, stream: true };
    const first = await post({ body });
    const joined = await post({ body });
    expect(joined.headers.get('idempotency-replayed')).toBe('true');
    goOn();
    const text = await first.text();
    expect(text).toContain('data: [DONE]');
    expect(await joined.text()).toBe(text);
    const replayed = await post({ body });
    expect(await replayed.text()).toBe(text);
    expect(replayed.headers.get('content-type')).toBe(first.headers.get('content-type'));
    expect(provider.requests).toHaveLength(1);
    expect(gateway.settled()).toHaveLength(1);
  });

  it('continues for joined clients when the first client disconnects', async () => {
    let goOn = (): void => undefined;
    provider.answerWith(async (_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(chunk({ content: 'Hel' }));
      await new Promise<void>((resolve) => (goOn = resolve));
      response.end(`${chunk({ content: 'lo' }, 'stop')}data: [DONE]\n\n`);
    });
    const body = { ...hello, stream: true };
    const leaving = new AbortController();
    await post({ body, signal: leaving.signal });
    const joined = await post({ body });
    leaving.abort();
    goOn();
    expect(await joined.text()).toContain('data: [DONE]');
    expect(gateway.settled()).toMatchObject([{ status: 'succeeded' }]);
  });

  it('does not run an abandoned request again', async () => {
    provider.answerWith(() => undefined);
    const leaving = new AbortController();
    const left = post({ signal: leaving.signal }).catch(() => 'left');
    const { aborted } = await provider.nextRequest();
    leaving.abort();
    await Promise.all([left, aborted]);
    expect(await codeOf(await post())).toEqual([409, 'idempotency_interrupted']);
    expect(provider.requests).toHaveLength(1);
  });

  it.each([400, 401, 404, 429, 503])('releases the key after a %i of the provider without usage', async (status) => {
    provider.answerWith(refusal(status, 'Not now.'));
    await (await post()).text();
    provider.answerWith(completion());
    const again = await post();
    expect(again.status).toBe(200);
    expect(again.headers.get('idempotency-replayed')).toBeNull();
  });

  it('releases the key after its own rejection', async () => {
    expect((await post({ body: { ...hello, model: 'no/model' } })).status).toBe(404);
    expect((await post({ body: '{' })).status).toBe(400);
    expect((await post()).status).toBe(200);
  });

  it('stores a key for 24 hours', async () => {
    const clock = new FakeClock();
    const timed = await start({ clock, idempotencyFolder: join(folder, 'timed') });
    await (await post({ at: timed })).text();
    clock.advance(DAY_MS - 1);
    expect((await post({ at: timed })).headers.get('idempotency-replayed')).toBe('true');
    clock.advance(1);
    expect((await post({ at: timed })).headers.get('idempotency-replayed')).toBeNull();
  });

  it('stores a key when the wall clock is changed by days', async () => {
    const clock = new FakeClock();
    const timed = await start({ clock, idempotencyFolder: join(folder, 'set') });
    await (await post({ at: timed })).text();
    for (const days of [3, -3]) {
      clock.setNow(clock.now() + days * DAY_MS);
      expect((await post({ at: timed })).headers.get('idempotency-replayed')).toBe('true');
    }
    clock.setNow(clock.now() - 3 * DAY_MS);
    await gateways.pop()?.close();
    const restarted = await start({ clock, idempotencyFolder: join(folder, 'set') });
    expect((await post({ at: restarted })).headers.get('idempotency-replayed')).toBe('true');
  });

  it('compares JSON by its content, and a body above 1 MB byte by byte', async () => {
    const long = { ...hello, messages: [{ role: 'user', content: 'a'.repeat(1024 * 1024) }] };
    for (const [key, body] of Object.entries({ short: { ...hello, metadata: { a: '1', b: '2' } }, long })) {
      await (await post({ key, body })).text();
      const spaced = await post({ key, body: JSON.stringify(body, null, 2) });
      expect(spaced.status).toBe(key === 'short' ? 200 : 409);
    }
    const swapped = await post({ key: 'short', body: { metadata: { b: '2', a: '1' }, ...hello } });
    expect(swapped.headers.get('idempotency-replayed')).toBe('true');
    expect(provider.requests).toHaveLength(2);
  });

  it('counts released keys among the requests of an account', async () => {
    const idempotencyBounds = { claimsPerAccount: 2, bytesPerAccount: 1_000_000 };
    const clock = new FakeClock();
    const few = await start({ clock, idempotencyFolder: join(folder, 'few'), idempotencyBounds });
    for (const status of [404, 404, 429])
      expect((await post({ at: few, body: { ...hello, model: 'no/model' } })).status).toBe(status);
    await clock.advanceAsync(DAY_MS);
    expect((await post({ at: few })).status).toBe(200);
  });

  it('does not replay responses stored before zero retention was enabled', async () => {
    await (await post()).text();
    await gateways.pop()?.close();
    const silent = await start({ key: { zeroRetention: true } });
    expect(await codeOf(await post({ at: silent }))).toEqual([409, 'idempotency_not_replayable']);
    expect(provider.requests).toHaveLength(1);
  });

  it('replays after a restart, from encrypted files', async () => {
    const text = await (await post()).text();
    await gateways.pop()?.close();
    const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    for (const file of files) {
      const bytes = readFileSync(join(file.parentPath, file.name), 'latin1');
      expect(bytes).not.toMatch(/canary|Hello from the provider|gpt-4\.1/);
    }
    const restarted = await start();
    const again = await post({ at: restarted });
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    expect(await again.text()).toBe(text);
    expect(provider.requests).toHaveLength(1);
  });

  it('does not run a request again that had no response when the process ended', async () => {
    provider.answerWith(() => undefined);
    const leaving = new AbortController();
    const left = post({ signal: leaving.signal }).catch(() => 'left');
    await provider.nextRequest();
    const after = await start();
    expect(await codeOf(await post({ at: after }))).toEqual([409, 'idempotency_interrupted']);
    expect(provider.requests).toHaveLength(1);
    leaving.abort();
    await left;
  });

  it('stores no response with `store: false` or zero retention', async () => {
    const body = { ...hello, store: false };
    expect((await post({ body })).status).toBe(200);
    expect(await codeOf(await post({ body }))).toEqual([409, 'idempotency_not_replayable']);
    const silent = await start({ key: { zeroRetention: true }, idempotencyFolder: join(folder, 'silent') });
    await (await post({ at: silent })).text();
    expect(await codeOf(await post({ at: silent }))).toEqual([409, 'idempotency_not_replayable']);
    expect(readdirSync(join(folder, 'silent', 'answers'))).toEqual([]);
  });

  it('stores no response above 16 MB, and no more than the limit of the account', async () => {
    const content = 'a'.repeat(17 * 1024 * 1024);
    const choices = [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }];
    provider.answerWith(completion({ choices }));
    expect(await (await post()).text()).toContain(content);
    expect(await codeOf(await post())).toEqual([409, 'idempotency_not_replayable']);
    provider.answerWith(completion());
    const small = await start({
      idempotencyFolder: join(folder, 'small'),
      idempotencyBounds: { claimsPerAccount: 2, bytesPerAccount: 100 },
    });
    await (await post({ at: small })).text();
    expect(await codeOf(await post({ at: small }))).toEqual([409, 'idempotency_not_replayable']);
    await (await post({ at: small, key: 'second' })).text();
    expect(await codeOf(await post({ at: small, key: 'third' }))).toEqual([429, 'rate_limit_exceeded']);
  });

  it('recognises a form with another boundary, and one with another file', async () => {
    provider.answerWith(json(200, { text: 'Hello', usage: { type: 'duration', seconds: 1 } }));
    const form = (name: string): FormData => {
      const data = new FormData();
      data.set('model', 'openai/whisper-1');
      data.set('file', new Blob([wav()]), name);
      return data;
    };
    const path = 'audio/transcriptions';
    const text = await (await post({ path, body: form('a.wav') })).text();
    const again = await post({ path, body: form('a.wav') });
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    expect(await again.text()).toBe(text);
    expect(await codeOf(await post({ path, body: form('b.wav') }))).toEqual([409, 'idempotency_key_reused']);
    expect(provider.requests).toHaveLength(1);
    // Files of a form are deleted after its response was sent, which the client may read first.
    await noFileIn(gateway.uploads);
  });
});

describe('Idempotency-Key with two processes', () => {
  let one: TestGateway;
  let other: TestGateway;

  beforeEach(async () => {
    const claims = new MemoryClaims();
    one = await start({ sharedClaims: claims.process(), idempotencyFolder: join(folder, 'one') });
    other = await start({ sharedClaims: claims.process(), idempotencyFolder: join(folder, 'other') });
  });

  it('calls the provider once, reports that it still runs, and replays it in the other process', async () => {
    let goOn = (): void => undefined;
    const held = new Promise<void>((resolve) => (goOn = resolve));
    provider.answerWith(async (request, response) => {
      await held;
      return completion()(request, response);
    });
    const first = post({ at: one });
    await provider.nextRequest();
    const duplicates = await Promise.all([post({ at: other }), post({ at: other })]);
    for (const duplicate of duplicates) {
      expect(duplicate.headers.get('retry-after')).toBe('2');
      expect(await codeOf(duplicate)).toEqual([409, 'idempotency_in_progress']);
    }
    goOn();
    const text = await (await first).text();
    const replays = await Promise.all([post({ at: other }), post({ at: other })]);
    for (const replay of replays) {
      expect([replay.status, replay.headers.get('idempotency-replayed')]).toEqual([200, 'true']);
      expect(await replay.text()).toBe(text);
    }
    expect(await codeOf(await post({ at: other, body: { ...hello, seed: 7 } }))).toEqual([
      409,
      'idempotency_key_reused',
    ]);
    expect(provider.requests).toHaveLength(1);
    expect([...one.settled(), ...other.settled()]).toHaveLength(1);
  });

  it('releases the key in both processes after a rejection', async () => {
    provider.answerWith(refusal(503, 'Not now.'));
    await (await post({ at: one })).text();
    provider.answerWith(completion());
    expect((await post({ at: other })).headers.get('idempotency-replayed')).toBeNull();
    expect((await post({ at: one })).headers.get('idempotency-replayed')).toBe('true');
  });

  it('runs nothing while the other process cannot be reached', async () => {
    const away = { ...new MemoryClaims().process(), claim: () => Promise.reject(new Error('away')) };
    const alone = await start({ sharedClaims: away, idempotencyFolder: join(folder, 'alone') });
    expect(await codeOf(await post({ at: alone }))).toEqual([503, 'idempotency_unavailable']);
    expect((await fetch(`${alone.url}/v1/models`, { headers: { authorization: `Bearer ${secret}` } })).status).toBe(
      200,
    );
    expect(provider.requests).toHaveLength(0);
  });
});

/** A second of silence: 8,000 samples of 8 bits. */
function wav(): Uint8Array<ArrayBuffer> {
  const head = Buffer.alloc(44);
  head.write('RIFF', 0);
  head.writeUInt32LE(36 + 8_000, 4);
  head.write('WAVEfmt ', 8);
  head.writeUInt32LE(16, 16);
  head.writeUInt16LE(1, 20);
  head.writeUInt16LE(1, 22);
  head.writeUInt32LE(8_000, 24);
  head.writeUInt32LE(8_000, 28);
  head.writeUInt16LE(1, 32);
  head.writeUInt16LE(8, 34);
  head.write('data', 36);
  head.writeUInt32LE(8_000, 40);
  return new Uint8Array(Buffer.concat([head, Buffer.alloc(8_000, 128)]));
}
