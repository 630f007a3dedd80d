import { EventEmitter } from 'node:events';
import { describe, expect, it } from 'vitest';
import { sharePolls, workerPolls } from '../../../src/composition/worker-polls.ts';
import { RepeatedPoll } from '../../../src/database/polls/repeated-poll.ts';
import { ChannelHandlers } from '../../../src/workers/channel-handlers.ts';
import { PeerChannel, type ChannelMessage, type Peer } from '../../../src/workers/peer-channel.ts';
import { WorkerGroup } from '../../../src/workers/worker-group.ts';
import { FakeClock } from '../../harness/fake-clock.ts';

/** One end of a connection between two processes. */
class End extends EventEmitter implements Peer {
  other: End | null = null;

  isConnected(): boolean {
    return true;
  }

  send(message: ChannelMessage, sent: (error: Error | null) => void): boolean {
    this.other?.emit('message', message);
    sent(null);
    return true;
  }
}

function onFault(): void {
  // Of a poll that is to fail.
}

class FakeWorker {
  readonly polls;
  readonly member;
  readonly #group: WorkerGroup;

  constructor(group: WorkerGroup, slot: number) {
    this.#group = group;
    const [supervisors, own] = [new End(), new End()];
    [supervisors.other, own.other] = [own, supervisors];
    const handlers = new ChannelHandlers();
    this.polls = workerPolls(new PeerChannel(own, handlers), handlers);
    this.member = group.join(slot, supervisors);
  }

  ready(): void {
    this.#group.ready(this.member);
  }

  end(): void {
    this.#group.leave(this.member);
  }
}

