import { serverAudits } from 'graphql-http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { operator } from '../../../harness/operator.ts';
import type { TestAccount } from '../../../harness/shared-server.ts';

let account: TestAccount;

beforeAll(async () => {
  account = await (await operator()).newAccount();
});

afterAll(() => account.dispose());

/** What the specification recommends and this server does otherwise, by the audit's id. */
const refused = '400, as with application/graphql-response+json: whoever watches statuses sees the fault';
const otherwise: Readonly<Record<string, string>> = { '572B': refused, FDE2: refused, '7B9B': refused };

describe('GraphQL over HTTP', () => {
  const audits = serverAudits({ url: () => `${account.url}/graphql`, fetchFn: fetch });

  it.each(audits.map(({ id, name, fn }) => [name, id, fn] as const))('%s', async (name, id, fn) => {
    const { status } = await fn();
    // What is only allowed may be done in either way.
    if (name.startsWith('MAY')) expect(['ok', 'notice']).toContain(status);
    else expect([id, status]).toEqual([id, otherwise[id] === undefined ? 'ok' : 'warn']);
  });
});

describe('a page of another origin', () => {
  const query = '{__typename}';
  const search = new URLSearchParams({ query });

  it.each([
    ['GET as text', () => fetch(`${account.url}/graphql?${search}`, { headers: { 'content-type': 'text/plain' } })],
    ['GET without a type', () => fetch(`${account.url}/graphql?${search}`)],
    ['POST as text', () => post('text/plain', JSON.stringify({ query }))],
    ['POST as a form', () => post('application/x-www-form-urlencoded', search.toString())],
    [
      'POST in parts',
      () =>
        post(
          'multipart/form-data; boundary=x',
          `--x\r\ncontent-disposition: form-data; name="operations"\r\n\r\n{"query":"${query}"}\r\n--x--\r\n`,
        ),
    ],
    [
      'POST without a type',
      () =>
        fetch(`${account.url}/graphql`, { method: 'POST', body: new TextEncoder().encode(JSON.stringify({ query })) }),
    ],
  ])('cannot run an operation by %s', async (_how, send) => {
    const response = await send();
    expect(response.status).toBeGreaterThanOrEqual(400);
    expect(response.status).toBeLessThan(500);
    const text = await response.text();
    expect(text).toContain('errors');
    expect(text).not.toContain('"data":{');
  });

  it('is accepted after a preflight request', async () => {
    const response = await fetch(`${account.url}/graphql?${search}`, { headers: { 'apollo-require-preflight': '1' } });
    expect(await response.json()).toEqual({ data: { __typename: 'Query' } });
  });

  it('can use a key from an allowed origin, and never a cookie', async () => {
    const origin = 'https://dashboard.example.com';
    const asked = await fetch(`${account.url}/graphql`, {
      method: 'OPTIONS',
      headers: {
        origin,
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'authorization,content-type',
      },
    });
    expect(asked.status).toBe(204);
    expect(asked.headers.get('access-control-allow-origin')).toBe(origin);
    expect(asked.headers.get('access-control-allow-methods')).toBe('GET, POST');
    expect(asked.headers.get('access-control-allow-headers')).toMatch(/^authorization, (?:[\w-]+, )*content-type, /);
    const answer = await fetch(`${account.url}/graphql`, {
      method: 'POST',
      headers: { origin, 'content-type': 'application/json', authorization: `Bearer ${account.apiKey}` },
      body: JSON.stringify({ query: '{ apiKeys(first: 1) { nodes { name } } }' }),
    });
    expect(await answer.json()).toEqual({ data: { apiKeys: { nodes: [{ name: 'First key' }] } } });
    expect(answer.headers.get('access-control-allow-origin')).toBe(origin);
    expect(answer.headers.get('access-control-expose-headers')).toContain('x-request-id');
    for (const { headers } of [asked, answer]) {
      expect(headers.get('access-control-allow-credentials')).toBeNull();
      expect(headers.get('vary')?.toLowerCase()).toContain('origin');
    }
  });

  it.each(['https://evil.example.com', 'null'])('receives no header that lets %s read', async (origin) => {
    for (const method of ['OPTIONS', 'POST']) {
      const { headers } = await fetch(`${account.url}/graphql`, {
        method,
        headers: { origin, 'content-type': 'application/json', 'access-control-request-method': 'POST' },
        ...(method === 'POST' && { body: JSON.stringify({ query }) }),
      });
      expect(headers.get('access-control-allow-origin')).toBeNull();
    }
  });

  it('cannot send several operations in one body', async () => {
    const response = await post('application/json', JSON.stringify([{ query }, { query }]));
    expect(response.status).toBe(400);
  });

  function post(type: string, body: string): Promise<Response> {
    return fetch(`${account.url}/graphql`, { method: 'POST', headers: { 'content-type': type }, body });
  }
});

