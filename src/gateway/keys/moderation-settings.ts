/** The action on flagged content: reject it, or annotate the response. */
export type ModerationAction = 'block' | 'annotate';

/** Moderation of chats by a model, as configured for a route or a key. */
export interface ModerationSettings {
  readonly model: string;
  /** Whether user messages are moderated. */
  readonly input: boolean;
  /** Whether the output is moderated. */
  readonly output: boolean;
  readonly action: ModerationAction;
  /** Whether `model` resolves to the operator's models and routes, not to an account's own route of the same name. */
  readonly operators: boolean;
}

/** The configured form. */
export interface ModerationRules {
  readonly model: string;
  /** Both if absent. */
  readonly check?: readonly ('input' | 'output')[] | undefined;
  readonly action: ModerationAction;
}

export function toModerationSettings(
  { model, check, action }: ModerationRules,
  operators: boolean,
): ModerationSettings {
  const has = (what: 'input' | 'output'): boolean => check === undefined || check.includes(what);
  return { model, input: has('input'), output: has('output'), action, operators };
}

/** All settings without duplicates; null for none. */
export function distinctSettings(
  ...sources: readonly (readonly ModerationSettings[] | ModerationSettings | null | undefined)[]
): readonly ModerationSettings[] | null {
  const byContent = new Map<string, ModerationSettings>();
  for (const settings of sources.flat()) if (settings) byContent.set(JSON.stringify(settings), settings);
  return byContent.size === 0 ? null : [...byContent.values()];
}