describe('polls of the database', () => {
  it('have one leader among the workers that serve, and another one when it ends', () => {
    const group = new WorkerGroup();
    sharePolls(group);
    const [first, second, third] = [0, 1, 2].map((slot) => new FakeWorker(group, slot));
    const leaders = (): (boolean | undefined)[] => [first, second, third].map((worker) => worker?.polls.isLeader);
    expect(leaders()).toEqual([false, false, false]);
    second?.ready();
    first?.ready();
    expect(leaders()).toEqual([false, true, false]);
    second?.end();
    expect(leaders()).toEqual([true, true, false]);
    first?.end();
    expect(leaders()[2]).toBe(false);
    third?.ready();
    expect(leaders()[2]).toBe(true);
  });

  it('run in the other workers when the leader has found a change, and rarely without one', async () => {
    const clock = new FakeClock();
    const group = new WorkerGroup();
    sharePolls(group);
    const workers = [new FakeWorker(group, 0), new FakeWorker(group, 1)];
    const counts = [0, 0];
    for (const [at, worker] of workers.entries()) {
      const poll = async (): Promise<void> => void (counts[at] = (counts[at] ?? 0) + 1);
      new RepeatedPoll({ name: 'changes', intervalMs: 500, polls: worker.polls, clock, poll, onFault }).start();
      worker.ready();
    }
    // One of a worker that starts: announcements of before are lost to it.
    await clock.advanceAsync(4_500);
    expect(counts).toEqual([9, 1]);
    await clock.advanceAsync(500);
    expect(counts).toEqual([10, 2]);
    workers[1]?.polls.announce('changes', 'changed');
    workers[0]?.polls.announce('budgets', 'changed');
    expect(counts).toEqual([10, 2]);
    workers[0]?.polls.announce('changes', 'changed');
    expect(counts).toEqual([10, 3]);
    workers[0]?.end();
    await clock.advanceAsync(1_000);
    expect(counts[1]).toBe(5);
  });

  it('run in the other workers as often as in the leader while those of the leader end late or fail', async () => {
    const clock = new FakeClock();
    const group = new WorkerGroup();
    sharePolls(group);
    const [leader, follower] = [new FakeWorker(group, 0), new FakeWorker(group, 1)];
    const faults: unknown[] = [];
    let leaders = (): Promise<void> => Promise.resolve();
    let count = 0;
    const options = {
      name: 'changes',
      intervalMs: 500,
      clock,
      onFault: (error: unknown) => faults.push(error),
    } as const;
    new RepeatedPoll({ ...options, polls: leader.polls, poll: () => leaders() }).start();
    new RepeatedPoll({ ...options, polls: follower.polls, poll: async () => void count++ }).start();
    leader.ready();
    follower.ready();
    await clock.advanceAsync(2_000);
    expect(count).toBe(1);
    leaders = () => Promise.reject(new Error('unavailable'));
    await clock.advanceAsync(2_000);
    expect(faults).toHaveLength(4);
    expect(count).toBe(4);
    const late = Promise.withResolvers<void>();
    leaders = () => late.promise;
    await clock.advanceAsync(2_000);
    expect(count).toBe(8);
    leaders = () => Promise.resolve();
    late.resolve();
    await clock.advanceAsync(2_000);
    expect(count).toBe(8);
  });

  it('run again at the next interval where one that a change called for fails', async () => {
    const clock = new FakeClock();
    const group = new WorkerGroup();
    sharePolls(group);
    const [leader, follower] = [new FakeWorker(group, 0), new FakeWorker(group, 1)];
    let isFailing = false;
    const results: boolean[] = [];
    const options = { name: 'changes', intervalMs: 500, clock, onFault } as const;
    new RepeatedPoll({ ...options, polls: leader.polls, poll: () => Promise.resolve() }).start();
    const poll = async (): Promise<void> => {
      results.push(!isFailing);
      if (isFailing) throw new Error('unavailable');
    };
    new RepeatedPoll({ ...options, polls: follower.polls, poll }).start();
    leader.ready();
    follower.ready();
    await clock.advanceAsync(1_000);
    expect(results).toEqual([true]);
    isFailing = true;
    leader.polls.announce('changes', 'changed');
    await clock.advanceAsync(500);
    isFailing = false;
    await clock.advanceAsync(1_000);
    expect(results).toEqual([true, false, false, true]);
  });

  it('run in all workers when another one becomes the leader, which may know what was not announced', async () => {
    const clock = new FakeClock();
    const group = new WorkerGroup();
    sharePolls(group);
    const [first, second, third] = [0, 1, 2].map((slot) => new FakeWorker(group, slot));
    let count = 0;
    const poll = async (): Promise<void> => void count++;
    if (third === undefined) throw new Error('there is no third worker');
    new RepeatedPoll({ name: 'budgets', intervalMs: 500, polls: third.polls, clock, poll, onFault }).start();
    first?.ready();
    await clock.advanceAsync(0);
    expect(count).toBe(1);
    second?.ready();
    first?.end();
    expect(count).toBe(2);
  });

  it('are not reported to a worker that reads no messages', () => {
    const group = new WorkerGroup();
    sharePolls(group);
    const leader = new FakeWorker(group, 0);
    leader.ready();
    const sent: ChannelMessage[] = [];
    const stopped = new End();
    // It never calls back: the system does not accept the messages.
    stopped.send = (message) => sent.push(message) > 0;
    group.join(1, stopped);
    for (let polled = 0; polled < 200; polled++) leader.polls.announce('changes', 'completed');
    expect(sent).toHaveLength(100);
    leader.polls.announce('changes', 'changed');
    expect(sent).toHaveLength(101);
  });

  it('run again where a change is announced during one, which may not contain it', async () => {
    const clock = new FakeClock();
    const group = new WorkerGroup();
    sharePolls(group);
    const [leader, follower] = [new FakeWorker(group, 0), new FakeWorker(group, 1)];
    leader.ready();
    follower.ready();
    const running: PromiseWithResolvers<void>[] = [];
    const poll = (): Promise<void> => {
      const next = Promise.withResolvers<void>();
      running.push(next);
      return next.promise;
    };
    const repeated = new RepeatedPoll({
      name: 'changes',
      intervalMs: 500,
      polls: follower.polls,
      clock,
      poll,
      onFault,
    });
    repeated.start();
    for (let announced = 0; announced < 3; announced++) leader.polls.announce('changes', 'changed');
    expect(running).toHaveLength(1);
    running[0]?.resolve();
    await clock.advanceAsync(0);
    expect(running).toHaveLength(2);
    running[1]?.resolve();
    await clock.advanceAsync(0);
    expect(running).toHaveLength(2);
    leader.polls.announce('changes', 'changed');
    expect(running).toHaveLength(3);
    repeated.close();
    leader.polls.announce('changes', 'changed');
    running[2]?.resolve();
    await clock.advanceAsync(5_000);
    expect(running).toHaveLength(3);
  });
});
