import { randomUUID } from 'node:crypto';
import { expect, test, vi } from 'vitest';
import { Catalogue } from '../../../src/catalogue/catalogue.ts';
import type { Database } from '../../../src/database/database.ts';
import { Account, Video } from '../../../src/database/entities/index.ts';
import { SluiceError } from '../../../src/errors/index.ts';
import type { VideoProgress, VideoService } from '../../../src/gateway/capabilities/video/video.ts';
import { newEventIds } from '../../../src/gateway/event-id.ts';
import type { DeferredReservation } from '../../../src/gateway/limits/limit-store.ts';
import type { UsageRecord } from '../../../src/gateway/usage/usage-record.ts';
import { accountReach } from '../../../src/services/object-reach.ts';
import { JobQueue } from '../../../src/jobs/job-queue.ts';
import { ChangeSignal } from '../../../src/live/change-signal.ts';
import { RequestSessions } from '../../../src/services/usage/sessions/request-sessions.ts';
import { UsageStore } from '../../../src/services/usage/usage-store.ts';
import { publicVideoId } from '../../../src/services/videos/video-id.ts';
import { VideoProgressJobs } from '../../../src/services/videos/video-progress.ts';
import { VideosService, type VideoOrigin } from '../../../src/services/videos/videos.service.ts';
import { Arrivals } from '../../harness/arrivals.ts';
import { describeWithDatabase } from '../../harness/databases.ts';
import { rowsJson, usageRecord } from '../../harness/usage-rows.ts';

type Told = VideoProgress | Error;

/** A provider that returns the given states in order, once available, and repeats the last. */
class ToldProvider {
  readonly polled: number[] = [];
  removed = 0;
  atOnce = 0;
  mostAtOnce = 0;
  /** Runs before it responds. */
  meanwhile: () => Promise<unknown> = () => Promise.resolve();
  #answers: readonly (Told | Promise<Told>)[];

  constructor(...answers: readonly (Told | Promise<Told>)[]) {
    this.#answers = answers;
  }

  readonly service: VideoService = {
    prepare: () => expect.fail('nothing is begun here'),
    content: () => Promise.resolve(null),
    remove: () => {
      this.removed++;
      return Promise.resolve();
    },
    poll: async () => {
      this.polled.push(Date.now());
      this.mostAtOnce = Math.max(this.mostAtOnce, ++this.atOnce);
      await this.meanwhile();
      const told = await this.#answers[Math.min(this.polled.length, this.#answers.length) - 1];
      this.atOnce--;
      if (told === undefined || told instanceof Error) throw told ?? new Error('nothing is told');
      return told;
    },
  };
}

const underWay: VideoProgress = { status: 'in_progress', progress: 40, pollAfterMs: 100 };
const done: VideoProgress = { status: 'completed', seconds: 8, size: '1280x720' };

interface Options {
  readonly provider: ToldProvider;
  readonly deadlineMs?: number;
  /** Runs before a bill is stored, and before an end is reported. */
  readonly beforeBill?: () => void;
  readonly beforeTelling?: () => void;
  /** Whether the provider's connection exists. */
  readonly connected?: () => boolean;
}

/** Videos that changed, in any process. */
const changesOfAll = new Arrivals<string>();

/** The state of one process. */
class Process {
  readonly bills: UsageRecord[] = [];
  readonly told: string[] = [];
  /** Videos whose watchers were notified. */
  readonly changed: string[] = [];
  /** Reserved amounts by video id. */
  readonly held = new Map<string, bigint>();
  readonly jobs: JobQueue;
  readonly videos: VideosService;
  readonly progress: VideoProgressJobs;
  readonly #stored: Promise<void>[] = [];

