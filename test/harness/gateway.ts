import { EventEmitter, once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import type { Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import express from 'express';
import type { Clock } from '../../src/calendar/clock.ts';
import { Catalogue } from '../../src/catalogue/catalogue.ts';
import { SluiceError } from '../../src/errors/index.ts';
import { MemoryResponseCache } from '../../src/gateway/cache/response-cache.ts';
import { IdempotencyStore, type IdempotencyBounds } from '../../src/gateway/idempotency/idempotency-store.ts';
import type { SharedClaims } from '../../src/gateway/idempotency/shared-claims.ts';
import { ContentSeals } from '../../src/gateway/reasoning/content-seals.ts';
import { UsageJournal } from '../../src/gateway/usage/journal/usage-journal.ts';
import type { ExpiryOf } from '../../src/gateway/keys/key-expiry.ts';
import type { ContentLog } from '../../src/gateway/content/content-log.ts';
import type { CompletionStore } from '../../src/gateway/capabilities/chat/storage/completion-store.ts';
import type { KeyRecord } from '../../src/gateway/keys/key-directory.ts';
import { MemoryLimitStore } from '../../src/gateway/limits/memory-limit-store.ts';
import { MemoryReasoningStore, type ReasoningStore } from '../../src/gateway/reasoning/reasoning-memory.ts';
import { GatewayMetrics } from '../../src/gateway/metrics/metrics.ts';
import { Pipeline } from '../../src/gateway/pipeline.ts';
import { ModelRouter } from '../../src/gateway/routing/model-router.ts';
import { defaultTimeouts, type Timeouts } from '../../src/gateway/routing/timeouts.ts';
import type { UsageRecord } from '../../src/gateway/usage/usage-record.ts';
import { rowsOfSegment } from './journal-rows.ts';
import { LiveHub } from '../../src/live/live-hub.ts';
import type { ConnectionSettings } from '../../src/providers/contract.ts';
import { openConnection } from '../../src/providers/registry.ts';
import { createSandboxConnection } from '../../src/providers/sandbox/sandbox-connection.ts';
import { MediaService } from '../../src/services/media/media.service.ts';
import { parseConfig } from '../../src/config/config-file.ts';
import { readRoutes } from '../../src/composition/gateway/read-routes.ts';
import { buildCapabilityRoutes } from '../../src/rest/capability-routes.ts';
import { ProcessGauges } from '../../src/rest/metrics/process-gauges.ts';
import { renderMetrics } from '../../src/rest/metrics/render-metrics.ts';
import { answerClientError } from '../../src/rest/http/client-error.ts';
import { renderErrors, unknownUrl } from '../../src/rest/http/errors.ts';
import { createExpressServer } from '../../src/rest/http/express-server.ts';
import { Idempotency } from '../../src/rest/idempotency/idempotency.ts';
import type { SharedResponse } from '../../src/rest/idempotency/shared-response.ts';
import { UploadFolder } from '../../src/rest/files/upload-folder.ts';
import { HttpRoutes } from '../../src/rest/tracing/http-route.ts';
import { withTracing } from '../../src/rest/tracing/traced-requests.ts';
import { buildOpenApiDocument } from '../../src/rest/openapi/document.ts';
import type { Telemetry } from '../../src/gateway/telemetry/request-span.ts';
import { hotRoutes } from '../../src/rest/hot-routes.ts';
import { buildRestRouter, type RestDependencies } from '../../src/rest/router.ts';
import type { ForwardedUrls } from '../../src/gateway/policy/forwarded-urls.ts';
import { ForwardedMedia } from '../../src/outbound/forwarded-media.ts';
import { OutboundGuard } from '../../src/outbound/guard.ts';
import { MediaFetcher } from '../../src/outbound/media-fetcher.ts';
import { FakeShelf, loopbackFetch } from './fake-shelf.ts';

export const secret = 'sk-sluice-test';

export const key: KeyRecord = {
  id: '00000000-0000-4000-8000-000000000001',
  accountId: '00000000-0000-4000-8000-0000000000aa',
  memberId: null,
  name: 'test',
  scopes: new Set(['inference']),
  allowedModels: null,
  expiresAt: null,
  limits: { requestsPerMinute: 1_000, tokensPerMinute: 1_000_000, requestsPerDay: Infinity, concurrency: 100 },
  liveContent: true,
  cacheMs: null,
  moderation: null,
  plan: { id: 'enterprise', capabilities: null, models: null, markupPpm: 0, overage: 'bill' },
  budgets: [],
};

export interface GatewayOptions {
  /** `openai`'s base URL. */
  readonly openai?: string;
  /** Base URLs by provider id, or all that is configured of a connection. */
  readonly providers?: Readonly<Record<string, string | Partial<ConnectionSettings>>>;
  /** `sluice.yaml`: its routes, aliases and rules. Failed calls are tried again only where it says so: pauses take time. */
  readonly config?: string;
  readonly key?: Partial<KeyRecord>;
  readonly timeouts?: Partial<Timeouts>;
  /** Of limits, the cache, and links to media. What waits for sockets has the system's. */
  readonly clock?: Clock;
  /** Of the pipeline's own deadlines and pauses and of what answers say they took, apart from what sockets do in their own time. */
  readonly pipelineClock?: Clock;
  /** Of all uploads together; as many as come where absent. */
  readonly uploadBytes?: number;
  /** Where claims are kept; a folder of its own where absent. */
  readonly idempotencyFolder?: string;
  readonly idempotencyBounds?: IdempotencyBounds;
  /** Of keys; they keep the end that they have where absent. */
  readonly expiryOf?: ExpiryOf;
  /** Of chat completions; none are stored where absent. */
  readonly completions?: CompletionStore;
  /** Of the content of requests; none is logged where absent. */
  readonly content?: ContentLog;
  /** Of signed reasoning; its own where absent. */
  readonly reasoning?: ReasoningStore;
  /** What it has in common with other processes. */
  readonly sharedClaims?: SharedClaims;
  /** Routes that need a database. */
  readonly rest?: (made: MadeParts) => Partial<RestDependencies>;
  /** `host:port` that addresses in requests may name though they are not public. */
  readonly allowedHosts?: readonly string[];
  /** Ids of connections that are sent no addresses. */
  readonly inlining?: readonly string[];
  /** Traces and metrics of requests; none where absent. */
  readonly telemetry?: Telemetry;
}

interface MadeParts {
  readonly limits: MemoryLimitStore;
  readonly pipeline: Pipeline;
  readonly uploads: UploadFolder;
  readonly idempotency: Idempotency;
}

/** The data plane with its REST surface on a real socket, and no database: what is metered is read from its journal. */
export interface TestGateway {
  readonly url: string;
  /** It emits `request` for each head that arrives. */
  readonly server: Server;
  readonly rest: RestDependencies;
  readonly pipeline: Pipeline;
  readonly router: ModelRouter;
  readonly live: LiveHub;
  readonly limits: MemoryLimitStore;
  readonly key: KeyRecord;
  /** The folder of uploads in progress. */
  readonly uploads: string;
  /** What is kept to be fetched by links. */
  readonly shelf: FakeShelf;
  /** Settled requests so far, without those that were rejected before they began. */
  settled(): UsageRecord[];
  /** Records of rejected requests so far. */
  rejected(): UsageRecord[];
  /** Waits until so many are settled. */
  settledCount(count: number): Promise<UsageRecord[]>;
  close(): Promise<void>;
}

const quiet = { error: () => undefined, warn: () => undefined, info: () => undefined };

/** Emits `settled` when a request is settled. */
class ObservedJournal extends UsageJournal {
  readonly settlements = new EventEmitter();

  override appendSettleRecord(...settlement: Parameters<UsageJournal['appendSettleRecord']>): void {
    super.appendSettleRecord(...settlement);
    this.settlements.emit('settled');
  }
}

export async function startGateway(options: GatewayOptions = {}): Promise<TestGateway> {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-gateway-'));
  const caller: KeyRecord = { ...key, ...options.key };
  const keys = {
    find: (given: string): KeyRecord => {
      if (given !== secret) throw new SluiceError('invalid_api_key', { values: { key: '…' } });
      return caller;
    },
  };
  const journal = new ObservedJournal(folder, quiet);
  const router = new ModelRouter(new Catalogue());
  const connections = [createSandboxConnection({ tokensPerSecond: 0 })];
  const named = { ...options.providers, ...(options.openai && { openai: options.openai }) };
  for (const [id, given] of Object.entries(named)) {
    const settings = typeof given === 'string' ? { baseUrl: given } : given;
    const usual = { id, apiKey: 'provider-key', baseUrl: undefined, connectTimeoutMs: 60_000, options: {} };
    connections.push(openConnection(id, { ...usual, ...settings }));
  }
  const file = parseConfig('sluice.yaml', options.config ?? '', {});
  const routing = { retries: 0, ...file.routing };
  const table = readRoutes({ ...file, routing }, { ...defaultTimeouts, ...options.timeouts });
  router.use({ connections, ...table, aliases: new Map([['fast', 'openai/gpt-4.1-mini'], ...table.aliases]) });
  const metrics = new GatewayMetrics();
  const limits = new MemoryLimitStore(options.clock);
  const live = new LiveHub();
  const cache = new MemoryResponseCache(16 * 1024 * 1024, options.clock);
  const guard = new OutboundGuard(options.allowedHosts ?? []);
  const fetcher = new MediaFetcher({ guard, connectTimeoutMs: () => 60_000, sizeLimit: 64 * 1024 * 1024 });
  const inlining = new Set(options.inlining);
  const forwarded: ForwardedUrls = new ForwardedMedia({ guard, fetcher, inlining: () => inlining });
  const pipeline = new Pipeline({
    forwarded,
    limits,
    journal,
    router,
    live,
    metrics,
    cache,
    reasoning: options.reasoning ?? new MemoryReasoningStore(options.clock),
    seals: new ContentSeals('a master key of the tests, long enough'),
    ...(options.completions && { completions: options.completions }),
    ...(options.content && { content: options.content }),
    ...(options.telemetry && { telemetry: options.telemetry }),
    log: quiet,
    clock: options.pipelineClock,
    ...(options.expiryOf && { expiryOf: options.expiryOf }),
  });
  const app = express();
  app.disable('x-powered-by').disable('etag').enable('case sensitive routing');
  const processGauges = new ProcessGauges();
  const uploads = new UploadFolder(mkdtempSync(join(tmpdir(), 'sluice-uploads-')), options.uploadBytes ?? Infinity);
  const shelf = new FakeShelf();
  const media = new MediaService(shelf, 'a master key of the tests, long enough', loopbackFetch(), options.clock);
  const claims = new IdempotencyStore<SharedResponse>({
    folder: options.idempotencyFolder ?? join(folder, 'idempotency'),
    masterKeys: 'a master key of the tests, long enough',
    log: quiet,
    ...(options.clock && { clock: options.clock }),
    shared: options.sharedClaims ?? null,
    ...(options.idempotencyBounds && { bounds: options.idempotencyBounds }),
  });
  const idempotency = new Idempotency({ store: claims, limits });
  const own = options.rest?.({ limits, pipeline, uploads, idempotency });
  const rest: RestDependencies = {
    keys,
    models: router,
    limits,
    metrics,
    rejections: pipeline.dependencies.rejections,
    renderMetrics: () => renderMetrics(metrics, processGauges.list()),
    securityText: { publicUrl: () => 'http://127.0.0.1' },
    requireMetricsReader: () => undefined,
    readiness: { check: () => ({ ready: true, checks: {} }) },
    capabilities: buildCapabilityRoutes({ keys, limits, pipeline, uploads, media, idempotency }, own?.responses),
    gemini: { keys, limits, pipeline, uploads, media, idempotency, models: router },
    media,
    ...own,
  };
  app.use(buildRestRouter(rest));
  const errors = renderErrors(quiet, metrics, rest.rejections);
  app.use(unknownUrl, errors);
  const hot = hotRoutes(rest, errors);
  const routes = new HttpRoutes(options.telemetry ? Object.keys(buildOpenApiDocument().paths) : []);
  const first = options.telemetry ? withTracing(options.telemetry, routes, hot) : hot;
  const server = createExpressServer(app, first, {}, options.pipelineClock)
    .on('clientError', answerClientError)
    .listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const recorded = (): UsageRecord[] => {
    journal.flush();
    return readdirSync(folder)
      .filter((file) => file.endsWith('.jsonl'))
      .sort()
      .flatMap((file) => rowsOfSegment(readFileSync(join(folder, file), 'utf8')));
  };
  const settled = (): UsageRecord[] => recorded().filter(({ status }) => status !== 'rejected');
  return {
    url: `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`,
    server,
    rest,
    pipeline,
    router,
    live,
    limits,
    key: caller,
    uploads: uploads.path,
    shelf,
    settled,
    rejected: () => recorded().filter(({ status }) => status === 'rejected'),
    settledCount: async (count) => {
      for (;;) {
        const records = settled();
        if (records.length >= count) return records;
        await once(journal.settlements, 'settled');
      }
    },
    close: async () => {
      await pipeline.stop(0);
      await fetcher.close();
      live.close();
      processGauges.stop();
      uploads.close();
      server.closeAllConnections();
      server.close();
      await Promise.all(connections.map((connection) => connection.close()));
      await claims.close();
      journal.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
