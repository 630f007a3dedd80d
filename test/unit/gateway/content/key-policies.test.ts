import { describe, expect, it } from 'vitest';
import type { LoggableCall } from '../../../../src/gateway/content/content-log.ts';
import { KeyPolicies } from '../../../../src/gateway/content/key-policies.ts';
import type { CustomPattern } from '../../../../src/gateway/content/redaction/rules.ts';

function startPolicies(customPatterns: readonly CustomPattern[]) {
  const warnings: object[] = [];
  const policies = new KeyPolicies({ warn: (fields) => warnings.push(fields) });
  const redaction = { detectors: [], customPatterns };
  const content = {
    account: 'full',
    key: null,
    keyMayRaise: false,
    retentionDays: 30,
    isSearchable: false,
    redaction,
  } as const;
  // No response is sent.
  const call = { key: { accountId: 'an account', content } } as unknown as LoggableCall;
  return { warnings, policyOf: () => policies.of(call) };
}

describe('the policy of a key', () => {
  it('compiles the rules of its account once', async () => {
    const { policyOf, warnings } = startPolicies([{ name: 'ticket', pattern: 'TICKET-[0-9]+' }]);
    const policy = policyOf();
    expect(policy?.level).toBe('full');
    expect((await policy?.redaction.redactInTurns('about TICKET-17', async () => undefined))?.value).toBe(
      'about [redacted:ticket]',
    );
    expect(policyOf()?.redaction).toBe(policy?.redaction);
    expect(warnings).toEqual([]);
  });

  it('logs nothing, and warns once, where a stored expression cannot be compiled', () => {
    const { policyOf, warnings } = startPolicies([{ name: 'ticket', pattern: 'TICKET-[' }]);
    expect(policyOf()).toBeNull();
    expect(policyOf()).toBeNull();
    expect(warnings).toMatchObject([{ account: 'an account' }]);
  });
});
