import { join } from 'node:path';
import type { Logger } from 'pino';
import { systemClock } from '../../calendar/clock.ts';
import { Catalogue, UPDATED_CATALOGUE } from '../../catalogue/catalogue.ts';
import type { Configuration } from '../../config/configuration.ts';
import type { Environment } from '../../config/environment.ts';
import { ownNames } from '../../config/known-hosts.ts';
import { ownRedis } from '../../config/redis/redis-settings.ts';
import { SluiceError } from '../../errors/index.ts';
import { MAX_MEDIA_BYTES } from '../../gateway/media/media-store.ts';
import { GatewayMetrics, journalGauge } from '../../gateway/metrics/metrics.ts';
import { Pipeline } from '../../gateway/pipeline.ts';
import { ContentSeals } from '../../gateway/reasoning/content-seals.ts';
import { ModelRouter } from '../../gateway/routing/model-router.ts';
import { RetiredConnections } from '../../gateway/routing/retired-connections.ts';
import { LiveHub } from '../../live/live-hub.ts';
import { ChatCompletionsService } from '../../services/chat-completions/chat-completions.service.ts';
import { ForwardedMedia } from '../../outbound/forwarded-media.ts';
import { OutboundGuard } from '../../outbound/guard.ts';
import { MediaFetcher } from '../../outbound/media-fetcher.ts';
import type { Foundation } from '../foundation.ts';
import type { WiredTelemetry } from '../telemetry.ts';
import { wireAccounts, type WiredAccounts } from './accounts.ts';
import { wireContent, type WiredContent } from './content.ts';
import { wireBudgets, type WiredBudgets } from './budgets.ts';
import { keyConfiguration, wireKeys, type WiredKeys } from './keys.ts';
import { wireProviders, type WiredProviders } from './providers.ts';
import { wireRedis, type WiredRedis } from './redis.ts';
import { wireUsage, type WiredUsage } from './usage.ts';

export interface WiredGateway extends WiredUsage {
  readonly pipeline: Pipeline;
  readonly content: WiredContent;
  /** Chat completions that the pipeline stores. */
  readonly chatCompletions: ChatCompletionsService;
  readonly providers: WiredProviders;
  readonly stopRouting: () => void;
  readonly retired: RetiredConnections;
  readonly router: ModelRouter;
  readonly catalogue: Catalogue;
  readonly guard: OutboundGuard;
  readonly fetcher: MediaFetcher;
  readonly metrics: GatewayMetrics;
  readonly live: LiveHub;
  readonly redis: WiredRedis;
  readonly accounts: WiredAccounts;
  readonly keys: WiredKeys;
  readonly budgets: WiredBudgets;
}

/** The data plane with accounts, keys and budgets. */
export async function wireGateway(
  configuration: Configuration,
  foundation: Foundation,
  log: Logger,
  telemetry: WiredTelemetry | null,
): Promise<WiredGateway> {
  const { database, dataDir, processDir, masterKeys, supervisor } = foundation;
  const { environment } = configuration;
  const providers = wireProviders(configuration, log);
  const usage = wireUsage(processDir, database, log);
  const { journal, drainer } = usage;
  const catalogue = new Catalogue({ updated: join(dataDir, UPDATED_CATALOGUE) });
  const guard = new OutboundGuard(environment.SLUICE_OUTBOUND_ALLOW, ownNames(environment));
  const accounts = await wireAccounts({
    database,
    masterKeys,
    guard,
    connectTimeoutMs: () => providers.current.defaults.timeouts.connect,
    log,
    router: () => router,
    whenRequestsEnd: () => pipeline.whenOpenRequestsEnd(),
  });
  const router = new ModelRouter(catalogue, accounts.connections);
  const retired = new RetiredConnections(systemClock, () => pipeline.whenOpenRequestsEnd());
  const configured = { ...keyConfiguration(environment, providers), models: accounts.models };
  const keys = await wireKeys({ ...foundation, redis: ownRedis(environment), log, ...configured });
  const metrics = metricsOf(journal);
  const redis = await wireRedis({ environment, masterKeys, dataDir, cache: configuration.file.cache, supervisor, log });
  const { limits, cache, reasoning, bus } = redis;
  const live = new LiveHub(bus);
  const budgets = await wireBudgets({
    database,
    store: limits,
    plans: () => providers.current.plans,
    drainer,
    isStoreShared: environment.REDIS_URL !== undefined || supervisor !== null,
    bus,
    log,
  });
  const fetcher = wireFetcher(guard, providers);
  const content = wireContent(foundation, metrics, log, telemetry?.contentStored ?? null);
  const chatCompletions = new ChatCompletionsService({ database, log });
  const pipeline = new Pipeline({
    limits,
    journal,
    router,
    live,
    metrics,
    cache,
    reasoning,
    seals: new ContentSeals(masterKeys),
    completions: chatCompletions,
    content: content.queue,
    ...(telemetry?.requests && { telemetry: telemetry.requests }),
    log,
    forwarded: wireForwarding(environment, providers, fetcher),
    expiryOf: keys.service.expiryOf.bind(keys.service),
  });
  followRevocation(keys, pipeline);
  return {
    ...usage,
    pipeline,
    content,
    chatCompletions,
    providers,
    stopRouting: providers.keepRouting(router, catalogue, retired),
    retired,
    router,
    catalogue,
    guard,
    fetcher,
    metrics,
    live,
    redis,
    accounts,
    keys,
    budgets,
  };
}

function wireFetcher(guard: OutboundGuard, providers: WiredProviders): MediaFetcher {
  return new MediaFetcher({
    guard,
    connectTimeoutMs: () => providers.current.defaults.timeouts.connect,
    sizeLimit: MAX_MEDIA_BYTES,
    operatorsBase: (connectionId) => providers.current.bases.get(connectionId) ?? null,
  });
}

function metricsOf(journal: WiredUsage['journal']): GatewayMetrics {
  const metrics = new GatewayMetrics();
  metrics.addGauge(journalGauge(journal));
  return metrics;
}

function followRevocation({ directory }: WiredKeys, pipeline: Pipeline): void {
  directory.onRevoked((keyId) =>
    pipeline.endKey(keyId, new SluiceError('invalid_api_key', { values: { key: 'it was revoked' } })),
  );
  directory.onRestored((keyId) => pipeline.serveKey(keyId));
}

/** Handles URLs in requests. The guard does not exclude this server, because they may be links to its own media. */
function wireForwarding(
  { SLUICE_OUTBOUND_ALLOW }: Pick<Environment, 'SLUICE_OUTBOUND_ALLOW'>,
  providers: Pick<WiredProviders, 'current'>,
  fetcher: MediaFetcher,
): ForwardedMedia {
  const guard = new OutboundGuard(SLUICE_OUTBOUND_ALLOW);
  return new ForwardedMedia({ guard, fetcher, inlining: () => providers.current.inlining });
}
