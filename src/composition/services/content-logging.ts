import type { Environment } from '../../config/environment.ts';
import { redactionEngine } from '../../gateway/content/redaction/redaction-engine.ts';
import { ContentLoggingService } from '../../services/accounts/content-logging.service.ts';
import type { Foundation } from '../foundation.ts';
import type { WiredKeys } from '../gateway/keys.ts';

/** Which content of requests is stored, as accounts set it. */
export function wireContentLogging(
  { database }: Pick<Foundation, 'database'>,
  { directory }: Pick<WiredKeys, 'directory'>,
  { SLUICE_STORE_CONTENT: defaultLevel }: Pick<Environment, 'SLUICE_STORE_CONTENT'>,
): ContentLoggingService {
  const changed = (accountId: string): void => directory.evictAccount(accountId);
  return new ContentLoggingService({ database, defaultLevel, engine: redactionEngine, changed });
}
