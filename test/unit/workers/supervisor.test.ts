import cluster from 'node:cluster';
import { EventEmitter } from 'node:events';
import { afterEach, expect, it, vi } from 'vitest';
import { Supervisor } from '../../../src/workers/supervisor.ts';
import { WorkerGroup } from '../../../src/workers/worker-group.ts';
import { FakeClock } from '../../harness/fake-clock.ts';

/** A worker's process that only records signals. */
class FakeProcess extends EventEmitter {
  readonly signals: string[] = [];

  send(): boolean {
    return true;
  }

  kill(signal: string): void {
    this.signals.push(signal);
  }
}

class FakeWorker extends EventEmitter {
  readonly process = new FakeProcess();

  isConnected(): boolean {
    return true;
  }

  send(): boolean {
    return true;
  }

  serves(): void {
    this.emit('message', { channel: 'lifecycle', body: { welcome: '' } });
  }
}

afterEach(() => void vi.restoreAllMocks());

function supervised(count: number) {
  const forked: FakeWorker[] = [];
  vi.spyOn(cluster, 'fork').mockImplementation(() => {
    const worker = new FakeWorker();
    forked.push(worker);
    // The supervisor uses no other part of it.
    return worker as never;
  });
  const clock = new FakeClock();
  const supervisor = new Supervisor({ count, group: new WorkerGroup(), log: { error: () => undefined }, clock });
  return { supervisor, forked, clock };
}

it('has a worker that starts read its configuration again once it serves, where that is requested meanwhile', async () => {
  const { supervisor, forked, clock } = supervised(1);
  const started = supervisor.start();
  supervisor.reload();
  expect(forked[0]?.process.signals).toEqual([]);
  forked[0]?.serves();
  await started;
  expect(forked[0]?.process.signals).toEqual(['SIGHUP']);
  supervisor.reload();
  expect(forked[0]?.process.signals).toEqual(['SIGHUP', 'SIGHUP']);

  forked[0]?.emit('exit', null, 'SIGKILL');
  // One that is yet to be forked reads the present file.
  supervisor.reload();
  clock.advance(60_000);
  forked[1]?.serves();
  expect(forked[1]?.process.signals).toEqual([]);
});

it.each([
  ['one that starts is ended by the signal', [null, 'SIGTERM'], true],
  ['one that starts is ended by another', [null, 'SIGSEGV'], false],
  ['one that starts fails', [1, null], false],
] as const)('stops, where %s', async (_case, exit, isAsItShould) => {
  const { supervisor, forked } = supervised(2);
  void supervisor.start();
  forked[0]?.serves();
  await vi.waitFor(() => expect(forked).toHaveLength(2));
  const stopped = supervisor.stop('SIGTERM');
  forked[0]?.emit('exit', 0, null);
  forked[1]?.emit('exit', ...exit);
  expect(await stopped).toBe(isAsItShould);
});

it('reports a worker that served and did not end its requests', async () => {
  const { supervisor, forked } = supervised(1);
  const started = supervisor.start();
  forked[0]?.serves();
  await started;
  const stopped = supervisor.stop('SIGTERM');
  forked[0]?.emit('exit', null, 'SIGTERM');
  expect(await stopped).toBe(false);
});
