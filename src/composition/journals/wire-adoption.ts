import { resolve } from 'node:path';
import type { Logger } from 'pino';
import type { Environment } from '../../config/environment.ts';
import { DroppedContents } from '../../services/content-log/dropped-contents.ts';
import type { Foundation } from '../foundation.ts';
import type { WiredGateway } from '../gateway/wire-gateway.ts';
import { AbandonedInstances } from './abandoned-instances.ts';
import { blobFolder } from '../storage.ts';
import { adoptInstance } from './adopt-instance.ts';
import { moveFiles } from './move-files.ts';
import { recountEach } from './recount-each.ts';

/** Null where instances share no folder, and in all workers but the first. */
export function wireAdoption(
  { SLUICE_INSTANCES_DIR: parent }: Pick<Environment, 'SLUICE_INSTANCES_DIR'>,
  { database, dataDir, supervisor }: Foundation,
  { usageStore, budgets, redis }: Pick<WiredGateway, 'usageStore' | 'budgets' | 'redis'>,
  log: Logger,
): AbandonedInstances | null {
  if (parent === undefined || (supervisor !== null && supervisor.slot !== 0)) return null;
  const drops = new DroppedContents({ database, log });
  const dependencies = {
    database,
    usage: usageStore,
    drops,
    claims: redis.abandonedClaims,
    moveFiles: async (folder: string) =>
      moveFiles(blobFolder(folder), blobFolder(dataDir)).catch((err: unknown) => {
        log.error({ err, folder: blobFolder(folder) }, 'the files of an instance that ended could not be moved');
        return 0;
      }),
    recount: (accountIds: ReadonlySet<string>) => recountEach(accountIds, (id) => budgets.cache.recount(id)),
    onCorrupt: (row: string, err: unknown) =>
      log.error({ row, err }, 'a record of an adopted journal is corrupt and is skipped'),
  };
  return new AbandonedInstances({
    parent: resolve(parent),
    own: dataDir,
    adopt: (folder, signal) => adoptInstance(folder, dependencies, { signal }),
    log,
  });
}
