import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { SocketTurn, Upstream, UpstreamReceiver } from '../../../../../src/providers/contract.ts';
import { HttpUpstream } from '../../../../../src/providers/shared/http/http-upstream.ts';
import { ResponsesSockets } from '../../../../../src/providers/shared/openai-responses/socket/responses-sockets.ts';
import { FakeClock } from '../../../../harness/fake-clock.ts';
import { startFakeSocketProvider, type FakeSocketProvider } from '../../../../harness/fake-socket-provider.ts';

let provider: FakeSocketProvider;
let upstream: HttpUpstream;
let sockets: ResponsesSockets;
let session: AbortController;
let clock: FakeClock;

beforeEach(async () => {
  provider = await startFakeSocketProvider();
  upstream = new HttpUpstream({ provider: 'openai', baseUrl: provider.url, headers: [], connectTimeoutMs: 5_000 });
  clock = new FakeClock();
  sockets = new ResponsesSockets({
    id: 'mine',
    provider: 'openai',
    upstream,
    path: upstream.path('/responses'),
    clock,
  });
  session = new AbortController();
});
afterEach(async () => {
  session.abort();
  await upstream.close();
  await provider.close();
});

/** One request, and what arrives of its response. */
class Request implements UpstreamReceiver {
  readonly turn: SocketTurn;
  upstream: Upstream | null = null;
  isPosted = false;
  text = '';
  readonly #ended = Promise.withResolvers<string>();
  readonly #arrived = Promise.withResolvers<void>();

  constructor(streamId: string | null = null) {
    this.turn = { session: session.signal, streamId, members: { stream: null }, holder: null };
    const post = (): void => void (this.isPosted = true);
    sockets.send({ turn: this.turn, body: Buffer.from('{"model":"m","stream":true}'), headers: [], post }, this);
  }

  get ended(): Promise<string> {
    return this.#ended.promise;
  }

  get arrived(): Promise<void> {
    return this.#arrived.promise;
  }

  onConnecting(given: Upstream): void {
    this.upstream = given;
  }

  onHead(): void {}

  onData(bytes: Buffer): void {
    this.text += bytes.toString();
    this.#arrived.resolve();
  }

  onEnd(): void {
    this.#ended.resolve('ended');
  }

  onFailure({ code }: { code: string }): void {
    this.#ended.resolve(code);
  }
}

const event = (type: string, streamId?: string): string =>
  JSON.stringify({ type, ...(streamId !== undefined && { stream_id: streamId }) });

