import { expect, it } from 'vitest';
import type { Caller } from '../../../../src/graphql/operation/context.ts';
import { ConcurrencyLimiter } from '../../../../src/graphql/limits/concurrency-limiter.ts';
import { key } from '../../../harness/gateway.ts';

const callerOf = (id: string): Caller => ({ kind: 'key', accountId: key.accountId, key: { ...key, id } });

it('limits the concurrent subscriptions of each caller, and frees a slot once on release', () => {
  const limiter = new ConcurrencyLimiter('subscriptions', 5_000);
  const [release] = Array.from({ length: 5_000 }, () => limiter.acquire(callerOf('one')));
  const refused = expect.objectContaining({ extensions: { code: 'operation_too_large' } });
  expect(() => limiter.acquire(callerOf('one'))).toThrow(refused);
  limiter.acquire(callerOf('another'))();
  release?.();
  release?.();
  limiter.acquire(callerOf('one'));
  expect(() => limiter.acquire(callerOf('one'))).toThrow(refused);
});
