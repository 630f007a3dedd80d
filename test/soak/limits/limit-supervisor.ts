// A supervisor in a process of its own, by the clock of the test.
import type { Clock } from '../../../src/calendar/clock.ts';
import type { LimitSession } from '../../../src/gateway/limits/shared/limit-session.ts';
import type { Operation } from '../../../src/gateway/limits/shared/operations.ts';
import { ChannelHandlers } from '../../../src/workers/channel-handlers.ts';
import { PeerChannel } from '../../../src/workers/peer-channel.ts';
import { LimitServer } from '../../../src/gateway/limits/shared/limit-server.ts';
import { peerOf } from '../../harness/child-peer.ts';
import { FakeClock } from '../../harness/fake-clock.ts';

export interface TimedOperations {
  /** When they were sent, in milliseconds since the epoch. */
  readonly now: number;
  /** Another one begins with new limits. */
  readonly store: number;
  readonly operations: readonly Operation[];
}

let clock: FakeClock & Clock = new FakeClock();
let session: LimitSession | null = null;
let store = 0;

const log = {
  error: ({ err }: { err?: unknown }) => {
    throw err;
  },
};

function handle({ now, store: asked, operations }: TimedOperations): unknown {
  // Of a test that has ended.
  if (asked < store) return [];
  if (session === null || asked > store) {
    clock = new FakeClock(now);
    store = asked;
    session = new LimitServer(log, clock).join(0, (notice) => channel.post('limits', notice));
  }
  clock.setNow(now);
  return session.handle(operations);
}

const handlers = new ChannelHandlers();
handlers.onRequest('limits', handle);
handlers.onPost('limits', handle);
const channel = new PeerChannel(peerOf(process), handlers);
