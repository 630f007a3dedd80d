import { z } from 'zod';
import { UNPRICED } from '../../catalogue/catalogue.ts';
import type { Database } from '../../database/database.ts';
import type { Mail } from '../../mail/mail.ts';
import { shownName } from '../../mail/shown-name.ts';
import { billingContacts } from '../billing/billing-contacts.ts';

/** Accounts and models that were told of, in this process. */
const MAX_ENTRIES = 10_000;
/** Names of models are a caller's text: no caller has an account's owners written to without end. */
const MAX_PER_ACCOUNT = 5;

const rowForm = z.looseObject({
  account_id: z.string(),
  model: z.string(),
  price_version: z.string(),
  status: z.string(),
});

export interface UnpricedWarningsParts {
  readonly database: Pick<Database, 'query'>;
  readonly send: (mail: Mail) => Promise<void>;
  readonly warn: (fields: { readonly account: string; readonly model: string }, message: string) => void;
  /** Told why owners could not be written to. */
  readonly onFault: (error: unknown) => void;
}

/**
 * Warns whoever looks after an account's money that a model ran whose price is not known: its requests count as nothing. Once for
 * each model of an account while this process lives, and five models of an account at most.
 */
export class UnpricedWarnings {
  readonly #parts: UnpricedWarningsParts;
  readonly #told = new Map<string, Set<string>>();

  constructor(parts: UnpricedWarningsParts) {
    this.#parts = parts;
  }

  /** Takes usage records that were stored. Waits for nothing. */
  stored(rows: readonly unknown[]): void {
    for (const row of rows) {
      const { data } = rowForm.safeParse(row);
      if (data?.price_version !== UNPRICED || data.status !== 'succeeded') continue;
      if (this.#isNew(data.account_id, data.model)) this.#warn(data.account_id, data.model);
    }
  }

  #isNew(account: string, model: string): boolean {
    const told = this.#told.get(account) ?? new Set();
    if (told.has(model) || told.size >= MAX_PER_ACCOUNT) return false;
    if (!this.#told.has(account) && this.#told.size >= MAX_ENTRIES) return false;
    this.#told.set(account, told.add(model));
    return true;
  }

  #warn(account: string, model: string): void {
    this.#parts.warn({ account, model }, 'a model without a known price was used: set it under models: in sluice.yaml');
    this.#write(account, model).catch(this.#parts.onFault);
  }

  async #write(account: string, model: string): Promise<void> {
    const contacts = await billingContacts(this.#parts.database, account);
    for (const to of contacts?.addresses ?? []) await this.#parts.send({ to, ...letter(model) });
  }
}

function letter(model: string): Omit<Mail, 'to'> {
  return {
    subject: 'A model without a known price was used',
    text: `A request of your account was answered by the model ${shownName(model)}, whose price is not known.

Its requests count as nothing: they are in no invoice and in no budget, while the provider charges for them. Whoever runs the
server can set the price under "models:" in sluice.yaml; with a budget, such models are refused.

You are told once for each model, since you are an owner of the account, or look after its bills.
`,
  };
}
