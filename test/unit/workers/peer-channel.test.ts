import { EventEmitter } from 'node:events';
import { describe, expect, it } from 'vitest';
import { ChannelHandlers } from '../../../src/workers/channel-handlers.ts';
import {
  PeerChannel,
  PeerGoneError,
  PeerRequestError,
  type ChannelMessage,
} from '../../../src/workers/peer-channel.ts';
import { WorkerGroup } from '../../../src/workers/worker-group.ts';

/** One end of a pair whose messages pass through JSON, as between processes. */
class FakePeer extends EventEmitter {
  other: FakePeer | null = null;

  isConnected(): boolean {
    return this.other !== null;
  }

  send(message: ChannelMessage, callback: (error: Error | null) => void): boolean {
    const { other } = this;
    const text = JSON.stringify(message);
    setImmediate(() => {
      if (this.other === null) return callback(new Error('closed'));
      callback(null);
      other?.emit('message', JSON.parse(text));
    });
    return true;
  }

  disconnect(): void {
    const { other } = this;
    this.other = null;
    this.emit('disconnect');
    other?.disconnect();
  }
}

function pair(): [FakePeer, FakePeer] {
  const [a, b] = [new FakePeer(), new FakePeer()];
  [a.other, b.other] = [b, a];
  return [a, b];
}

describe('a channel between two processes', () => {
  it('returns the response of each request, in whichever order they are ready', async () => {
    const [near, far] = pair();
    const handlers = new ChannelHandlers();
    const first = Promise.withResolvers<string>();
    handlers.onRequest('shared', (name: string) => (name === 'first' ? first.promise : `now ${name}`));
    void new PeerChannel(far, handlers);
    const channel = new PeerChannel(near, new ChannelHandlers());
    const [slow, quick] = [channel.request('shared', 'first'), channel.request('shared', 'second')];
    expect(await quick).toBe('now second');
    first.resolve('later first');
    expect(await slow).toBe('later first');
    expect(channel.unsent).toBe(0);
  });

  it('serves requests and posts in both directions, in order', async () => {
    const [near, far] = pair();
    const received: string[] = [];
    const ofFar = new ChannelHandlers();
    const ofNear = new ChannelHandlers();
    ofFar.onPost('live', (text: string) => received.push(text));
    ofFar.onRequest('metrics', () => received.join(' '));
    ofNear.onRequest('metrics', () => 'near');
    const [a, b] = [new PeerChannel(near, ofNear), new PeerChannel(far, ofFar)];
    for (const text of ['one', 'two', 'three']) a.post('live', text);
    expect(await a.request('metrics', null)).toBe('one two three');
    expect(await b.request('metrics', null)).toBe('near');
  });

  it.each([
    ['throws', () => expect.fail('no such key')],
    ['rejects', () => Promise.reject(new Error('no such key'))],
  ])('rejects a request whose handler %s, with its message', async (_what, handle) => {
    const [near, far] = pair();
    const handlers = new ChannelHandlers();
    handlers.onRequest('limits', handle);
    void new PeerChannel(far, handlers);
    const failed = new PeerChannel(near, new ChannelHandlers()).request('limits', null);
    await expect(failed).rejects.toThrow('no such key');
    await expect(failed).rejects.toBeInstanceOf(PeerRequestError);
  });

  it('rejects a request that nothing handles', async () => {
    const [near, far] = pair();
    void new PeerChannel(far, new ChannelHandlers());
    const failed = new PeerChannel(near, new ChannelHandlers()).request('keys', null);
    await expect(failed).rejects.toThrow('handles no requests of channel keys');
  });

  it('rejects what is open, and what follows, once the other process is gone', async () => {
    const [near, far] = pair();
    const handlers = new ChannelHandlers();
    const asked = Promise.withResolvers<void>();
    handlers.onRequest('shared', () => {
      asked.resolve();
      return new Promise(() => undefined);
    });
    void new PeerChannel(far, handlers);
    const channel = new PeerChannel(near, new ChannelHandlers());
    const open = channel.request('shared', null);
    await asked.promise;
    near.disconnect();
    await expect(open).rejects.toBeInstanceOf(PeerGoneError);
    await expect(channel.request('shared', null)).rejects.toBeInstanceOf(PeerGoneError);
    expect(() => channel.post('live', 'lost')).not.toThrow();
  });

  it('leaves messages of others alone', () => {
    const [, far] = pair();
    const handlers = new ChannelHandlers();
    handlers.onPost('live', () => expect.fail('received'));
    void new PeerChannel(far, handlers);
    expect(() => [null, 'text', 7, { cmd: 'NODE_CLUSTER' }].map((each) => far.emit('message', each))).not.toThrow();
  });
});

describe('a group of workers', () => {
  it('broadcasts to all but one, and says who joined and left', async () => {
    const group = new WorkerGroup();
    const events: string[] = [];
    group.onReady(({ slot }) => events.push(`ready ${slot}`));
    group.onLeft(({ slot }) => events.push(`left ${slot}`));
    const workers = [0, 1, 2].map((slot) => {
      const [near, far] = pair();
      const handlers = new ChannelHandlers();
      const texts: string[] = [];
      handlers.onPost('keys', (text: string) => texts.push(text));
      return { member: group.join(slot, near), channel: new PeerChannel(far, handlers), texts };
    });
    const [first, second, third] = workers;
    group.handlers.onPost('keys', (text: string, from) => group.broadcast('keys', text, from));
    group.handlers.onRequest('lifecycle', (_body: null, from) => group.memberOf(from)?.slot);
    first?.channel.post('keys', 'changed');
    expect(await second?.channel.request('lifecycle', null)).toBe(1);
    expect(await third?.channel.request('lifecycle', null)).toBe(2);
    expect(workers.map(({ texts }) => texts)).toEqual([[], ['changed'], ['changed']]);
    for (const { member } of workers) group.ready(member);
    if (second) for (let times = 0; times < 2; times++) group.leave(second.member);
    expect(events).toEqual(['ready 0', 'ready 1', 'ready 2', 'left 1']);
    expect([...group.members].map(({ slot }) => slot)).toEqual([0, 2]);
  });
});
