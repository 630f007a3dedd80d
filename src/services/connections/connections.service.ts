import { randomUUID } from 'node:crypto';
import { UniqueConstraintViolationException } from '@mikro-orm/core';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { Database } from '../../database/database.ts';
import { Account, ProviderConnection } from '../../database/entities/index.ts';
import { SluiceError } from '../../errors/index.ts';
import type { OutboundGuard } from '../../outbound/guard.ts';
import { mapDatabaseErrors } from '../database-availability.ts';
import { parseInput } from '../parse-input.ts';
import { isUuid } from '../uuid.ts';
import { changeAccount, type ConnectionCache } from './account-change.ts';
import { applyTerms, connectionsOf, noTerms } from './connection-terms.ts';
import {
  changedCredentials,
  changesDestination,
  openCredentials,
  requireAgain,
  sealCredentials,
} from './connection-credentials.ts';
import {
  baseUrlText,
  connectionChangeSchema,
  newConnectionSchema,
  plainOptions,
  toRecord,
  type ConnectionChange,
  type Credentials,
  type NewConnection,
} from './connection-input.ts';
import type { ConnectableProvider, ConnectionOpener, OpenSettings } from './connection-opener.ts';
import { UnsealError, type CredentialVault } from './credential-vault.ts';
import { testFailed, testSucceeded, type TestOutcome } from './test-outcome.ts';

const MAX_CONNECTIONS = 50;

/** A cache of open connections. */
export interface ReadyConnectionCache extends ConnectionCache {
  /**
   * Waits until an account's connections are usable; undefined if they are. @throws SluiceError database_unavailable, as the
   * promise's rejection
   */
  ready(accountId: string): Promise<void> | undefined;
}

export interface ConnectionsServiceDependencies {
  readonly database: Database;
  readonly vault: CredentialVault;
  readonly guard: OutboundGuard;
  readonly opener: ConnectionOpener;
  readonly connectionCache: ReadyConnectionCache;
}

/**
 * An account's own connections to providers. Their credentials are write-only. Another account's connection is not found.
 * Every method also throws SluiceError database_unavailable.
 */
export class ConnectionsService {
  readonly #dependencies: ConnectionsServiceDependencies;

  constructor(dependencies: ConnectionsServiceDependencies) {
    this.#dependencies = dependencies;
  }

  /** Providers that can be connected by name. Any other OpenAI-compatible API can be connected with a base URL. */
  get providers(): readonly ConnectableProvider[] {
    return this.#dependencies.opener.providers;
  }

  /** Waits until the account's connections are usable. @throws SluiceError database_unavailable */
  async ready(accountId: string): Promise<void> {
    await this.#dependencies.connectionCache.ready(accountId);
  }

