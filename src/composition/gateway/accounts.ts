import type { Logger } from 'pino';
import type { Database } from '../../database/database.ts';
import { SluiceError } from '../../errors/index.ts';
import type { KeyDirectory, KeyRecord } from '../../gateway/keys/key-directory.ts';
import type { ModelRouter } from '../../gateway/routing/model-router.ts';
import type { OutboundGuard } from '../../outbound/guard.ts';
import { guardedDial, type ResolveName } from '../../outbound/guarded-dial.ts';
import {
  SettingsError,
  type Connection,
  type ConnectionSettings,
  type Send,
  type Services,
} from '../../providers/contract.ts';
import { dataPolicyOf } from '../../providers/shared/terms/data-policy.ts';
import { openConnection, providers } from '../../providers/registry.ts';
import { AccountConnections } from '../../services/connections/account-connections.ts';
import type { ConnectionOpener, OpenSettings } from '../../services/connections/connection-opener.ts';
import { ConnectionReader } from '../../services/connections/connection-reader.ts';
import { connectionIdOf, ConnectionsService } from '../../services/connections/connections.service.ts';
import { CredentialVault } from '../../services/connections/credential-vault.ts';
import { ModelNames } from '../../services/model-names.ts';
import { RoutesService } from '../../services/routes/routes.service.ts';
import type { MasterKeys } from '../../secrets/master-keys.ts';

/** Reserved: sandbox models are marked as no AI models and are never billed. */
const SANDBOX = 'sandbox';
const NO_DOCUMENTATION = 'unverified';

export interface AccountsOptions {
  readonly database: Database;
  readonly masterKeys: MasterKeys;
  /** Decides which destinations accounts may configure. */
  readonly guard: OutboundGuard;
  readonly connectTimeoutMs: () => number;
  readonly log: Pick<Logger, 'warn'>;
  /** Routes requests of accounts. Not called before this function returns. */
  readonly router: () => Pick<ModelRouter, 'listed' | 'forgetListed' | 'ready' | 'knownModels'>;
  /** Resolves once all requests that are open at its call have ended. Not called before this function returns. */
  readonly whenRequestsEnd: () => Promise<void>;
  /** Defaults to DNS. */
  readonly resolve?: ResolveName;
}

export interface WiredAccounts {
  readonly service: ConnectionsService;
  readonly routes: RoutesService;
  /** Validates model names that accounts configure. */
  readonly models: ModelNames;
  /** Connections and routes, for the router. */
  readonly connections: AccountConnections<Connection>;
  /** A directory that loads the connections and routes of a key's account with the key, so that the router need not wait. */
  preparing(keys: KeyDirectory): KeyDirectory;
  close(): Promise<void>;
}

/** Opens the provider connections of accounts. All their requests pass the outbound guard. */
export async function wireAccounts(options: AccountsOptions): Promise<WiredAccounts> {
  const { database, guard, log, router } = options;
  const vault = new CredentialVault(options.masterKeys);
  const open = (settings: OpenSettings): Connection => openGuarded(settings, guard, options);
  const connections = new AccountConnections<Connection>({
    reader: new ConnectionReader(database),
    open: (row) => {
      try {
        return open(service.openSettings(row.account.id, row));
      } catch (err) {
        log.warn({ err, connection: row.id }, 'opening a provider connection of an account failed');
        return new UnusableConnection(connectionIdOf(row), row.provider);
      }
    },
    polls: database.changes.polls,
    whenRequestsEnd: options.whenRequestsEnd,
    onReplaced: (row) => router().forgetListed(connectionIdOf(row)),
    onFault: (err) => {
      // An unavailable database is logged elsewhere.
      if (err instanceof SluiceError && err.code === 'database_unavailable') return;
      log.warn({ err }, 'reading changed provider connections failed');
    },
  });
  const service = new ConnectionsService({
    database,
    vault,
    guard,
    opener: opener(open, (connectionId, models) => router().listed(connectionId, models)),
    connectionCache: connections,
  });
  const models = new ModelNames(async (accountId, isComplete) => {
    if (isComplete) {
      await connections.ready(accountId);
      await router().ready(accountId);
    }
    return router().knownModels(accountId);
  });
  await connections.start(database.kind === 'server');
  return {
    service,
    routes: new RoutesService({ database, connectionCache: connections }, models),
    models,
    connections,
    preparing: (keys) => preparing(keys, connections),
    close: () => connections.close(),
  };
}

