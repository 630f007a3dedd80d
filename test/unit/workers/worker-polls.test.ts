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

  send(message: ChannelMessage): boolean {
    this.other?.emit('message', message);
    return true;
  }
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
      new RepeatedPoll({ name: 'changes', intervalMs: 500, polls: worker.polls, clock, poll }).start();
      worker.ready();
    }
    await clock.advanceAsync(4_500);
    expect(counts).toEqual([9, 0]);
    await clock.advanceAsync(500);
    expect(counts).toEqual([10, 1]);
    workers[1]?.polls.announce('changes');
    workers[0]?.polls.announce('budgets');
    expect(counts).toEqual([10, 1]);
    workers[0]?.polls.announce('changes');
    expect(counts).toEqual([10, 2]);
    workers[0]?.end();
    await clock.advanceAsync(1_000);
    expect(counts[1]).toBe(4);
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
    const repeated = new RepeatedPoll({ name: 'changes', intervalMs: 500, polls: follower.polls, clock, poll });
    repeated.start();
    for (let announced = 0; announced < 3; announced++) leader.polls.announce('changes');
    expect(running).toHaveLength(1);
    running[0]?.resolve();
    await clock.advanceAsync(0);
    expect(running).toHaveLength(2);
    running[1]?.resolve();
    await clock.advanceAsync(0);
    expect(running).toHaveLength(2);
    leader.polls.announce('changes');
    expect(running).toHaveLength(3);
    repeated.close();
    leader.polls.announce('changes');
    running[2]?.resolve();
    await clock.advanceAsync(5_000);
    expect(running).toHaveLength(3);
  });
});
