import { SINCE, type ChangeWatch } from '../../database/change-watch.ts';
import type { KnownMasterKeys } from './master-key-rows.ts';

/** Encrypts with the pending key from when a rotation activates it, which takes another process. */
export function watchActivation(changes: Pick<ChangeWatch, 'add'>, { keys, pending }: KnownMasterKeys): void {
  if (pending === null) return;
  const stop = changes.add<{ version: number; activated_ms: number }>({
    select: `select version, (extract(epoch from activated_at) * 1000)::float8 as activated_ms
      from master_key_versions where activated_at > ${SINCE}`,
    changed: ({ version, activated_ms: activatedMs }) => {
      if (version !== pending) return;
      keys.activate(version, activatedMs);
      stop();
    },
  });
}
