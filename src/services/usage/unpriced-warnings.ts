import { z } from 'zod';
import { UNPRICED } from '../../catalogue/catalogue.ts';
import type { Database } from '../../database/database.ts';
import type { Mail } from '../../mail/mail.ts';
import { shownName } from '../../mail/shown-name.ts';
import { billingContacts } from '../accounts/billing-contacts.ts';

const MAX_ACCOUNTS = 10_000;
/** Model names are text of the client: the limit bounds how many messages a client can cause. */
const MAX_MODELS_PER_ACCOUNT = 5;

const rowForm = z.looseObject({
  account_id: z.string(),
  model: z.string(),
  price_version: z.string(),
  status: z.string(),
});

export interface UnpricedWarningsDependencies {
  readonly database: Pick<Database, 'query'>;
  readonly send: (mail: Mail) => Promise<void>;
  readonly warn: (fields: { readonly account: string; readonly model: string }, message: string) => void;
  /** Receives the error when a message could not be sent. */
  readonly onFault: (error: unknown) => void;
}

/**
 * Warns an account's owners and billing members that a model without a known price was used, because its requests cost nothing.
 * Once per account and model in the lifetime of this process, for at most five models per account.
 */
export class UnpricedWarnings {
  readonly #dependencies: UnpricedWarningsDependencies;
  readonly #warned = new Map<string, Set<string>>();

  constructor(dependencies: UnpricedWarningsDependencies) {
    this.#dependencies = dependencies;
  }

  /** Checks usage records that were stored. Does not wait for messages to be sent. */
  check(rows: readonly unknown[]): void {
    for (const row of rows) {
      const { data } = rowForm.safeParse(row);
      if (data?.price_version !== UNPRICED || data.status !== 'succeeded') continue;
      if (this.#isNew(data.account_id, data.model)) this.#warn(data.account_id, data.model);
    }
  }

  #isNew(account: string, model: string): boolean {
    const models = this.#warned.get(account) ?? new Set();
    if (models.has(model) || models.size >= MAX_MODELS_PER_ACCOUNT) return false;
    if (!this.#warned.has(account) && this.#warned.size >= MAX_ACCOUNTS) return false;
    this.#warned.set(account, models.add(model));
    return true;
  }

  #warn(account: string, model: string): void {
    this.#dependencies.warn(
      { account, model },
      'a model without a known price was used; set its price under models: in sluice.yaml',
    );
    this.#write(account, model).catch(this.#dependencies.onFault);
  }

  async #write(account: string, model: string): Promise<void> {
    const contacts = await billingContacts(this.#dependencies.database, account);
    for (const to of contacts?.addresses ?? []) await this.#dependencies.send({ to, ...warningText(model) });
  }
}

function warningText(model: string): Omit<Mail, 'to'> {
  return {
    subject: 'A model without a known price was used',
    text: `A request of your account used the model ${shownName(model)}, whose price is not known.

Requests to this model are recorded at no cost: they appear on no invoice and count toward no budget, although the provider
charges for them. The operator of the server can set the price under "models:" in sluice.yaml. Where a budget applies, requests
to models without a known price are rejected.

You receive this once per model because you are an owner or billing member of the account.
`,
  };
}