describe('the sockets to a provider', () => {
  it('name the connection that holds the response, and nothing of the posted body', async () => {
    const request = new Request();
    await provider.whenReceived(1);
    expect(provider.messages[0]?.text).toBe('{"model":"m","type":"response.create"}');
    expect(request.turn.holder).toBe('mine');
  });

  it('are opened at the host of requests, where the path of the base URL starts with two slashes', async () => {
    const baseUrl = provider.url.replace(/\/v1$/, '//models.example.com/v1');
    const other = new HttpUpstream({ provider: 'openai', baseUrl, headers: [], connectTimeoutMs: 5_000 });
    sockets = new ResponsesSockets({ id: 'mine', provider: 'openai', upstream: other, path: other.path('/responses') });
    const request = new Request();
    await Promise.race([provider.whenReceived(1), request.ended]);
    expect(provider.sockets).toMatchObject([{ path: '//models.example.com/v1/responses' }]);
    await other.close();
  });

  it('are one for each session, and end with it', async () => {
    const [first, second] = [new Request('a'), new Request('b')];
    const mine = session;
    session = new AbortController();
    const other = new Request();
    await provider.whenReceived(3);
    expect(provider.sockets).toHaveLength(2);
    mine.abort();
    expect(await Promise.all([first.ended, second.ended])).toEqual(['provider_unreachable', 'provider_unreachable']);
    provider.messages.at(-1)?.socket.socket.send(event('response.completed'));
    expect(await other.ended).toBe('ended');
  });

  it('close with a cancelled request', async () => {
    const request = new Request();
    await provider.whenReceived(1);
    request.upstream?.abort();
    await provider.sockets[0]?.closed;
    expect(request.text).toBe('');
  });

  it('go on with the requests of other streams, and close when these have ended', async () => {
    const [cancelled, other] = [new Request('a'), new Request('b')];
    await provider.whenReceived(2);
    const [opened] = provider.sockets;
    cancelled.upstream?.abort();
    const next = new Request('a');
    await provider.whenReceived(3);
    expect(provider.sockets).toHaveLength(2);
    opened?.socket.send(event('response.output_text.delta', 'a'));
    opened?.socket.send(event('response.completed', 'a'));
    opened?.socket.send(event('response.completed', 'b'));
    expect(await other.ended).toBe('ended');
    expect([cancelled.text, other.text]).toEqual(['', `data: ${event('response.completed', 'b')}\n\n`]);
    await opened?.closed;
    provider.sockets[1]?.socket.send(event('response.completed', 'a'));
    expect(await next.ended).toBe('ended');
  });

  it('give events that name no stream to the oldest request', async () => {
    const [first, second] = [new Request('a'), new Request('b')];
    await provider.whenReceived(2);
    for (const at of [0, 1]) provider.messages[at]?.socket.socket.send(event('response.completed'));
    expect(await Promise.all([first.ended, second.ended])).toEqual(['ended', 'ended']);
  });

  it('close when their connection does: idle at once, others after their request', async () => {
    const idle = new Request();
    await provider.whenReceived(1);
    provider.messages[0]?.socket.socket.send(event('response.completed'));
    await idle.ended;
    session = new AbortController();
    const running = new Request();
    await provider.whenReceived(2);
    sockets.retire();
    await provider.sockets[0]?.closed;
    provider.messages[1]?.socket.socket.send(event('response.completed'));
    expect(await running.ended).toBe('ended');
    await provider.sockets[1]?.closed;
  });

  it('stop reading while a request is paused', async () => {
    const request = new Request();
    await provider.whenReceived(1);
    const socket = provider.messages[0]?.socket.socket;
    socket?.send(event('response.created'));
    await request.arrived;
    request.upstream?.pause();
    const read = request.text;
    socket?.send(event('response.completed'));
    // What is sent later on another socket has arrived.
    for (let count = 2; count < 5; count++) {
      session = new AbortController();
      const other = new Request();
      await provider.whenReceived(count);
      provider.messages.at(-1)?.socket.socket.send(event('response.completed'));
      expect(await other.ended).toBe('ended');
    }
    expect(request.text).toBe(read);
    request.upstream?.resume();
    expect(await request.ended).toBe('ended');
  });

  it('are read for other streams while a request is paused, whose events wait', async () => {
    const [paused, other] = [new Request('a'), new Request('b')];
    await provider.whenReceived(2);
    const socket = provider.sockets[0]?.socket;
    socket?.send(event('response.created', 'a'));
    await paused.arrived;
    paused.upstream?.pause();
    const read = paused.text;
    socket?.send(event('response.in_progress', 'a'));
    socket?.send(event('response.completed', 'a'));
    socket?.send(event('response.completed', 'b'));
    expect(await other.ended).toBe('ended');
    expect(paused.text).toBe(read);
    paused.upstream?.resume();
    expect(await paused.ended).toBe('ended');
    const events = ['response.created', 'response.in_progress', 'response.completed'];
    expect(paused.text).toBe(events.map((type) => `data: ${event(type, 'a')}\n\n`).join(''));
  });

  it('deliver what waits before the failure of a paused request', async () => {
    const [paused, other] = [new Request('a'), new Request('b')];
    await provider.whenReceived(2);
    const socket = provider.sockets[0]?.socket;
    socket?.send(event('response.created', 'a'));
    await paused.arrived;
    paused.upstream?.pause();
    socket?.send(event('response.in_progress', 'a'));
    socket?.close();
    expect(await other.ended).toBe('provider_unreachable');
    paused.upstream?.resume();
    expect(await paused.ended).toBe('provider_stream_cut');
    expect(paused.text).toContain('response.in_progress');
  });

  it('end a paused request alone for which too much waits', async () => {
    const [paused, other] = [new Request('a'), new Request('b')];
    await provider.whenReceived(2);
    const socket = provider.sockets[0]?.socket;
    socket?.send(event('response.created', 'a'));
    await paused.arrived;
    paused.upstream?.pause();
    const large = JSON.stringify({
      type: 'response.output_text.delta',
      stream_id: 'a',
      delta: 'x'.repeat(1024 * 1024),
    });
    for (let count = 0; count < 5; count++) socket?.send(large);
    expect(await Promise.race([paused.ended, other.ended])).toBe('websocket_stream_limit_reached');
    socket?.send(event('response.completed', 'b'));
    expect(await other.ended).toBe('ended');
  });

  it('are replaced where they answer no ping', async () => {
    const first = new Request();
    await provider.whenReceived(1);
    const [unreachable] = provider.sockets;
    unreachable?.socket.send(event('response.completed'));
    await first.ended;
    unreachable?.socket.pause();
    for (let count = 0; count < 2; count++) clock.advance(20_000);
    const next = new Request();
    await provider.whenReceived(2);
    expect(provider.sockets).toHaveLength(2);
    provider.sockets[1]?.socket.send(event('response.completed'));
    expect(await next.ended).toBe('ended');
  });

  it('are not replaced while they are paused and cannot read the answer to a ping', async () => {
    const request = new Request();
    await provider.whenReceived(1);
    const socket = provider.sockets[0]?.socket;
    socket?.send(event('response.created'));
    await request.arrived;
    request.upstream?.pause();
    for (let count = 0; count < 3; count++) clock.advance(20_000);
    request.upstream?.resume();
    socket?.send(event('response.completed'));
    expect(await request.ended).toBe('ended');
  });

  it('are not used for a session that is over', () => {
    session.abort();
    const request = new Request();
    expect(request).toMatchObject({ isPosted: true, turn: { holder: null } });
  });

  it.each([
    ['an object', 'x', 'provider_error'],
    ['a status', { message: 'Busy', code: 'server_is_busy' }, 'provider_error'],
  ])('report an error event without %s', async (_case, error, code) => {
    const request = new Request();
    await provider.whenReceived(1);
    provider.messages[0]?.socket.socket.send(JSON.stringify({ type: 'error', error }));
    expect(await request.ended).toBe(code);
  });
});
