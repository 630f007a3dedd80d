import { ownNames } from '../../config/known-hosts.ts';
import type { Logger } from 'pino';
import { systemClock } from '../../calendar/clock.ts';
import type { Catalogue } from '../../catalogue/catalogue.ts';
import type { ModelOverrides } from '../../catalogue/model-overrides.ts';
import type { SluiceConfig } from '../../config/config-schema.ts';
import type { Configuration } from '../../config/configuration.ts';
import { ConfigurationError, type Environment } from '../../config/environment.ts';
import { configuredModelNames, type ConfiguredModelName } from '../../config/model-name-faults.ts';
import type { RateLimits } from '../../gateway/keys/key-directory.ts';
import { doubtfulNames } from '../../gateway/routing/models/doubtful-names.ts';
import { closeAll, type RetiredConnections } from '../../gateway/routing/retired-connections.ts';
import type { ModelRouter } from '../../gateway/routing/model-router.ts';
import type { RoutingTable } from '../../gateway/routing/route-settings.ts';
import { defaultTimeouts } from '../../gateway/routing/timeouts.ts';
import { SettingsError, type Connection } from '../../providers/contract.ts';
import { openConnection, providerAliases, providers } from '../../providers/registry.ts';
import { createSandboxConnection } from '../../providers/sandbox/sandbox-connection.ts';
import { OutboundGuard } from '../../outbound/guard.ts';
import { guardedDial } from '../../outbound/guarded-dial.ts';
import { readPlans } from './read-plans.ts';
import { readRoutes, readTimeouts } from './read-routes.ts';
import { readSessionLimits, type SessionLimits } from '../../services/sessions/session-limits.ts';
import type { PlanCatalogue } from '../../services/plans/plan.ts';

const DISCOVERY_INTERVAL_MS = 5 * 60_000;

/** Limits of a key without limits of its own. */
const defaultLimits: RateLimits = {
  requestsPerMinute: 10_000,
  tokensPerMinute: 10_000_000,
  requestsPerDay: Infinity,
  concurrency: 1_000,
};

export interface Settings extends RoutingTable {
  readonly limits: RateLimits;
  readonly models: ModelOverrides;
  readonly plans: PlanCatalogue;
  /** Model names in `sluice.yaml`, with their location. */
  readonly modelNames: readonly ConfiguredModelName[];
  readonly identityProviders: SluiceConfig['identityProviders'];
  readonly sessions: SessionLimits;
  /** Spending policy of new accounts if no mail can verify addresses. */
  readonly signUpSpending: SluiceConfig['signup_spending'];
  /** Configured base URLs by connection ID. */
  readonly bases: ReadonlyMap<string, string>;
  /** IDs of connections to self-hosted servers, which receive fetched content instead of URLs. */
  readonly inlining: ReadonlySet<string>;
}

export interface WiredProviders {
  /** As configured now. */
  readonly current: Settings;
  /**
   * Keeps a router and the catalogue up to date with the configuration and the providers' model lists.
   * @param retired closes the connections of earlier configurations
   * @returns a function that stops it
   */
  keepRouting(router: ModelRouter, catalogue: Catalogue, retired: Pick<RetiredConnections, 'retire'>): () => void;
  close(): Promise<void>;
}

/** Opens a connection to each configured provider, and again when `sluice.yaml` changes. */
export function wireProviders(configuration: Configuration, log: Logger): WiredProviders {
  let current = settings(configuration, configuration.file, log);
  return {
    get current() {
      return current;
    },
    keepRouting(router, catalogue, retired) {
      const discover = (): Promise<void> =>
        router.discover((provider, err) => log.debug({ provider, err }, 'listing the models of a provider failed'));
      const use = (next: Settings): void => {
        catalogue.use({ overrides: next.models });
        router.use(next);
        for (const name of router.unserved()) log.warn(`no connection serves ${name}`);
        // Providers may list models that the catalogue does not contain.
        void discover().then(async () => {
          if (next !== current) return;
          const known = router.knownModels('');
          for await (const line of doubtfulNames(next.modelNames, known)) log.warn(`sluice.yaml: ${line}`);
        });
      };
      use(current);
      const timer = systemClock.setInterval(() => void discover(), DISCOVERY_INTERVAL_MS).unref();
      const unwatch = configuration.watch(
        (file) => {
          const previous = current;
          current = settings(configuration, file, log);
          for (const { id } of previous.connections)
            if (previous.bases.get(id) !== current.bases.get(id)) router.forgetListed(id);
          use(current);
          log.info('sluice.yaml reloaded');
          retired.retire(previous.connections);
        },
        (error) => log.error(`sluice.yaml is not valid; the previous configuration stays active: ${faultIn(error)}`),
      );
      return () => {
        timer.cancel();
        unwatch();
      };
    },
    close: () => closeAll(current.connections),
  };
}