function openGuarded(settings: OpenSettings, guard: OutboundGuard, options: AccountsOptions): Connection {
  const connectTimeoutMs = options.connectTimeoutMs();
  const dial = guardedDial({ guard, connectTimeoutMs, ...(options.resolve && { resolve: options.resolve }) });
  const complete: ConnectionSettings = {
    id: settings.id,
    apiKey: settings.apiKey ?? undefined,
    baseUrl: settings.baseUrl ?? undefined,
    connectTimeoutMs,
    // Usage of a server that is not a known provider is not billed by Sluice.
    billed: providers.some(({ id }) => id === settings.provider) ? undefined : false,
    options: settings.options,
    region: settings.region ?? undefined,
    dataPolicy: {
      trainsOnData: settings.trainsOnData ?? undefined,
      retentionDays: settings.retentionDays ?? undefined,
    },
    dial,
    foreignDial: dial,
  };
  return openConnection(settings.provider, complete);
}

function opener(open: (settings: OpenSettings) => Connection, onModels: ModelRouter['listed']): ConnectionOpener {
  return {
    providers: providers.map(({ id, name, documentation, needsKey, providerAliases = [], baseUrl, options = [] }) => ({
      dataPolicy: dataPolicyOf(id, undefined),
      id,
      name,
      documentation: documentation === NO_DOCUMENTATION ? null : documentation,
      needsKey,
      alsoKnownAs: providerAliases,
      baseUrl,
      options,
    })),
    fault: (settings) => {
      if (settings.provider === SANDBOX) return 'the sandbox cannot be connected by accounts';
      try {
        void open(settings).close();
        return null;
      } catch (error) {
        if (error instanceof SettingsError) return error.message;
        throw error;
      }
    },
    listModels: async (settings) => {
      const connection = open(settings);
      try {
        const models = await connection.listModels();
        onModels(settings.id, models);
        return models;
      } finally {
        await connection.close();
      }
    },
  };
}

function preparing(keys: KeyDirectory, connections: AccountConnections<Connection>): KeyDirectory {
  const prepared = (key: KeyRecord): KeyRecord | Promise<KeyRecord> => {
    const waiting = connections.ready(key.accountId);
    return waiting === undefined ? key : waiting.then(() => key);
  };
  return {
    find: (secret, connection) => {
      const found = keys.find(secret, connection);
      return found instanceof Promise ? found.then(prepared) : prepared(found);
    },
  };
}

/** Placeholder for a connection that cannot be opened, so that requests of its account never use the operator's credentials. */
class UnusableConnection implements Connection {
  readonly id: string;
  readonly provider: string;
  readonly billed = true;

  constructor(id: string, provider: string) {
    this.id = id;
    this.provider = provider;
  }

  readonly chat: Send<unknown> = (_context, receiver) => {
    let aborted = false;
    receiver.onConnecting({
      pause: () => undefined,
      resume: () => undefined,
      abort: () => {
        aborted = true;
      },
    });
    queueMicrotask(() => (aborted ? undefined : receiver.onFailure(this.#unusable())));
    return [];
  };

  get services(): Services {
    const { chat: fail } = this;
    const refuse = (): Promise<never> => Promise.reject(this.#unusable());
    const video = { prepare: () => ({ dropped: [], start: refuse }), poll: refuse, content: refuse };
    return { embeddings: fail, moderation: fail, images: fail, speech: fail, transcription: fail, rerank: fail, video };
  }

  async listModels(): Promise<never> {
    throw this.#unusable();
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  #unusable(): SluiceError {
    return new SluiceError('provider_credentials', {
      values: { provider: this.provider },
      detail: 'the stored connection cannot be opened',
    });
  }
}
