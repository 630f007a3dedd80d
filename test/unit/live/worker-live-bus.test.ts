import { beforeEach, describe, expect, it } from 'vitest';
import { BusServer, type BusSession } from '../../../src/live/workers/bus-server.ts';
import type { BusNotice, BusUpdate } from '../../../src/live/workers/bus-messages.ts';
import { WorkerLiveBus } from '../../../src/live/workers/worker-live-bus.ts';

const MAX_UNSENT_BYTES = 1_000;

interface Worker {
  readonly bus: WorkerLiveBus;
  readonly session: BusSession;
  /** Messages of the supervisor that this worker has not read. */
  readonly unread: (() => void)[];
  readonly state: { isStopped: boolean };
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

async function settled(): Promise<void> {
  for (let turns = 0; turns < 4; turns++) await turn();
}

describe('live events between workers', () => {
  let server: BusServer;
  let workers: Worker[];

  beforeEach(() => {
    server = new BusServer(MAX_UNSENT_BYTES);
    workers = [0, 1, 2].map(startWorker);
  });

  function startWorker(): Worker {
    let receive: (update: BusUpdate) => void = () => undefined;
    const unread: (() => void)[] = [];
    const state = { isStopped: false };
    const session = server.join({
      post: (update, sent) => {
        const text = JSON.stringify(update);
        unread.push(() => {
          receive(JSON.parse(text));
          sent();
        });
        if (!state.isStopped) for (const read of unread.splice(0)) read();
      },
    });
    const bus = new WorkerLiveBus({
      post: (notice: BusNotice, sent) => {
        server.handle(session, JSON.parse(JSON.stringify(notice)));
        sent();
      },
      onUpdate: (listener) => (receive = listener),
    });
    return { bus, session, unread, state };
  }

  function listen(worker: Worker | undefined, topic: string): { seen: string[]; stop: () => void } {
    const seen: string[] = [];
    const stop = worker?.bus.listen(topic, {
      onMessage: (message) => seen.push(message),
      onLoss: () => seen.push('lost'),
    });
    return { seen, stop: stop ?? (() => undefined) };
  }

  it('reach the listeners of each other worker in order, once, and not the worker itself', async () => {
    const [one, two, three] = workers;
    const heard = [listen(one, 'a'), listen(two, 'a'), listen(two, 'a'), listen(three, 'b')];
    for (let number = 0; number < 5; number++) one?.bus.publish('a', String(number));
    two?.bus.publish('b', 'of two');
    three?.bus.publish('a', 'of three');
    await settled();
    const ofOne = ['0', '1', '2', '3', '4'];
    expect(heard[0]?.seen).toEqual(['of three']);
    expect(heard[1]?.seen).toEqual([...ofOne, 'of three']);
    expect(heard[2]?.seen).toEqual([...ofOne, 'of three']);
    expect(heard[3]?.seen).toEqual(['of two']);
  });

  it('are published only while another worker listens, also to a worker that starts later', () => {
    const [one, two, three] = workers;
    const subscribed = (topic: string) => workers.map(({ bus }) => bus.hasSubscribers(topic));
    expect(subscribed('a')).toEqual([false, false, false]);
    const first = listen(one, 'a');
    expect(subscribed('a')).toEqual([false, true, true]);
    const second = listen(two, 'a');
    expect(subscribed('a')).toEqual([true, true, true]);
    expect(startWorker().bus.hasSubscribers('a')).toBe(true);
    first.stop();
    expect(subscribed('a')).toEqual([true, false, true]);
    if (two) server.leave(two.session);
    expect(three?.bus.hasSubscribers('a')).toBe(false);
    second.stop();
    expect(subscribed('b')).toEqual([false, false, false]);
  });

  it('are omitted for a worker that reads too slowly, which learns of the loss, and not for others', async () => {
    const [one, two, three] = workers;
    const [slow, quick] = [listen(two, 'a'), listen(three, 'a')];
    if (two) two.state.isStopped = true;
    const sent = Array.from({ length: 50 }, (_each, number) => `${number} ${'x'.repeat(100)}`);
    for (const message of sent) {
      one?.bus.publish('a', message);
      await settled();
    }
    expect(quick.seen).toEqual(sent);
    expect(slow.seen).toEqual([]);
    // Neither grows with what is published.
    expect(two?.unread.length).toBeLessThan(10);
    if (two) {
      two.state.isStopped = false;
      for (const read of two.unread.splice(0)) read();
    }
    one?.bus.publish('a', 'after');
    await settled();
    const received = slow.seen.length - 2;
    expect(slow.seen).toEqual([...sent.slice(0, received), 'lost', 'after']);
  });

  it('are omitted of the topic that uses more than its share, and of no other one', async () => {
    const [one, two] = workers;
    const [flood, quiet] = [listen(two, 'flood'), listen(two, 'quiet')];
    if (two) two.state.isStopped = true;
    const sent = Array.from({ length: 50 }, (_each, number) => `${number} ${'x'.repeat(100)}`);
    for (const [at, message] of sent.entries()) {
      one?.bus.publish('flood', message);
      if (at % 20 === 0) one?.bus.publish('quiet', `quiet ${at}`);
      await settled();
    }
    if (two) {
      two.state.isStopped = false;
      for (const read of two.unread.splice(0)) read();
    }
    await settled();
    expect(quiet.seen).toEqual(['quiet 0', 'quiet 20', 'quiet 40']);
    expect(flood.seen.at(-1)).toBe('lost');
    expect(flood.seen.length).toBeLessThan(12);
    expect(flood.seen.slice(0, -1)).toEqual(sent.slice(0, flood.seen.length - 1));
    one?.bus.publish('flood', 'after');
    await settled();
    expect(flood.seen.at(-1)).toBe('after');
  });

  it('are reported as lost to the others where a worker ends: its last ones may be', async () => {
    const [one, two, three] = workers;
    const [mine, other] = [listen(one, 'a'), listen(three, 'b')];
    if (two) server.leave(two.session);
    await settled();
    expect([mine.seen, other.seen]).toEqual([['lost'], ['lost']]);
  });
});
