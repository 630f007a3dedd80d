import { expect, it } from 'vitest';
import type { Caller } from '../../../../src/graphql/context.ts';
import { ConcurrencyLimiter } from '../../../../src/graphql/limits/concurrency-limiter.ts';
import { key } from '../../../harness/gateway.ts';

const callerOf = (id: string): Caller => ({ kind: 'key', accountId: key.accountId, key: { ...key, id } });

it('lets a caller have a number of places, over all sockets, and again when one has ended', () => {
  const open = new ConcurrencyLimiter('subscriptions', 5_000);
  const [release] = Array.from({ length: 5_000 }, () => open.acquire(callerOf('one')));
  const refused = expect.objectContaining({ extensions: { code: 'operation_too_large' } });
  expect(() => open.acquire(callerOf('one'))).toThrow(refused);
  open.acquire(callerOf('another'))();
  release?.();
  release?.();
  open.acquire(callerOf('one'));
  expect(() => open.acquire(callerOf('one'))).toThrow(refused);
});
