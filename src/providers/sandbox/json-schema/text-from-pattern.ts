import type { SeededRandom } from '../text/seeded-random.ts';
import { pickCharacter } from './character-set.ts';
import { parsePattern, type PatternNode } from './pattern-syntax.ts';
import type { WorkBudget } from './work-budget.ts';

/** The maximum length of a generated text, in code points. */
const MAX_LENGTH = 4_096;
/**
 * The maximum number of nodes visited for one text, over all attempts: a hostile pattern ends here, after a few
 * milliseconds.
 */
const MAX_STEPS = 30_000;
/** Repetitions in addition to the minimum, tried in turn until the length fits. */
const EXTRA_TURNS = [3, 1, 0, 2, 5, 8, 13, 21, 34, 64, 128, 512, 2_048];

/**
 * A text that matches a regular expression, with `min` to `max` code points where possible. The expression is never
 * executed, so no pattern can cause back-tracking. `null` where the pattern cannot be parsed (see parsePattern) or
 * matches nothing.
 */
export function textFromPattern(
  pattern: string,
  random: SeededRandom,
  work: WorkBudget,
  min = 0,
  max = Infinity,
): string | null {
  work.remaining -= pattern.length;
  const node = parsePattern(pattern);
  if (!node) return null;
  const budget: WorkBudget = { remaining: Math.min(MAX_STEPS, work.remaining) };
  const initialBudget = budget.remaining;
  const text = bestFit(node, random, budget, (length) => length >= min && length <= max);
  work.remaining -= initialBudget - budget.remaining;
  return text;
}

function bestFit(
  node: PatternNode,
  random: SeededRandom,
  budget: WorkBudget,
  fits: (length: number) => boolean,
): string | null {
  let first: string | null = null;
  for (const extra of EXTRA_TURNS) {
    for (const exact of [false, true]) {
      const text = new PatternWriter(random, budget, extra, exact).write(node);
      if (text === null) continue;
      if (fits(Array.from(text).length)) return text;
      first ??= text;
    }
  }
  return first;
}

class PatternWriter {
  readonly #random: SeededRandom;
  readonly #budget: WorkBudget;
  readonly #extra: number;
  readonly #exact: boolean;

  constructor(random: SeededRandom, budget: WorkBudget, extra: number, exact: boolean) {
    this.#random = random;
    this.#budget = budget;
    this.#extra = extra;
    this.#exact = exact;
  }

  write(node: PatternNode): string | null {
    if ((this.#budget.remaining -= 1) < 0) return null;
    switch (node.kind) {
      case 'character':
        return pickCharacter(node.set, this.#random) ?? null;
      case 'sequence':
        return this.#all(node.parts.length, (index) => node.parts[index]);
      case 'choice':
        return this.#anyOf(node.options);
      case 'repeat': {
        const repetitions = node.min + (this.#exact ? this.#extra : this.#random.below(this.#extra + 1));
        return this.#all(Math.min(repetitions, node.max), () => node.node);
      }
    }
  }

  #anyOf(options: readonly PatternNode[]): string | null {
    for (const option of this.#random.shuffle(options)) {
      const text = this.write(option);
      if (text !== null) return text;
    }
    return null;
  }

  #all(count: number, part: (index: number) => PatternNode | undefined): string | null {
    let text = '';
    for (let index = 0; index < count; index += 1) {
      const node = part(index);
      const piece = node ? this.write(node) : null;
      if (piece === null || text.length + piece.length > MAX_LENGTH) return null;
      text += piece;
    }
    return text;
  }
}