  constructor(database: Database, options: Options) {
    const { provider, beforeBill, beforeTelling, connected, deadlineMs } = options;
    const store = new UsageStore(database, (row, error) => expect.fail(`${JSON.stringify(row)} ${String(error)}`));
    this.jobs = new JobQueue(database);
    const providers = {
      find: () => Promise.resolve(connected?.() === false ? null : provider.service),
    };
    const changes = new ChangeSignal();
    const limits = {
      reserveForDeferredCharge: ({ id, costNano }: DeferredReservation) => void this.held.set(id, costNano),
      releaseDeferredCharge: ({ id }: Pick<DeferredReservation, 'id'>) => void this.held.delete(id),
    };
    this.progress = new VideoProgressJobs(this.jobs, {
      database,
      providers,
      bill: (record) => {
        beforeBill?.();
        this.bills.push(record);
        this.#stored.push(store.store(Buffer.from(JSON.stringify([record]))));
        return Promise.resolve();
      },
      onEnded: (video) => {
        beforeTelling?.();
        this.told.push(video.status);
        return Promise.resolve();
      },
      limits,
      onChanged: (id) => {
        this.changed.push(id);
        changesOfAll.push(id);
        changes.notify(id);
      },
      log: { warn: () => undefined },
    });
    const catalogue = new Catalogue();
    const deadline = deadlineMs === undefined ? {} : { deadlineMs };
    const { progress } = this;
    this.videos = new VideosService({ database, catalogue, providers, progress, limits, changes, ...deadline });
  }

