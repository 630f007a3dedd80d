import { SINCE, type ChangeWatch } from '../../database/change-watch.ts';
import type { StorageLog } from '../../database/log.ts';
import type { KnownMasterKeys } from './master-key-rows.ts';

/** Encrypts with another key from when a rotation activates it, which takes another process. */
export function watchActivation(
  changes: Pick<ChangeWatch, 'add'>,
  { keys }: Pick<KnownMasterKeys, 'keys'>,
  log: Pick<StorageLog, 'error'>,
): void {
  changes.add<{ version: number; activated_ms: number }>({
    select: `select version, (extract(epoch from activated_at) * 1000)::float8 as activated_ms
      from master_key_versions where activated_at > ${SINCE}`,
    changed: ({ version, activated_ms: activatedMs }) => {
      if (version <= keys.current.version) return;
      if (keys.find(version) === null)
        return log.error(
          { version },
          'a rotation activated a master key that this process does not know, so it cannot read what others encrypt; restart it with SLUICE_SECRET and SLUICE_SECRET_PREVIOUS',
        );
      keys.activate(version, activatedMs);
    },
  });
}
