import { EventEmitter } from 'node:events';
import { expect, it } from 'vitest';
import { shareLimits } from '../../../src/composition/gateway/worker-limits.ts';
import type { Operation } from '../../../src/gateway/limits/shared/operations.ts';
import type { ChannelMessage, Peer } from '../../../src/workers/peer-channel.ts';
import { WorkerGroup } from '../../../src/workers/worker-group.ts';

class SilentPeer extends EventEmitter implements Peer {
  readonly received: ChannelMessage[] = [];

  isConnected(): boolean {
    return true;
  }

  send(message: ChannelMessage): boolean {
    this.received.push(message);
    return true;
  }
}

it('ignores messages about limits that arrive after their worker has ended', () => {
  const faults: object[] = [];
  const group = new WorkerGroup();
  shareLimits(group, { error: (fields) => void faults.push(fields) });
  const peer = new SilentPeer();
  const member = group.join(0, peer);
  const operations: Operation[] = [['charge', ['account', 'key', null, false], ['1', 0, 0]], ['recovered']];
  peer.emit('message', { channel: 'limits', body: operations });
  group.leave(member);
  expect(() => peer.emit('message', { channel: 'limits', body: operations })).not.toThrow();
  expect(() => peer.emit('message', { channel: 'limits', id: 1, body: operations })).not.toThrow();
  expect(peer.received).toEqual([{ channel: 'limits', to: 1, body: undefined }]);
  expect(faults).toEqual([]);
});