  /** By provider. */
  list(accountId: string): Promise<ProviderConnection[]> {
    return connectionsOf(this.#dependencies.database, accountId);
  }

  /**
   * With `test` the connection is tested first: if the test fails nothing is saved, or an inactive connection with
   * `saveAnyway`.
   * @throws SluiceError bad_user_input | outbound_refused | already_connected | too_many_connections | not_found |
   * connection_test_failed
   */
  async connect(accountId: string, input: NewConnection): Promise<ProviderConnection> {
    if (!isUuid(accountId)) throw notFound('account');
    const given = parseInput(newConnectionSchema, input);
    const provider = this.#canonical(given.provider);
    const row = {
      id: randomUUID(),
      provider,
      name: given.name ?? this.#nameOf(provider),
      baseUrl: this.#baseUrl(given.baseUrl),
      options: plainOptions(given.options ?? []),
      region: given.region ?? null,
      trainsOnData: given.trainsOnData ?? null,
      retentionDays: given.retentionDays ?? null,
    };
    const credentials = { apiKey: given.apiKey ?? null, options: toRecord(given.secretOptions ?? []) };
    this.#requireOpenable(row, credentials);
    const sealed = sealCredentials(this.#dependencies.vault, credentials, accountId, row.id);
    const tested = given.test === true ? await this.#tested(settingsOf(row, credentials)) : null;
    if (tested?.testSucceeded === false && given.saveAnyway !== true) throw testRefused(tested.testMessage);
    return changeAccount(this.#dependencies, accountId, async (em) => {
      if ((await em.count(ProviderConnection, { account: accountId })) >= MAX_CONNECTIONS)
        throw new SluiceError('too_many_connections', { values: { limit: MAX_CONNECTIONS } });
      const now = new Date();
      const connection = em.create(ProviderConnection, {
        ...row,
        ...sealed,
        ...tested,
        active: tested?.testSucceeded !== false,
        account: em.getReference(Account, accountId),
        createdAt: now,
        updatedAt: now,
      });
      try {
        await em.persist(connection).flush();
      } catch (error) {
        if (!(error instanceof UniqueConstraintViolationException)) throw error;
        throw new SluiceError('already_connected', { values: { provider } });
      }
      return connection;
    });
  }

  /**
   * Absent members are unchanged; null removes a setting. Changing the destination requires the credentials again: credentials
   * that a caller cannot read must not be sent to a server of their choice. With `test` the new settings are tested first, and
   * nothing is saved if the test fails.
   * @throws SluiceError not_found | bad_user_input | outbound_refused | connection_test_failed
   */
  async update(accountId: string, id: string, input: ConnectionChange): Promise<ProviderConnection> {
    const change = parseInput(connectionChangeSchema, input);
    const baseUrl = change.baseUrl === undefined ? undefined : this.#baseUrl(change.baseUrl);
    const options = change.options === undefined ? undefined : plainOptions(change.options ?? []);
    const apply = (row: ProviderConnection): { readonly credentials: Credentials; readonly elsewhere: boolean } => {
      const elsewhere = changesDestination(row, baseUrl, options);
      if (elsewhere) requireAgain(row, change);
      if (change.name) row.name = change.name;
      if (baseUrl !== undefined) row.baseUrl = baseUrl;
      if (options !== undefined) row.options = options;
      // They were stated of the server before.
      if (elsewhere) applyTerms(row, noTerms);
      applyTerms(row, change);
      if (change.active !== undefined) row.active = change.active;
      const credentials = changedCredentials(this.#dependencies.vault, accountId, row, change);
      this.#requireOpenable(row, credentials);
      return { credentials, elsewhere };
    };
    // Before the transaction, because a provider may respond slowly.
    const tested = change.test === true ? await this.#testedChange(accountId, id, apply) : null;
    return changeAccount(this.#dependencies, accountId, async (em) => {
      const row = await find(em, accountId, id);
      const { credentials, elsewhere } = apply(row);
      // Encrypted again even if unchanged, because the master key may have been rotated.
      Object.assign(row, sealCredentials(this.#dependencies.vault, credentials, accountId, row.id));
      if (elsewhere || change.apiKey !== undefined || change.secretOptions !== undefined) Object.assign(row, untested);
      if (tested !== null) Object.assign(row, tested, { active: change.active ?? true });
      row.updatedAt = new Date();
      await em.flush();
      return row;
    });
  }

  /**
   * Tests the connection by listing the provider's models, and stores the result. An inactive connection that passes becomes
   * active.
   * @throws SluiceError not_found
   */
  async test(accountId: string, id: string): Promise<ProviderConnection> {
    const { database } = this.#dependencies;
    const row = await mapDatabaseErrors(() => find(database.em(), accountId, id));
    const outcome = await this.#testedRow(accountId, row);
    const store = async (em: EntityManager): Promise<ProviderConnection> => {
      // Only if it is unchanged since the test started.
      const tested = { id, account: accountId, sealedCredentials: row.sealedCredentials, baseUrl: row.baseUrl };
      await em.nativeUpdate(ProviderConnection, tested, {
        ...outcome,
        ...(outcome.testSucceeded && { active: true }),
      });
      return find(em, accountId, id);
    };
    return outcome.testSucceeded && !row.active
      ? changeAccount(this.#dependencies, accountId, store)
      : mapDatabaseErrors(() => store(database.em()));
  }

  /** Deletes it with its credentials. @throws SluiceError not_found */
  async disconnect(accountId: string, id: string): Promise<void> {
    await changeAccount(this.#dependencies, accountId, async (em) => {
      await em.remove(await find(em, accountId, id)).flush();
    });
  }

  /** The decrypted settings. @throws UnsealError */
  openSettings(accountId: string, row: ProviderConnection): OpenSettings {
    return settingsOf(row, openCredentials(this.#dependencies.vault, accountId, row));
  }

  async #testedRow(accountId: string, row: ProviderConnection): Promise<Tested> {
    let settings: OpenSettings;
    try {
      settings = this.openSettings(accountId, row);
    } catch (error) {
      if (!(error instanceof UnsealError)) throw error;
      const testMessage = 'The stored credentials can no longer be read: give them again.';
      return { testedAt: new Date(), testSucceeded: false, testMessage };
    }
    return this.#tested(settings);
  }

  async #tested(settings: OpenSettings): Promise<Tested> {
    const { succeeded, message } = await this.#tried(settings);
    return { testedAt: new Date(), testSucceeded: succeeded, testMessage: message };
  }

  async #tried(settings: OpenSettings): Promise<TestOutcome> {
    try {
      return testSucceeded(await this.#dependencies.opener.listModels(settings));
    } catch (error) {
      return testFailed(error, secretsIn(settings));
    }
  }

  /** @throws SluiceError connection_test_failed */
  async #testedChange(
    accountId: string,
    id: string,
    apply: (row: ProviderConnection) => { readonly credentials: Credentials },
  ): Promise<Tested> {
    const row = await mapDatabaseErrors(() => find(this.#dependencies.database.em(), accountId, id));
    const { credentials } = apply(row);
    const tested = await this.#tested(settingsOf(row, credentials));
    if (!tested.testSucceeded) throw testRefused(tested.testMessage);
    return tested;
  }

  #canonical(provider: string): string {
    return this.providers.find(({ alsoKnownAs }) => alsoKnownAs.includes(provider))?.id ?? provider;
  }

  #nameOf(provider: string): string {
    return this.providers.find(({ id }) => id === provider)?.name ?? provider;
  }

  /** @throws SluiceError outbound_refused | bad_user_input */
  #baseUrl(given: string | null | undefined): string | null {
    return given ? baseUrlText(this.#dependencies.guard.checkUrl(given, 'baseUrl')) : null;
  }

  /** @throws SluiceError bad_user_input | outbound_refused */
  #requireOpenable(row: Parameters<typeof settingsOf>[0], credentials: Credentials): void {
    const { opener, guard } = this.#dependencies;
    const own = this.providers.find(({ id }) => id === row.provider)?.baseUrl;
    // For a provider that is usually local, the default address is the operator's, not the account's.
    if (row.baseUrl === null && own) guard.checkUrl(own, 'baseUrl');
    const fault = opener.fault(settingsOf(row, credentials));
    if (fault !== null) throw new SluiceError('bad_user_input', { values: { reason: fault } });
  }
}

type Tested = { readonly testedAt: Date; readonly testSucceeded: boolean; readonly testMessage: string };

function testRefused(reason: string): SluiceError {
  return new SluiceError('connection_test_failed', { values: { reason } });
}

/** Includes options that are not secret, because they are not distinguished here. */
function secretsIn({ apiKey, options }: OpenSettings): string[] {
  return [apiKey, ...Object.values(options)].filter((value) => value !== null && value.length >= 8).map(String);
}

const untested = { testedAt: null, testSucceeded: null, testMessage: null };

type Destination = Pick<
  ProviderConnection,
  'id' | 'provider' | 'baseUrl' | 'options' | 'region' | 'trainsOnData' | 'retentionDays'
>;

function settingsOf(row: Destination, credentials: Credentials): OpenSettings {
  const { id, provider, baseUrl, options, region, trainsOnData, retentionDays } = row;
  return {
    id: connectionIdOf({ id, provider }),
    provider,
    region,
    trainsOnData,
    retentionDays,
    apiKey: credentials.apiKey,
    baseUrl,
    options: { ...options, ...credentials.options },
  };
}

/** The gateway's id of an account's connection. */
export function connectionIdOf({ id, provider }: Pick<ProviderConnection, 'id' | 'provider'>): string {
  return `${provider}:${id}`;
}

async function find(em: EntityManager, accountId: string, id: string): Promise<ProviderConnection> {
  const row = isUuid(id) ? await em.findOne(ProviderConnection, { id, account: accountId }) : null;
  if (row === null) throw notFound('provider connection');
  return row;
}

function notFound(what: string): SluiceError {
  return new SluiceError('not_found', { values: { what } });
}
