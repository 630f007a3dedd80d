import { systemClock, type Clock, type Timer } from '../../calendar/clock.ts';
import { SluiceError } from '../../errors/index.ts';
import type { KeyRecord } from '../../gateway/keys/key-directory.ts';
import type { MemoryKeyDirectory } from './key-directory.ts';

/** Node's timers are limited to 24 days. */
const MAX_TIMER_MS = 86_400_000;
const RETRY_MS = 1_000;

/**
 * Calls back once when a secret or token becomes invalid: it or its key is revoked, it expires, or its overlap after a
 * rotation ends. Checked again when the key changes, because its expiry may have changed.
 * @returns a function that stops watching
 */
export function watchSecret(
  directory: Pick<MemoryKeyDirectory, 'find' | 'onRevoked' | 'onChanged'>,
  secret: string,
  found: KeyRecord,
  onEnd: () => void,
  clock: Clock = systemClock,
): () => void {
  let timer: Timer | undefined;
  let stopped = false;
  const stop = (): void => {
    stopped = true;
    timer?.cancel();
    stopRevoked();
    stopChanged();
  };
  const end = (): void => {
    if (stopped) return;
    stop();
    onEnd();
  };
  const lookAt = (expiresAt: number | null): void => {
    timer?.cancel();
    if (stopped || expiresAt === null) return;
    const left = Math.max(expiresAt - clock.now(), 0);
    timer = clock.setTimeout(() => void look(), Math.min(left, MAX_TIMER_MS)).unref();
  };
  const look = async (): Promise<void> => {
    try {
      lookAt((await directory.find(secret)).expiresAt);
    } catch (error) {
      if (stopped) return;
      // If the database is unavailable, nothing is known about the secret.
      if (error instanceof SluiceError && error.status === 401) end();
      else lookAt(clock.now() + RETRY_MS);
    }
  };
  const isOf = (id: string): boolean => id === found.id || found.revokedWithIds?.includes(id) === true;
  const stopRevoked = directory.onRevoked((id) => (isOf(id) ? end() : undefined));
  const stopChanged = directory.onChanged((id) => (isOf(id) ? void look() : undefined));
  lookAt(found.expiresAt);
  return stop;
}
