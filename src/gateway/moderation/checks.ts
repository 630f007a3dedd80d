import { SluiceError } from '../../errors/index.ts';
import type { Finding, ModerationInput } from '../capabilities/moderation-support.ts';
import type { ModerationSettings } from '../keys/moderation-settings.ts';
import type { Moderator } from './moderator.ts';

/** @throws SluiceError content_flagged | moderation_unavailable, or the limit of the key that is reached */
export async function requirePass(
  moderator: Moderator,
  what: 'input' | 'output',
  all: readonly ModerationSettings[],
  input: ModerationInput,
): Promise<void> {
  await Promise.all(
    all.map(async (settings) => {
      const found = await moderator.moderate(settings, input);
      if (found.length === 0) return;
      const values = { what, model: settings.model, categories: found.join(', ') };
      throw new SluiceError('content_flagged', { values, ...(what === 'input' && { param: 'messages' }) });
    }),
  );
}

/** Null where one of the checks failed. */
export async function findCategories(
  moderator: Moderator,
  all: readonly ModerationSettings[],
  input: ModerationInput,
): Promise<Finding> {
  try {
    const found = await Promise.all(all.map((settings) => moderator.moderate(settings, input)));
    return [...new Set(found.flat())];
  } catch {
    return null;
  }
}

/** An incomplete check counts as failed. */
export function joinFindings(before: Finding | undefined, found: Finding): Finding {
  return before === null || found === null ? null : [...new Set([...(before ?? []), ...found])];
}

/** As the response head and annotations show it. */
export function formatFinding(found: Finding): string {
  return found === null ? 'unavailable' : found.length === 0 ? 'none' : found.join(',');
}
