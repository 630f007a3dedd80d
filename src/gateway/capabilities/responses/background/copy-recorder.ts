import type { ProviderCopy } from '../provider-copies.ts';
import type { PreparedRun } from './run-request.ts';

/** Stores what a provider stores of a run, each copy once. @returns stores the current one, if there is one */
export function copyRecorder(
  run: Pick<PreparedRun, 'copy'>,
  store: (copy: ProviderCopy) => Promise<void>,
): () => Promise<void> {
  let storedId: string | null = null;
  return async () => {
    const copy = run.copy?.() ?? null;
    if (copy === null || copy.id === storedId) return;
    await store(copy);
    storedId = copy.id;
  };
}