/** @throws without leaving a connection open */
function settings({ environment }: Configuration, file: SluiceConfig, log: Logger): Settings {
  const timeouts = { ...defaultTimeouts, ...readTimeouts(file.timeouts) };
  const read = {
    ...readRoutes(file, timeouts),
    limits: {
      requestsPerMinute: file.limits.requests_per_minute ?? defaultLimits.requestsPerMinute,
      tokensPerMinute: file.limits.tokens_per_minute ?? defaultLimits.tokensPerMinute,
      requestsPerDay: file.limits.requests_per_day ?? defaultLimits.requestsPerDay,
      concurrency: file.limits.concurrency ?? defaultLimits.concurrency,
    },
    models: file.models,
    modelNames: configuredModelNames(file),
    plans: readPlans(file, environment.SLUICE_SIGNUP),
    identityProviders: file.identityProviders,
    sessions: readSessionLimits(file.sessions),
    signUpSpending: file.signup_spending,
  };
  // Last: what can be rejected is read.
  return { ...read, ...openConnections(environment, file, timeouts.connect, log) };
}

type OpenedConnections = Pick<Settings, 'connections' | 'bases' | 'inlining'>;

function openConnections(
  environment: Environment,
  file: SluiceConfig,
  connectTimeoutMs: number,
  log: Logger,
): OpenedConnections {
  const guard = new OutboundGuard(environment.SLUICE_OUTBOUND_ALLOW, ownNames(environment));
  const foreignDial = guardedDial({ guard, connectTimeoutMs });
  const connections: Connection[] = environment.SLUICE_SANDBOX
    ? [createSandboxConnection({ tokensPerSecond: environment.SLUICE_SANDBOX_TOKENS_PER_SECOND })]
    : [];
  const bases = new Map<string, string>();
  const inlining = new Set<string>();
  const inFile = new Map(Object.entries(file.providers).map(([id, named]) => [providerAliases.get(id) ?? id, named]));
  for (const id of new Set([...environment.providers.keys(), ...inFile.keys()])) {
    const inEnvironment = environment.providers.get(id);
    const named = inFile.get(id);
    const baseUrl = inEnvironment?.baseUrl ?? named?.base_url;
    try {
      const connection = openConnection(id, {
        id,
        apiKey: inEnvironment?.apiKey ?? named?.api_key,
        baseUrl,
        connectTimeoutMs,
        billed: named?.billed,
        options: named?.options ?? {},
        region: named?.region,
        dataPolicy: {
          trainsOnData: named?.data_policy?.trains_on_data,
          retentionDays: named?.data_policy?.retention_days,
        },
        foreignDial,
      });
      connections.push(connection);
      if (baseUrl !== undefined) bases.set(connection.id, baseUrl);
      if (named?.forward_urls !== true && isOwnServer(id, baseUrl)) inlining.add(connection.id);
    } catch (error) {
      if (!(error instanceof SettingsError)) {
        void closeAll(connections);
        throw error;
      }
      log.warn(`${error.message}; the connection is skipped`);
    }
  }
  return { connections, bases, inlining };
}

/** Whether a provider's requests stay in the operator's network. */
function isOwnServer(id: string, baseUrl: string | undefined): boolean {
  if (baseUrl === undefined) return providers.some((provider) => provider.id === id && provider.selfHosted === true);
  try {
    new OutboundGuard([]).checkUrl(baseUrl);
    return false;
  } catch {
    return true;
  }
}

/** In one line. */
function faultIn(error: unknown): string {
  if (error instanceof ConfigurationError) return error.faults.join('; ');
  return error instanceof Error ? error.message : String(error);
}
