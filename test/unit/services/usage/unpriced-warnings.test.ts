import { describe, expect, it } from 'vitest';
import type { Mail } from '../../../../src/mail/mail.ts';
import { UnpricedWarnings } from '../../../../src/services/usage/unpriced-warnings.ts';
import { usageRecord } from '../../../harness/usage-rows.ts';

const account = '10000000-0000-4000-8000-000000000000';

function warnings(addresses: readonly string[] = ['owner@example.com', 'bills@example.com']) {
  const mails: Mail[] = [];
  const logged: object[] = [];
  const faults: unknown[] = [];
  const service = new UnpricedWarnings({
    database: { query: async () => JSON.parse(JSON.stringify([{ name: 'A', addresses }])) },
    send: async (mail) => void mails.push(mail),
    warn: (fields) => logged.push(fields),
    onFault: (error) => faults.push(error),
  });
  const used = async (...models: readonly string[]): Promise<void> => {
    service.check(models.map((model) => usageRecord({ account_id: account, model, price_version: 'unpriced' })));
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { service, used, mails, logged, faults };
}

describe('a model without a known price that was used', () => {
  it('is reported once, to owners and billing members and in the log', async () => {
    const { used, mails, logged, faults } = warnings();
    await used('openai/of-tomorrow', 'openai/of-tomorrow');
    await used('openai/of-tomorrow');
    expect(mails.map(({ to }) => to)).toEqual(['owner@example.com', 'bills@example.com']);
    expect(mails[0]?.text).toContain('“openai of-tomorrow”');
    expect(logged).toEqual([{ account, model: 'openai/of-tomorrow' }]);
    expect(faults).toEqual([]);
  });

  it('is reported for at most five models per account', async () => {
    const { used, logged } = warnings();
    await used(...Array.from({ length: 50 }, (_none, index) => `openai/m${index}`));
    expect(logged).toHaveLength(5);
  });

  it('is reported only for unpriced requests that succeeded', async () => {
    const { service, logged } = warnings();
    service.check([
      usageRecord({ account_id: account, price_version: 'unpriced', status: 'failed' }),
      usageRecord({ account_id: account }),
      { malformed: true },
    ]);
    expect(logged).toEqual([]);
  });
});
