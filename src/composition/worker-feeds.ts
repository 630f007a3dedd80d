import { DEFAULT_BOUNDS } from '../gateway/completions/completion-registry.ts';
import type { FeedMessages, FeedNotice, FeedQuestion, FeedUpdate } from '../live/feeds/feed-messages.ts';
import { FeedServer, type FeedWorker } from '../live/feeds/feed-server.ts';
import type { FeedPlace } from '../live/feeds/remote-feeds.ts';
import type { Channel, ChannelHandlers } from '../workers/channel-handlers.ts';
import type { WorkerGroup } from '../workers/worker-group.ts';

/** In the supervisor: knows which worker runs which completion and comparison, and passes their events on. */
export function shareFeeds(group: WorkerGroup): void {
  const server = new FeedServer(DEFAULT_BOUNDS.idsPerAccount);
  const workers = new Map<Channel, FeedWorker>();
  /** Null for a worker that has ended: its last messages may arrive after that. */
  const workerOf = (from: Channel): FeedWorker | null => {
    const known = workers.get(from);
    if (known !== undefined || group.memberOf(from) === undefined) return known ?? null;
    const worker: FeedWorker = {
      post: (update) => from.post('feeds', update),
      cancel: (name, ask) => from.request<boolean>('feeds', ['cancel', name, ask]).catch(() => false),
    };
    workers.set(from, worker);
    return worker;
  };
  group.handlers.onRequest('feeds', (question: FeedQuestion, from) => {
    const worker = workerOf(from);
    if (worker === null) throw new Error('the worker has ended');
    return server.ask(worker, question);
  });
  group.handlers.onPost('feeds', (notice: FeedNotice, from) => {
    const worker = workerOf(from);
    if (worker !== null) server.handle(worker, notice);
  });
  group.onLeft(({ channel }) => {
    const worker = workers.get(channel);
    if (worker === undefined) return;
    workers.delete(channel);
    server.leave(worker);
  });
}

/** In a worker: its way to the completions and comparisons of the others. */
export function feedMessages(channel: Channel, handlers: ChannelHandlers): FeedMessages {
  const ask = <Response>(question: FeedQuestion): Promise<Response> => channel.request('feeds', question);
  return {
    claim: (name, accountId) => ask<FeedPlace>(['claim', name, accountId]),
    cancel: (name, text) => ask<boolean>(['cancel', name, text]),
    post: (notice) => channel.post('feeds', notice),
    onUpdate: (listener) => handlers.onPost('feeds', (update: FeedUpdate) => listener(update)),
    onCancel: (listener) => handlers.onRequest('feeds', ([, name, text]: FeedCancel) => listener(name, text)),
  };
}

type FeedCancel = Extract<FeedQuestion, readonly ['cancel', ...unknown[]]>;
