import type { Logger } from 'pino';
import type { Environment } from '../../config/environment.ts';
import type { RedisSettings } from '../../config/redis/redis-settings.ts';
import type { WiredProviders } from './providers.ts';
import type { Database } from '../../database/database.ts';
import { toGlobalId } from '../../graphql/relay/global-id.ts';
import type { JobQueue } from '../../jobs/job-queue.ts';
import { warnOfExpiry } from '../../services/keys/jobs.ts';
import { AccessTokenSigner } from '../../services/keys/secrets/access-token.ts';
import { AccessTokensService } from '../../services/keys/access-tokens.service.ts';
import { ExpiryWarnings } from '../../services/keys/expiry-warnings.ts';
import { MemoryKeyDirectory } from '../../services/keys/key-directory.ts';
import type { KeyConfiguration } from '../../services/keys/key-records.ts';
import { KeysService, type ChangedKey } from '../../services/keys/keys.service.ts';
import { KeyPepper } from '../../services/keys/secrets/pepper.ts';
import { watchKeyChanges } from '../../services/keys/watch-key-changes.ts';
import type { MasterKeys } from '../../secrets/master-keys.ts';
import type { ModelNames } from '../../services/model-names.ts';
import type { WebhooksService } from '../../services/webhooks/webhooks.service.ts';

export interface KeysOptions extends KeyConfiguration {
  readonly database: Database;
  readonly masterKeys: MasterKeys;
  /** Peppers of master keys that are not known any more, by version. */
  readonly retiredPeppers: ReadonlyMap<number, Buffer>;
  /** Null without `REDIS_URL`. */
  readonly redis: RedisSettings | null;
  readonly models: ModelNames;
  readonly log: Pick<Logger, 'warn'>;
}

export interface WiredKeys {
  readonly directory: MemoryKeyDirectory;
  readonly service: KeysService;
  readonly tokens: AccessTokensService;
  /** Sends webhooks for keys that will expire. Call it before the job queue starts. */
  warn(jobs: JobQueue, webhooks: Pick<WebhooksService, 'publish'>): void;
  close(): void;
}

/** Wires API keys: their directory, their service, and the notification of other processes. */
export async function wireKeys(options: KeysOptions): Promise<WiredKeys> {
  const { database, masterKeys, redis, log, defaults, plans, restriction, contentDefault, models } = options;
  const pepper = new KeyPepper(masterKeys, options.retiredPeppers);
  const signer = new AccessTokenSigner(masterKeys);
  const directory = new MemoryKeyDirectory({
    database,
    pepper,
    tokens: signer,
    defaults,
    plans,
    restriction,
    contentDefault,
  });
  const others = redis === null ? null : await notifyThroughRedis(redis, directory, log);
  const announce = (changed: ChangedKey): void => others?.publish(changed);
  const service = new KeysService({ database, pepper, directory, announce, plans, models });
  const stopWatching = watchKeyChanges(database.changes, directory);
  const tokenRevoked = (id: string): void => {
    others?.publish({ id, revoked: true });
    directory.revoked(id);
  };
  return {
    directory,
    service,
    tokens: new AccessTokensService(database, service, signer, tokenRevoked),
    warn: (jobs, webhooks) => {
      const publish: WebhooksService['publish'] = (accountId, event) => webhooks.publish(accountId, event);
      warnOfExpiry(jobs, new ExpiryWarnings({ database, publish, publicId: toGlobalId }));
    },
    close: () => {
      stopWatching();
      others?.close();
    },
  };
}

/** Parts of key records that depend on the current configuration. */
export function keyConfiguration(
  { SMTP_URL: smtpUrl, SLUICE_STORE_CONTENT: contentDefault }: Pick<Environment, 'SMTP_URL' | 'SLUICE_STORE_CONTENT'>,
  providers: Pick<WiredProviders, 'current'>,
): Required<KeyConfiguration> {
  return {
    defaults: () => providers.current.limits,
    plans: () => providers.current.plans,
    contentDefault,
    // A new account needs a verified address if mail can be sent, else the approval of the operator.
    restriction: () => {
      if (smtpUrl !== undefined) return 'verification';
      return providers.current.signUpSpending === 'allow' ? null : 'approval';
    },
  };
}

/** The Redis client is loaded only if it is used. */
async function notifyThroughRedis(
  servers: RedisSettings,
  directory: MemoryKeyDirectory,
  log: KeysOptions['log'],
): Promise<{ publish(changed: ChangedKey): void; close(): void }> {
  const { RedisKeyChanges } = await import('../../storage/redis-key-changes.ts');
  const changes = new RedisKeyChanges(servers, log);
  changes.open(({ id, revoked }) => (revoked ? directory.revoked(id) : directory.evict(id)));
  return changes;
}
