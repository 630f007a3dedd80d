import { expect, it } from 'vitest';
import type { Caller } from '../../../src/graphql/context.ts';
import { OpenSubscriptions } from '../../../src/graphql/limits/open-subscriptions.ts';
import { key } from '../../harness/gateway.ts';

const callerOf = (id: string): Caller => ({ kind: 'key', accountId: key.accountId, key: { ...key, id } });

it('lets a caller have a number of subscriptions, over all sockets, and again when one has ended', () => {
  const open = new OpenSubscriptions();
  const [release] = Array.from({ length: 5_000 }, () => open.take(callerOf('one')));
  const refused = expect.objectContaining({ extensions: { code: 'operation_too_large' } });
  expect(() => open.take(callerOf('one'))).toThrow(refused);
  open.take(callerOf('another'))();
  release?.();
  release?.();
  open.take(callerOf('one'));
  expect(() => open.take(callerOf('one'))).toThrow(refused);
});
