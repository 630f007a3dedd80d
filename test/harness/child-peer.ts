import type { ChildProcess } from 'node:child_process';
import type { Peer } from '../../src/workers/peer-channel.ts';

/** The other end of a fork, in either of the two processes, as the peer of a channel. */
export function peerOf(other: ChildProcess | NodeJS.Process): Peer {
  return {
    isConnected: () => other.connected,
    send: (message, callback) => other.send?.(message, undefined, undefined, callback) ?? false,
    on: (event: 'message' | 'disconnect', listener: (message: unknown) => void) => other.on(event, listener),
  };
}
