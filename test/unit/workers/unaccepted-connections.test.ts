import { EventEmitter } from 'node:events';
import { expect, it } from 'vitest';
import { followConnections } from '../../../src/workers/unaccepted-connections.ts';

class FakeWorker extends EventEmitter {
  readonly received: unknown[][] = [];

  send(...given: unknown[]): boolean {
    this.received.push(given);
    return true;
  }
}

it('closes the connections that a worker has not accepted when it ends, and no others', () => {
  const worker = new FakeWorker();
  const close = followConnections(worker);
  const closed: string[] = [];
  const connection = (name: string) => ({ close: () => void closed.push(name) });
  const messages = [
    [{ cmd: 'NODE_CLUSTER', act: 'newconn', key: 'port', seq: 7 }, connection('accepted')],
    [{ cmd: 'NODE_CLUSTER', act: 'newconn', key: 'port', seq: 8 }, connection('in flight')],
    [{ cmd: 'NODE_CLUSTER', act: 'listening', seq: 9 }, connection('of something else')],
    [{ channel: 'limits', body: [] }],
  ];
  for (const message of messages) expect(worker.send(...message)).toBe(true);
  expect(worker.received).toEqual(messages);
  worker.emit('internalMessage', { cmd: 'NODE_CLUSTER', ack: 7, accepted: true });
  expect(closed).toEqual([]);
  close();
  close();
  expect(closed).toEqual(['in flight']);
});
