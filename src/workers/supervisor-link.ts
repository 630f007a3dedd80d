import cluster from 'node:cluster';
import { ChannelHandlers, type Channel } from './channel-handlers.ts';
import { PeerChannel } from './peer-channel.ts';
import type { WorkerPlace, WorkerStart } from './worker-place.ts';

/** A worker's connection to its supervisor. */
export interface SupervisorLink extends WorkerPlace {
  readonly channel: Channel;
  /** What this worker does with messages of the supervisor. */
  readonly handlers: ChannelHandlers;
  /** The port that all workers listen on where `PORT` is 0. Ask for it immediately before listening. */
  port(): Promise<number>;
  /** Reports that this worker serves. */
  ready(start: WorkerStart): void;
  /** From this call on the worker outlives its supervisor, and has to end by itself. Before, it ends with the supervisor. */
  onSupervisorGone(listener: () => void): void;
}

/** @returns null where this process is no worker */
export async function joinSupervisor(): Promise<SupervisorLink | null> {
  const { worker } = cluster;
  if (worker === undefined) return null;
  const handlers = new ChannelHandlers();
  const channel = new PeerChannel(worker, handlers);
  const { slot, count } = await channel.request<WorkerPlace>('lifecycle', null);
  return {
    slot,
    count,
    channel,
    handlers,
    port: () => channel.request<number>('port', null),
    ready: (start) => channel.post('lifecycle', start),
    onSupervisorGone: (listener) => {
      worker.on('disconnect', () => {
        // node:cluster ends a worker that loses its supervisor, unless it looks as if the worker had wanted to.
        worker.exitedAfterDisconnect = true;
        listener();
      });
    },
  };
}
