import type { RedactionRules } from './redaction/rules.ts';

/**
 * What is stored of a request besides its usage log, in ascending order: nothing; its shape (roles, sizes, counts, names of
 * tools, and type, size and hash of media), without text; or the redacted bodies of request and response.
 */
export const contentLevels = ['off', 'metadata', 'full'] as const;
export type ContentLevel = (typeof contentLevels)[number];

/** What is stored of the content of a request: its shape, without texts, or the redacted bodies. */
export type StoredLevel = Exclude<ContentLevel, 'off'>;

/** The content logging of a key and its account. */
export interface ContentSettings {
  /** The account's level, or the instance's default where it has none. */
  readonly account: ContentLevel;
  /** The key's level; null where it has none. */
  readonly key: ContentLevel | null;
  /** Whether an owner lets the key's level exceed the account's. */
  readonly keyMayRaise: boolean;
  /** Days from the request until its content is deleted. */
  readonly retentionDays: number;
  /** Whether the words of what is stored can be searched; they are stored unencrypted then. */
  readonly isSearchable: boolean;
  /** One object as long as the settings do not change, so that it can be compiled once. */
  readonly redaction: RedactionRules;
}

/** What decides the level of one request. */
export interface ContentPolicyInput {
  /** Absent for `off`. */
  readonly settings: ContentSettings | undefined;
  readonly hasZeroRetention: boolean;
  /** The header `x-sluice-log`; null without it. */
  readonly requested: ContentLevel | null;
}

/**
 * The level of one request. The account sets it, then the key, then the header, each of which can only lower it; the key can
 * also raise it where an owner allows that. With zero retention it is `off`.
 */
export function resolveContentLevel({ settings, hasZeroRetention, requested }: ContentPolicyInput): ContentLevel {
  if (hasZeroRetention || settings === undefined) return 'off';
  const { account, key, keyMayRaise } = settings;
  const configured = key === null ? account : keyMayRaise ? key : lower(account, key);
  return requested === null ? configured : lower(configured, requested);
}

/** Null for any other text. */
export function parseContentLevel(text: string): ContentLevel | null {
  const name = text.trim().toLowerCase();
  return contentLevels.find((level) => level === name) ?? null;
}

function lower(one: ContentLevel, other: ContentLevel): ContentLevel {
  return contentLevels.indexOf(one) < contentLevels.indexOf(other) ? one : other;
}