/** A socket that says these messages, and what it heard until it was closed. */
class Talk {
  readonly heard: { type: string; id?: string; payload?: unknown }[] = [];
  readonly closed: Promise<{ code: number; reason: string }>;
  readonly socket: WebSocket;
  #wake: () => void = () => undefined;

  constructor(protocols: string[] = ['graphql-transport-ws'], headers: Record<string, string> = {}) {
    this.socket = new WebSocket(`${account.url.replace('http', 'ws')}/graphql`, protocols, { headers });
    this.closed = new Promise((resolve) => {
      this.socket.once('close', (code, reason) => resolve({ code, reason: String(reason) }));
      this.socket.once('unexpected-response', (_request, response) =>
        resolve({ code: response.statusCode ?? 0, reason: '' }),
      );
    });
    this.socket.on('error', () => undefined);
    this.socket.on('message', (data) => {
      this.heard.push(JSON.parse(String(data)));
      this.#wake();
    });
  }

  async say(...messages: (object | string)[]): Promise<void> {
    if (this.socket.readyState === WebSocket.CONNECTING)
      await new Promise((resolve) => this.socket.once('open', resolve));
    for (const message of messages) this.socket.send(typeof message === 'string' ? message : JSON.stringify(message));
  }

  /** Waits until something is heard. */
  async until(found: (message: Talk['heard'][number]) => boolean): Promise<Talk['heard'][number]> {
    for (;;) {
      const message = this.heard.find(found);
      if (message) return message;
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }
}

const init = () => ({ type: 'connection_init', payload: { authorization: `Bearer ${account.apiKey}` } });
const subscribe = (id: string, query: string) => ({ type: 'subscribe', id, payload: { query } });
const alerts = 'subscription { budgetAlerts { percent } }';

describe('graphql-transport-ws', () => {
  it.concurrent.each([
    ['another protocol', ['graphql-ws'], [], 4406],
    ['no protocol', [], [], 4406],
    ['a message that is no JSON', undefined, ['x'], 4400],
    ['a message that is none of its', undefined, [{ type: 'begin' }], 4400],
    ['a subscribe without an id', undefined, [init, { type: 'subscribe', payload: { query: alerts } }], 4400],
    ['a subscribe before anything', undefined, [subscribe('1', alerts)], 4401],
    ['a connection_init too many', undefined, [init, init], 4429],
    ['an id in use', undefined, [init, subscribe('1', alerts), subscribe('1', alerts)], 4409],
    ['silence', undefined, [], 4408],
  ] as const)('closes for %s', async (_what, protocols, messages, code) => {
    const talk = new Talk(protocols && [...protocols]);
    for (const message of messages) {
      await talk.say(typeof message === 'function' ? message() : message);
      // Only who was let in may subscribe.
      if (message === init && messages.length > 1 && messages[1] !== init)
        await talk.until(({ type }) => type === 'connection_ack');
    }
    expect((await talk.closed).code).toBe(code);
  });

  it('answers pings at any time with their payload', async () => {
    const talk = new Talk();
    await talk.say({ type: 'ping', payload: { now: 1 } });
    expect(await talk.until(({ type }) => type === 'pong')).toEqual({ type: 'pong', payload: { now: 1 } });
    await talk.say(init(), { type: 'ping' });
    await talk.until(({ type }) => type === 'connection_ack');
    talk.socket.close();
  });

  it('continues after a completed operation, whose ID can be reused', async () => {
    const talk = new Talk();
    await talk.say(init());
    await talk.until(({ type }) => type === 'connection_ack');
    const ticks = 'subscription { usageTicks(interval: 1) { at } }';
    await talk.say(subscribe('1', ticks));
    await talk.until(({ type, id }) => type === 'next' && id === '1');
    await talk.say({ type: 'complete', id: '1' }, { type: 'complete', id: 'never' });
    await talk.say(subscribe('2', '{ viewer { role } }'));
    await talk.until(({ type, id }) => type === 'complete' && id === '2');
    await talk.say(subscribe('1', '{ viewer { role } }'));
    await talk.until(({ type, id }) => type === 'complete' && id === '1');
    expect(talk.socket.readyState).toBe(WebSocket.OPEN);
    talk.socket.close();
  });

  it.each([
    ['https://evil.example', 403],
    ['null', 403],
    ['https://dashboard.example.com.evil.example', 403],
    ['https://dashboard.example.com', 101],
    ['own', 101],
  ])('checks the origin of a page: %s', async (given, expected) => {
    const origin = given === 'own' ? account.url : given;
    const talk = new Talk(undefined, { origin });
    const opened = new Promise<number>((resolve) => talk.socket.once('open', () => resolve(101)));
    expect(await Promise.race([opened, talk.closed.then(({ code }) => code)])).toBe(expected);
    talk.socket.close();
  });
});
