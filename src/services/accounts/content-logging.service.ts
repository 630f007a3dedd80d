import type { EntityManager } from '@mikro-orm/postgresql';
import type { Database } from '../../database/database.ts';
import type { Account } from '../../database/entities/index.ts';
import { SluiceError } from '../../errors/index.ts';
import type { ContentLevel } from '../../gateway/content/content-level.ts';
import type { RedactionCounts, RedactionRules } from '../../gateway/content/redaction/rules.ts';
import { mapDatabaseErrors } from '../database-availability.ts';
import { parseInput } from '../parse-input.ts';
import { lockAccount } from './account-lock.ts';
import {
  contentLoggingSchema,
  defaultRedaction,
  redactionSchema,
  type ContentLoggingChange,
} from './content-settings.ts';

/** The engine that redacts content. */
export interface RedactionEngine {
  /** The first custom pattern that cannot be used, and why; null if all can. */
  fault(patterns: RedactionRules['customPatterns']): { readonly index: number; readonly reason: string } | null;
  redactText(rules: RedactionRules, text: string): { readonly text: string; readonly counts: RedactionCounts };
}

export interface ContentLoggingDependencies {
  readonly database: Database;
  /** The level of accounts that do not set it. */
  readonly defaultLevel: ContentLevel;
  readonly engine: RedactionEngine;
  /** Called synchronously when the settings of an account may have changed. */
  readonly changed: (accountId: string) => void;
}

/** The content logging of an account. */
export interface ContentLogging {
  /** Null for the instance's default. */
  readonly level: ContentLevel | null;
  readonly defaultLevel: ContentLevel;
  readonly retentionDays: number;
  readonly redaction: RedactionRules;
  /** Whether the words of content are stored for search, unencrypted. */
  readonly search: boolean;
}

/** UTF-16 code units of a text to try redaction with. */
const MAX_SAMPLE_LENGTH = 10_000;
/** Marks the keys as changed for other processes. */
const DELETE_TEXTS = 'delete from logged_texts where account_id = ?';
const CHANGED_KEYS = 'update api_keys set changed_at = clock_timestamp() where account_id = ?';

/** Which content of an account's requests is stored. Every method that reads rows also throws database_unavailable. */
export class ContentLoggingService {
  readonly #dependencies: ContentLoggingDependencies;

  constructor(dependencies: ContentLoggingDependencies) {
    this.#dependencies = dependencies;
  }

  of(
    account: Pick<Account, 'contentLevel' | 'contentRetentionDays' | 'contentRedaction' | 'contentSearch'>,
  ): ContentLogging {
    return {
      level: account.contentLevel,
      defaultLevel: this.#dependencies.defaultLevel,
      retentionDays: account.contentRetentionDays,
      redaction: account.contentRedaction ?? defaultRedaction,
      search: account.contentSearch,
    };
  }

  /**
   * Applies to requests that begin afterwards; a shorter retention also to stored content. Without search, or with the level
   * `off`, what was stored for search is deleted.
   * @throws SluiceError bad_user_input | not_found
   */
  async update(accountId: string, input: ContentLoggingChange): Promise<Account> {
    const { database, changed } = this.#dependencies;
    const { level, retentionDays, redaction, search } = parseInput(contentLoggingSchema, input);
    if (redaction) this.#requireUsable(redaction);
    try {
      return await mapDatabaseErrors(() =>
        database.em().transactional(async (em) => {
          const account = await lockAccount(em, accountId);
          if (level !== undefined) account.contentLevel = level;
          if (retentionDays !== undefined && retentionDays !== null) account.contentRetentionDays = retentionDays;
          if (redaction !== undefined && redaction !== null) account.contentRedaction = redaction;
          await this.#changeSearch(em, account, search ?? null);
          await em.execute(CHANGED_KEYS, [accountId]);
          return account;
        }),
      );
    } finally {
      // Also after an error: the change may have been committed.
      changed(accountId);
    }
  }

  /** Redacts a sample as content would be. @throws SluiceError bad_user_input */
  preview(input: RedactionRules, text: string): { readonly text: string; readonly counts: RedactionCounts } {
    const rules = parseInput(redactionSchema, input);
    this.#requireUsable(rules);
    if (text.length > MAX_SAMPLE_LENGTH) throw badInput('text', `it must have at most ${MAX_SAMPLE_LENGTH} characters`);
    return this.#dependencies.engine.redactText(rules, text);
  }

  /** Search ends with the logging of content; what was stored for it is deleted. */
  async #changeSearch(em: EntityManager, account: Account, search: boolean | null): Promise<void> {
    const isOff = (account.contentLevel ?? this.#dependencies.defaultLevel) === 'off';
    if (search === true && isOff) throw badInput('search', 'content logging is off; select a level first');
    const wanted = (search ?? account.contentSearch) && !isOff;
    if (account.contentSearch && !wanted) await em.execute(DELETE_TEXTS, [account.id]);
    account.contentSearch = wanted;
  }

  #requireUsable({ customPatterns }: RedactionRules): void {
    const fault = this.#dependencies.engine.fault(customPatterns);
    if (fault !== null) throw badInput(`redaction.customPatterns.${fault.index}`, fault.reason);
  }
}

function badInput(param: string, reason: string): SluiceError {
  return new SluiceError('bad_user_input', { param, values: { reason: `${param}: ${reason}` } });
}
