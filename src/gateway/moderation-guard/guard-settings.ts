/** What becomes of what is flagged: it does not pass, or the answer says so. */
export type GuardAction = 'block' | 'annotate';

/** A moderation model before and behind chats, as a route or a key has it. */
export interface GuardSettings {
  readonly model: string;
  /** What the user says. */
  readonly input: boolean;
  /** What the answer says. */
  readonly output: boolean;
  readonly action: GuardAction;
  /** Whether `model` is what the operator calls so: an account's own route of that name does not stand in for it. */
  readonly operators: boolean;
}

/** As it is configured. */
export interface GuardRules {
  readonly model: string;
  /** Both where absent. */
  readonly check?: readonly ('input' | 'output')[] | undefined;
  readonly action: GuardAction;
}

export function toGuardSettings({ model, check, action }: GuardRules, operators: boolean): GuardSettings {
  const has = (what: 'input' | 'output'): boolean => check === undefined || check.includes(what);
  return { model, input: has('input'), output: has('output'), action, operators };
}

/** All that holds, each once; null for none. */
export function guardsOf(
  ...given: readonly (readonly GuardSettings[] | GuardSettings | null | undefined)[]
): readonly GuardSettings[] | null {
  const byContent = new Map<string, GuardSettings>();
  for (const settings of given.flat()) if (settings) byContent.set(JSON.stringify(settings), settings);
  return byContent.size === 0 ? null : [...byContent.values()];
}
