import { randomUUID } from 'node:crypto';
import { UniqueConstraintViolationException } from '@mikro-orm/core';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { Database } from '../../database/database.ts';
import { Account, ProviderConnection } from '../../database/entities/index.ts';
import { SluiceError } from '../../errors/index.ts';
import type { OutboundGuard } from '../../outbound/guard.ts';
import { mapDatabaseErrors } from '../database-availability.ts';
import { parseInput } from '../keys/key-input.ts';
import { isUuid } from '../uuid.ts';
import { changeAccount, type ConnectionCache } from './account-change.ts';
import {
  badInput,
  baseUrlText,
  connectionChangeSchema,
  hintOf,
  newConnectionSchema,
  noCredentials,
  plainOptions,
  readCredentials,
  toRecord,
  type ConnectionChange,
  type Credentials,
  type NewConnection,
} from './connection-input.ts';
import type { ConnectableProvider, ConnectionOpener, OpenSettings } from './connection-opener.ts';
import { UnsealError, type CredentialVault } from './credential-vault.ts';
import { testFailed, testSucceeded, type TestOutcome } from './test-outcome.ts';

const MAX_CONNECTIONS = 50;

/** Whoever keeps connections open. */
export interface ReadyConnectionCache extends ConnectionCache {
  /** Waits until an account's connections can be used; undefined where they can. @throws SluiceError database_unavailable, as the promise's rejection */
  ready(accountId: string): Promise<void> | undefined;
}

export interface ConnectionsServiceParts {
  readonly database: Database;
  readonly vault: CredentialVault;
  readonly guard: OutboundGuard;
  readonly opener: ConnectionOpener;
  readonly connectionCache: ReadyConnectionCache;
}

/**
 * An account's own connections to providers. Their credentials go in and never come out. Another account's connection is not
 * found. Every method also throws SluiceError database_unavailable.
 */
export class ConnectionsService {
  readonly #parts: ConnectionsServiceParts;

  constructor(parts: ConnectionsServiceParts) {
    this.#parts = parts;
  }

  /** What can be connected by name. Beyond it, anything that speaks OpenAI's API and is given a base URL. */
  get providers(): readonly ConnectableProvider[] {
    return this.#parts.opener.providers;
  }

  /** Waits until the account's connections can be used. @throws SluiceError database_unavailable */
  async ready(accountId: string): Promise<void> {
    await this.#parts.connectionCache.ready(accountId);
  }

  /** By provider. */
  list(accountId: string): Promise<ProviderConnection[]> {
    return mapDatabaseErrors(() =>
      this.#parts.database.em().find(ProviderConnection, { account: accountId }, { orderBy: { provider: 'asc' } }),
    );
  }

  /**
   * With `test` the provider is asked first: where that fails nothing is saved, or an inactive connection with `saveAnyway`.
   * @throws SluiceError bad_user_input | outbound_refused | already_connected | too_many_connections | not_found | connection_test_failed
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
    };
    const credentials = { apiKey: given.apiKey ?? null, options: toRecord(given.secretOptions ?? []) };
    this.#requireOpenable(row, credentials);
    const sealed = this.#sealed(credentials, accountId, row.id);
    const tested = given.test === true ? await this.#tested(settingsOf(row, credentials)) : null;
    if (tested?.testSucceeded === false && given.saveAnyway !== true) throw testRefused(tested.testMessage);
    return changeAccount(this.#parts, accountId, async (em) => {
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
   * An absent member stays as it is; null takes it away. Whoever changes where a connection leads gives its credentials
   * again: what cannot be read must not be sent elsewhere either. With `test` the provider is asked with what would be saved,
   * and nothing is saved where that fails.
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
      if (change.active !== undefined) row.active = change.active;
      const credentials = this.#changed(accountId, row, change);
      this.#requireOpenable(row, credentials);
      return { credentials, elsewhere };
    };
    // Before the transaction: a provider takes as long as it likes.
    const tested = change.test === true ? await this.#testedChange(accountId, id, apply) : null;
    return changeAccount(this.#parts, accountId, async (em) => {
      const row = await find(em, accountId, id);
      const { credentials, elsewhere } = apply(row);
      // Anew also where nothing of it changed: the master key may be another by now.
      Object.assign(row, this.#sealed(credentials, accountId, row.id));
      if (elsewhere || change.apiKey !== undefined || change.secretOptions !== undefined) Object.assign(row, untested);
      if (tested !== null) Object.assign(row, tested, { active: change.active ?? true });
      row.updatedAt = new Date();
      await em.flush();
      return row;
    });
  }

  /**
   * Asks the provider for its models, and keeps how that went. An inactive connection that answers becomes active.
   * @throws SluiceError not_found
   */
  async test(accountId: string, id: string): Promise<ProviderConnection> {
    const { database } = this.#parts;
    const row = await mapDatabaseErrors(() => find(database.em(), accountId, id));
    const outcome = await this.#testedRow(accountId, row);
    const keep = async (em: EntityManager): Promise<ProviderConnection> => {
      // Of what was tested: it may have changed meanwhile, or be gone.
      const tested = { id, account: accountId, sealedCredentials: row.sealedCredentials, baseUrl: row.baseUrl };
      await em.nativeUpdate(ProviderConnection, tested, {
        ...outcome,
        ...(outcome.testSucceeded && { active: true }),
      });
      return find(em, accountId, id);
    };
    return outcome.testSucceeded && !row.active
      ? changeAccount(this.#parts, accountId, keep)
      : mapDatabaseErrors(() => keep(database.em()));
  }

  /** Removes it with its credentials. @throws SluiceError not_found */
  async disconnect(accountId: string, id: string): Promise<void> {
    await changeAccount(this.#parts, accountId, async (em) => {
      await em.remove(await find(em, accountId, id)).flush();
    });
  }

