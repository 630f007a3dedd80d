import type { Clock } from '../../../calendar/clock.ts';
import { nearestNames } from '../../../catalogue/nearest-name.ts';
import { bareName } from '../../keys/model-directory.ts';
import { namesOf, type AvailableNames } from './model-listings.ts';
import { isPattern } from '../name-patterns.ts';

const MAX_SUGGESTIONS = 3;
/** Shorter names begin too many others. */
const MIN_PREFIX_LENGTH = 3;
/**
 * Names that are compared in a second: a comparison takes about 2 µs, and requests with unknown models have no rate limit. The
 * rest of the second gets no suggestions.
 */
const MAX_COMPARED_PER_SECOND = 50_000;
const SECOND_MS = 1_000;

/** Finds names that a client may have meant. */
export class SimilarModels {
  readonly #clock: Clock;
  #since = -Infinity;
  #compared = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** At most three names, the most similar first. */
  to(name: string, available: AvailableNames, isAllowed: (name: string) => boolean): readonly string[] {
    const ids = available.set.list().map(({ id }) => id);
    const allowed = [...namesOf(available), ...ids].filter(
      (each) => each !== name && !isPattern(each) && isAllowed(each),
    );
    if (!this.#hasTime(allowed.length)) return [];
    const found = new Set([...sameModel(name, allowed), ...nearestNames(name, allowed, MAX_SUGGESTIONS)]);
    if (!name.includes('/')) for (const id of nearestBare(name, allowed)) found.add(id);
    for (const id of beginningAlike(name, allowed)) found.add(id);
    return [...found].slice(0, MAX_SUGGESTIONS);
  }

  #hasTime(names: number): boolean {
    const now = this.#clock.monotonic();
    if (now - this.#since >= SECOND_MS) [this.#since, this.#compared] = [now, 0];
    this.#compared += names;
    return this.#compared <= MAX_COMPARED_PER_SECOND;
  }
}

/** `openai/gpt-5.5` for `anthropic/gpt-5.5`, and for `GPT-5.5`. */
function sameModel(name: string, allowed: readonly string[]): string[] {
  const own = (name.includes('/') ? bareName(name) : name).toLowerCase();
  return own === '' ? [] : allowed.filter((id) => bareName(id).toLowerCase() === own);
}

/** Canonical ids for a name without a provider. */
function nearestBare(name: string, allowed: readonly string[]): string[] {
  const idOf = new Map<string, string>();
  for (const id of allowed) if (id.includes('/') && !idOf.has(bareName(id))) idOf.set(bareName(id), id);
  return nearestNames(name, idOf.keys(), MAX_SUGGESTIONS).flatMap((bare) => idOf.get(bare) ?? []);
}

/** `openai/gpt-5.5` for `gpt-5` and for `openai/gpt-5.5-large`: the shortest first. */
function beginningAlike(name: string, allowed: readonly string[]): string[] {
  const typed = name.toLowerCase();
  if (bareName(typed).length < MIN_PREFIX_LENGTH) return [];
  const alike = allowed.filter((id) => {
    const whole = id.toLowerCase();
    const names = [whole, bareName(whole)];
    return names.some((each) => each.startsWith(typed) || typed.startsWith(`${each}-`));
  });
  return alike.toSorted((a, b) => a.length - b.length);
}