  async stop(): Promise<void> {
    await this.jobs.stop();
    await Promise.all(this.#stored);
  }
}

async function begin(
  database: Database,
  { videos }: Process,
  {
    markupPpm = 0,
    tags = null,
    trace = null,
  }: { markupPpm?: number; tags?: Record<string, string> | null; trace?: VideoOrigin['trace'] } = {},
): Promise<{ accountId: string; id: string }> {
  const em = database.em();
  const account = em.create(Account, { name: 'A', createdAt: new Date() });
  await em.persist(account).flush();
  const plan = { id: 'pro', capabilities: null, models: null, markupPpm, overage: 'bill' as const };
  const key = { id: randomUUID(), accountId: account.id, memberId: null, plan };
  const { eventId } = newEventIds();
  await videos.store(
    { key, eventId, remixedFrom: null, tags, trace },
    {
      connectionId: 'openai',
      provider: 'openai',
      upstreamModel: 'sora-2-pro',
      request: { prompt: 'A cat', requestedModel: 'sora-2-pro' },
      started: { id: 'upstream-1', seconds: null, size: null, pollAfterMs: 10 },
    },
  );
  return { accountId: account.id, id: eventId };
}

async function settled(database: Database, id: string): Promise<Video> {
  return changesOfAll.whenResult(async () => {
    const video = await database.em().findOneOrFail(Video, { id });
    return video.settledAt === null ? null : video;
  });
}

interface Logged {
  readonly event_id: string;
  readonly cost_nano: string;
  readonly units: unknown;
  readonly estimated: boolean;
  readonly status: string;
}

function usageLog(database: Database, accountId: string): Promise<Logged[]> {
  const columns = 'event_id, cost_nano::text as cost_nano, units, estimated, status';
  return database.query<Logged>(`select ${columns} from usage_logs where account_id = $1`, [accountId]);
}

describeWithDatabase('a video', (databases) => {
  test('is billed once when it is completed, at the prices of the day it was created', async () => {
    const database = await databases.open();
    // A watcher may miss short-lived states.
    const [begun, ended] = [Promise.withResolvers<VideoProgress>(), Promise.withResolvers<VideoProgress>()];
    const running = new Process(database, { provider: new ToldProvider(begun.promise, ended.promise) });
    await running.jobs.start();
    const { accountId, id } = await begin(database, running);
    const watched: string[] = [];
    const signal = new AbortController().signal;
    for await (const { status, progress } of running.videos.watch(accountReach(accountId), publicVideoId(id), signal)) {
      watched.push(`${status} ${progress}`);
      if (status === 'queued') begun.resolve(underWay);
      if (status === 'in_progress') ended.resolve(done);
    }
    const video = await settled(database, id);
    await running.stop();
    expect(watched).toEqual(['queued 0', 'in_progress 40', 'completed 100']);
    // 8 seconds of sora-2-pro in 1280x720 at 0.30 USD.
    expect(video).toMatchObject({ status: 'completed', costNano: 2_400_000_000n, seconds: 8, size: '1280x720' });
    expect(await usageLog(database, accountId)).toEqual([
      {
        event_id: video.billEventId,
        cost_nano: '2400000000',
        units: { media: [{ unit: 'video_second', quantity: 8, size: '1280x720' }], requests: 0 },
        estimated: false,
        status: 'succeeded',
      },
    ]);
    expect(running.told).toEqual(['completed']);
  });

  test('is reported again when only its state changes', async () => {
    const database = await databases.open();
    const running = new Process(database, { provider: new ToldProvider({ ...underWay, progress: 0 }, done) });
    await running.jobs.start();
    const { id } = await begin(database, running);
    await settled(database, id);
    await running.stop();
    // While it runs, when it is completed, and once it is billed.
    expect(running.changed).toEqual([id, id, id]);
  });

  test('is billed with the markup of its original plan, and with its tags', async () => {
    const database = await databases.open();
    const running = new Process(database, { provider: new ToldProvider(underWay, done) });
    await running.jobs.start();
    const { accountId, id } = await begin(database, running, { markupPpm: 50_000, tags: { team: 'search' } });
    expect(await settled(database, id)).toMatchObject({ costNano: 2_520_000_000n });
    await running.stop();
    const columns = 'cost_nano::text as cost_nano, markup_ppm, tags';
    expect(await database.query(`select ${columns} from usage_logs where account_id = $1`, [accountId])).toEqual([
      { cost_nano: '2520000000', markup_ppm: 50_000, tags: { team: 'search' } },
    ]);
  });

  test('is billed in the session and trace of its request, as a part of it', async () => {
    const database = await databases.open();
    const running = new Process(database, { provider: new ToldProvider(underWay, done) });
    await running.jobs.start();
    const trace = { sessionId: randomUUID(), traceId: '4bf92f3577b34da6a3ce929d0e0e4736' };
    const { accountId, id } = await begin(database, running, { trace });
    const video = await settled(database, id);
    const request = usageRecord({
      event_id: id,
      account_id: accountId,
      session_id: trace.sessionId,
      trace_id: trace.traceId,
      began_at: video.createdAt.toISOString(),
      capability: 'video',
      cost_nano: '0',
      duration_ms: 5,
    });
    const store = new UsageStore(database, (_row, error) => expect.fail(String(error)));
    await store.store(rowsJson([request]));
    await running.stop();
    const columns = 'session_id, trace_id, parent_id';
    const bills = `select ${columns} from usage_logs where account_id = $1 and event_id <> $2`;
    expect(await database.query(bills, [accountId, id])).toEqual([
      { session_id: trace.sessionId, trace_id: trace.traceId, parent_id: `req_${id.replaceAll('-', '')}` },
    ]);
    expect(await new RequestSessions(database).byIds(accountId, [trace.sessionId])).toMatchObject([
      { requests: 1, costNano: video.costNano, firstRequestAt: video.createdAt, endedAt: video.completedAt },
    ]);
  });

  test('is billed once although two processes poll it and billing and events fail at first', async () => {
    const database = await databases.open();
    let id = '';
    const failing = (times: number) => (): void => {
      if (times-- <= 0) return;
      // A failed process's lease need not expire first.
      void database.query('update videos set poll_at = now() where id = $1', [id]);
      throw new SluiceError('metering_unavailable');
    };
    const provider = new ToldProvider(underWay, underWay, done);
    const faults = { beforeBill: failing(2), beforeTelling: failing(2) };
    const two = [0, 1].map(() => new Process(database, { provider, ...faults }));
    for (const each of two) await each.jobs.start();
    const [first] = two;
    if (first === undefined) throw new Error('no process');
    const begun = await begin(database, first);
    id = begun.id;
    const sweeps = (): Promise<unknown> => Promise.all(two.map(({ progress }) => progress.sweep(0)));
    // Both processes poll whatever is due, repeatedly.
    provider.meanwhile = async () => {
      for (let round = 0; round < 5; round++) await sweeps();
    };
    const busy = setInterval(() => void sweeps(), 50);
    const video = await settled(database, id);
    clearInterval(busy);
    await Promise.all(two.map((each) => each.stop()));
    expect(provider.mostAtOnce).toBe(1);
    const records = two.flatMap(({ bills }) => bills);
    expect(records).toHaveLength(3);
    expect(new Set(records.map((record) => JSON.stringify(record))).size).toBe(1);
    expect(await usageLog(database, begun.accountId)).toMatchObject([{ event_id: video.billEventId }]);
  });

  test('has at most one queued poll, at the latest requested time', async () => {
    const database = await databases.open();
    const provider = new ToldProvider({ ...underWay, pollAfterMs: 60_000 }, done);
    const two = [0, 1].map(() => new Process(database, { provider }));
    for (const each of two) await each.jobs.start();
    const [first] = two;
    if (first === undefined) throw new Error('no process');
    const { id } = await begin(database, first);
    const waiting = (): Promise<{ state: string }[]> =>
      database.query("select state from pgboss.job where singleton_key = $1 and state < 'active'", [id]);
    const sweeps = (overdueMs: number): Promise<unknown> =>
      Promise.all(two.flatMap(({ progress }) => [0, 1, 2, 3, 4].map(() => progress.sweep(overdueMs))));
    await vi.waitFor(async () => expect([provider.polled.length, await waiting()]).toMatchObject([1, [{}]]), {
      timeout: 60_000,
    });
    // Including polls due in the next two minutes.
    await sweeps(-120_000);
    expect(await waiting()).toHaveLength(1);
    await database.query('update videos set poll_at = now() where id = $1', [id]);
    await sweeps(0);
    await settled(database, id);
    for (const each of two) await each.stop();
    expect(provider.polled).toHaveLength(2);
  });

  test('fails after the deadline and is not billed', async () => {
    const database = await databases.open();
    const provider = new ToldProvider(underWay);
    const running = new Process(database, { provider, deadlineMs: 400 });
    await running.jobs.start();
    const { accountId, id } = await begin(database, running);
    expect(await settled(database, id)).toMatchObject({ status: 'failed', errorCode: 'timeout', costNano: null });
    await running.stop();
    expect(provider.removed).toBe(1);
    expect(running.told).toEqual(['failed']);
    expect(await usageLog(database, accountId)).toEqual([]);
  });

  test('that failed at the provider is not billed', async () => {
    const database = await databases.open();
    const provider = new ToldProvider({ status: 'failed', code: 'content_filtered', message: 'No.\0' });
    const running = new Process(database, { provider });
    await running.jobs.start();
    const { accountId, id } = await begin(database, running);
    expect(await settled(database, id)).toMatchObject({
      status: 'failed',
      errorCode: 'content_filtered',
      errorMessage: 'No.',
    });
    await running.stop();
    expect(await usageLog(database, accountId)).toEqual([]);
  });

  test.each([400, 404])(
    'is asked for again where its provider does not answer, and given up at its %i',
    async (status) => {
      const database = await databases.open();
      const values = { provider: 'openai' };
      const provider = new ToldProvider(
        new SluiceError('provider_unreachable', { values }),
        new SluiceError('provider_credentials', { values }),
        new SluiceError('provider_error', {
          upstream: { status, message: 'No such video', type: 'invalid_request_error', code: 'not_found' },
        }),
      );
      const running = new Process(database, { provider });
      await running.jobs.start();
      const { accountId, id } = await begin(database, running);
      const failed = { status: 'failed', errorCode: 'not_found', errorMessage: 'No such video' };
      expect(await settled(database, id)).toMatchObject(failed);
      await running.stop();
      expect(provider.polled).toHaveLength(3);
      expect(await usageLog(database, accountId)).toEqual([]);
    },
  );

  test('waits for an unavailable connection, and is billed by the default length if none is reported', async () => {
    const database = await databases.open();
    let looks = 0;
    const running = new Process(database, {
      provider: new ToldProvider({ status: 'completed' }),
      connected: () => ++looks > 1,
    });
    await running.jobs.start();
    const { accountId, id } = await begin(database, running);
    // 5 seconds at 0.30 USD, the price of 1280x720.
    expect(await settled(database, id)).toMatchObject({ estimated: true, costNano: 1_500_000_000n });
    await running.stop();
    expect(await usageLog(database, accountId)).toMatchObject([{ cost_nano: '1500000000', estimated: true }]);
  });

  test('whose job was lost is polled again', async () => {
    const database = await databases.open();
    const first = new Process(database, { provider: new ToldProvider(underWay) });
    await first.jobs.start();
    const { accountId, id } = await begin(database, first);
    await first.stop();
    await database.query('delete from pgboss.job');
    const second = new Process(database, { provider: new ToldProvider(done) });
    await second.jobs.start();
    // Due a second ago: the database's clock is finer than the process', and nothing is found before it is due.
    await database.query("update videos set poll_at = now() - interval '1 second' where id = $1", [id]);
    await second.progress.sweep(0);
    await settled(database, id);
    await second.stop();
    expect(await usageLog(database, accountId)).toHaveLength(1);
  });
});