  /** All that a connection is opened with. @throws SealBroken */
  openSettings(accountId: string, row: ProviderConnection): OpenSettings {
    return settingsOf(row, this.#opened(accountId, row));
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
      return testSucceeded(await this.#parts.opener.listModels(settings));
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
    const row = await mapDatabaseErrors(() => find(this.#parts.database.em(), accountId, id));
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
    return given ? baseUrlText(this.#parts.guard.checkUrl(given, 'baseUrl')) : null;
  }

  /** @throws SluiceError bad_user_input | outbound_refused */
  #requireOpenable(row: Parameters<typeof settingsOf>[0], credentials: Credentials): void {
    const { opener, guard } = this.#parts;
    const own = this.providers.find(({ id }) => id === row.provider)?.baseUrl;
    // A server that is usually local: its usual address is the operator's, not the account's.
    if (row.baseUrl === null && own) guard.checkUrl(own, 'baseUrl');
    const fault = opener.fault(settingsOf(row, credentials));
    if (fault !== null) throw new SluiceError('bad_user_input', { values: { reason: fault } });
  }

  /** @throws SluiceError bad_user_input where what shall stay cannot be read */
  #changed(accountId: string, row: ProviderConnection, change: ConnectionChange): Credentials {
    const { apiKey, secretOptions } = change;
    const given = secretOptions === undefined ? undefined : toRecord(secretOptions ?? []);
    if (apiKey !== undefined && given !== undefined) return { apiKey, options: given };
    try {
      const old = this.#opened(accountId, row);
      return { apiKey: apiKey === undefined ? old.apiKey : apiKey, options: given ?? old.options };
    } catch (error) {
      if (!(error instanceof UnsealError)) throw error;
      throw badInput(
        apiKey === undefined ? 'apiKey' : 'secretOptions',
        'must be given again: it can no longer be read',
      );
    }
  }

  #opened(accountId: string, row: ProviderConnection): Credentials {
    if (row.sealedCredentials === null) return noCredentials;
    return readCredentials(this.#parts.vault.open(row.sealedCredentials, { accountId, rowId: row.id }));
  }

  #sealed(credentials: Credentials, accountId: string, rowId: string) {
    const secretOptionNames = Object.keys(credentials.options);
    const empty = credentials.apiKey === null && secretOptionNames.length === 0;
    return {
      sealedCredentials: empty ? null : this.#parts.vault.seal(JSON.stringify(credentials), { accountId, rowId }),
      credentialHint: hintOf(credentials.apiKey),
      secretOptionNames,
    };
  }
}

type Tested = { readonly testedAt: Date; readonly testSucceeded: boolean; readonly testMessage: string };

function testRefused(reason: string): SluiceError {
  return new SluiceError('connection_test_failed', { values: { reason } });
}

/** Options that are no secrets are removed too: which is one is not told apart here. */
function secretsIn({ apiKey, options }: OpenSettings): string[] {
  return [apiKey, ...Object.values(options)].filter((value) => value !== null && value.length >= 8).map(String);
}

const untested = { testedAt: null, testSucceeded: null, testMessage: null };

function settingsOf(
  { id, provider, baseUrl, options }: Pick<ProviderConnection, 'id' | 'provider' | 'baseUrl' | 'options'>,
  credentials: Credentials,
): OpenSettings {
  return {
    id: connectionIdOf({ id, provider }),
    provider,
    apiKey: credentials.apiKey,
    baseUrl,
    options: { ...options, ...credentials.options },
  };
}

/** How the gateway names an account's connection. */
export function connectionIdOf({ id, provider }: Pick<ProviderConnection, 'id' | 'provider'>): string {
  return `${provider}:${id}`;
}

/** Options too: some are part of the host. */
function changesDestination(
  row: ProviderConnection,
  baseUrl: string | null | undefined,
  options: Readonly<Record<string, string>> | undefined,
): boolean {
  if (baseUrl !== undefined && baseUrl !== row.baseUrl) return true;
  if (options === undefined) return false;
  const names = new Set([...Object.keys(options), ...Object.keys(row.options)]);
  return [...names].some((name) => options[name] !== row.options[name]);
}

/** @throws SluiceError bad_user_input */
function requireAgain(row: ProviderConnection, change: ConnectionChange): void {
  if (row.credentialHint !== null && change.apiKey === undefined)
    throw badInput('apiKey', 'must be given again, since the connection would lead elsewhere');
  if (row.secretOptionNames.length > 0 && change.secretOptions === undefined)
    throw badInput('secretOptions', 'must be given again, since the connection would lead elsewhere');
}

async function find(em: EntityManager, accountId: string, id: string): Promise<ProviderConnection> {
  const row = isUuid(id) ? await em.findOne(ProviderConnection, { id, account: accountId }) : null;
  if (row === null) throw notFound('provider connection');
  return row;
}

function notFound(what: string): SluiceError {
  return new SluiceError('not_found', { values: { what } });
}
