import { systemClock, type Clock } from '../../calendar/clock.ts';
import { SluiceError, toSluiceError } from '../../errors/index.ts';
import { EventRing } from '../../live/event-ring.ts';
import type { CompletionUpdate } from '../../live/events.ts';
import type { FeedItem } from '../../live/feed.ts';
import { UpdateCoalescer, mergeUpdates } from '../../live/update-coalescer.ts';
import { weightOf } from '../../live/live-hub.ts';
import { openChat } from '../capabilities/chat/open-chat.ts';
import {
  discardingResponse,
  fingerprintOf,
  nameOf,
  type CompletionInput,
  type CompletionsDependencies,
} from './completion-input.ts';
import { CompletionRegistry, DEFAULT_BOUNDS, type RegistryBounds, type RequestName } from './completion-registry.ts';
import { newEventIds } from '../event-id.ts';
import type { KeyRecord } from '../keys/key-directory.ts';
import type { ClientResponse } from '../client-response.ts';
import { RemoteCompletions, type OwnCompletions, type ResumedCompletion } from './remote-completions.ts';
import { connect, disconnect, type Running } from './running-completion.ts';

const RING = { events: 50_000, weight: 16 * 1024 * 1024 };
const READERLESS_MS = 30_000;
const REPLAY_AFTER_END_MS = 5 * 60_000;

/** Chats as resumable event streams: each is one request through the pipeline. */
export class Completions {
  readonly #dependencies: CompletionsDependencies;
  readonly #clock: Clock;
  readonly #registry: CompletionRegistry<Running>;
  readonly #remote: RemoteCompletions | null;

  constructor(
    dependencies: CompletionsDependencies,
    clock: Clock = systemClock,
    bounds: RegistryBounds = DEFAULT_BOUNDS,
  ) {
    this.#dependencies = dependencies;
    this.#clock = clock;
    this.#registry = new CompletionRegistry(clock, bounds, ({ timer }) => timer?.cancel());
    const { feeds = null } = dependencies;
    const own: OwnCompletions = { read: this.#resume.bind(this), cancel: this.#cancel.bind(this) };
    this.#remote = feeds && new RemoteCompletions(feeds, own, clock);
  }

  /** As `run`, also where another process runs it. @throws also SluiceError limits_unavailable */
  async open(input: CompletionInput, signal: AbortSignal): Promise<AsyncIterableIterator<FeedItem<CompletionUpdate>>> {
    const name = nameOf(input);
    const remote = this.#remote;
    if (remote === null || this.#registry.has(name)) return this.run(input, signal);
    const resumed = { fingerprint: fingerprintOf(input), after: input.after };
    const isUsed = (): boolean => this.#registry.has(name);
    return remote.opening(name, isUsed, async () => {
      return (await remote.open(name, resumed, signal)) ?? this.run(input, signal);
    });
  }

  /**
   * Events of the completion from its start, or after the cursor `after`. It runs without readers for 30 s and can be
   * replayed for 5 min after its end, except under zero retention. Its id does not run again for 24 h.
   * @throws SluiceError request_id_reused | request_id_spent | resume_gap | rate_limit_concurrency |
   * too_many_request_ids
   */
  run(input: CompletionInput, signal: AbortSignal): AsyncIterableIterator<FeedItem<CompletionUpdate>> {
    const running = this.#find(input) ?? this.#start(input);
    return this.#read(running, input.after, signal);
  }

  /**
   * Cancels a completion, also of another process: closes the provider's connection and sends its readers the event `failed`.
   * @returns whether it was running
   * @throws SluiceError limits_unavailable where the other processes are not known
   */
  async cancel(key: KeyRecord, clientRequestId: string): Promise<boolean> {
    const name = nameOf({ key, clientRequestId });
    return this.#cancel(name) || ((await this.#remote?.cancel(name)) ?? false);
  }

  #resume(name: RequestName, { fingerprint, after }: ResumedCompletion, signal: AbortSignal) {
    const running = this.#registry.find(name, fingerprint);
    return running && this.#read(running, after, signal);
  }

  #cancel(name: RequestName): boolean {
    const running = this.#registry.readable(name);
    if (running === null || running.ended) return false;
    disconnect(running);
    return true;
  }

  async *#read(
    running: Running,
    after: string | null,
    signal: AbortSignal,
  ): AsyncIterableIterator<FeedItem<CompletionUpdate>> {
    running.readers++;
    running.wasRead = true;
    if (!running.ended) running.timer?.cancel();
    try {
      yield* running.ring.read(after ?? running.ring.start, signal);
    } finally {
      running.readers--;
      if (running.ended) this.#discardUnread(running);
      else if (running.readers === 0)
        running.timer = this.#clock.setTimeout(() => disconnect(running), READERLESS_MS).unref();
    }
  }

  #find(input: CompletionInput): Running | null {
    const running = this.#registry.find(nameOf(input), fingerprintOf(input));
    if (running === null && input.after !== null) throw new SluiceError('resume_gap');
    return running;
  }

  #start(input: CompletionInput): Running {
    const name = nameOf(input);
    const ring = new EventRing<CompletionUpdate>(RING);
    const running: Running = {
      name,
      ring,
      openRequest: null,
      isDisconnected: false,
      hasZeroRetention: input.key.zeroRetention === true,
      readers: 0,
      wasRead: false,
      ended: false,
      refused: false,
      timer: null,
    };
    this.#registry.add(name, fingerprintOf(input), running);
    const updates = new UpdateCoalescer(
      { ring: running.ring, merge: mergeUpdates, keyOf: () => '', weightOf },
      this.#clock,
    );
    const watch = (update: CompletionUpdate): void => {
      updates.push(update);
      if (update.type !== 'finished' && update.type !== 'failed') return;
      updates.flush();
      this.#ended(running);
    };
    // A request that is rejected before it began has no updates; its clientResponse is called.
    const clientResponse: ClientResponse = {
      ...discardingResponse,
      fail: (error) => {
        if (running.ended) return;
        running.refused = true;
        watch({ type: 'failed', code: error.code, message: error.message, aborted: false });
      },
    };
    const body = Buffer.from(JSON.stringify({ ...input.body, stream: true }));
    const call = {
      key: input.key,
      ...newEventIds(),
      startedAt: this.#clock.monotonic(),
      response: clientResponse,
      watch,
      cacheMs: null,
      tags: null,
    };
    const opened = openChat(this.#dependencies, call, body);
    if (!(opened instanceof Promise)) running.openRequest = opened;
    else
      opened.then(
        (open) => connect(running, open),
        (thrown: unknown) => clientResponse.fail(toSluiceError(thrown), null),
      );
    return running;
  }

  #ended(running: Running): void {
    running.ended = true;
    running.ring.close();
    running.timer?.cancel();
    if (!running.hasZeroRetention) {
      running.timer = this.#clock.setTimeout(() => this.#forget(running), REPLAY_AFTER_END_MS).unref();
      return;
    }
    this.#forget(running);
    // The first reader may not have started yet, and others may be slow; they get this long.
    running.timer = this.#clock.setTimeout(() => running.ring.markGap(), READERLESS_MS).unref();
    this.#discardUnread(running);
  }

  #discardUnread({ hasZeroRetention, readers, wasRead, ring, timer }: Running): void {
    if (!hasZeroRetention || readers > 0 || !wasRead) return;
    timer?.cancel();
    ring.markGap();
  }

  #forget({ name, refused }: Running): void {
    if (!refused) return this.#registry.dropEvents(name);
    this.#registry.free(name);
    this.#remote?.release(name);
  }
}
