import { describe, expect, it } from 'vitest';
import { SluiceError, toSluiceError, unreachable } from '../../../src/errors/index.ts';

const failed = (code: string, more: object = {}): Error =>
  Object.assign(new Error(`connect ${code}`), { code, ...more });
const ipv4 = { syscall: 'connect', address: '10.0.0.7' };
const ipv6 = { syscall: 'connect', address: '2001:db8::7' };

describe('an error of a server that is out of a resource', () => {
  it.each([
    [failed('EMFILE'), 'file descriptors'],
    [failed('ENFILE'), 'file descriptors'],
    [failed('ENOBUFS'), 'memory for connections'],
    [failed('ENOMEM'), 'memory'],
    [failed('EADDRNOTAVAIL', ipv4), 'network ports'],
    [new Error('failed', { cause: failed('EMFILE') }), 'file descriptors'],
    [new AggregateError([failed('ENETUNREACH'), failed('EMFILE')]), 'file descriptors'],
  ])('is no failure of a provider: %s', (cause, resource) => {
    const error = unreachable({ provider: 'openai', cause });
    expect(error).toMatchObject({ code: 'resources_exhausted', status: 503, retryAfterMs: 2_000, cause });
    expect(error.message).toBe(
      `This server is out of ${resource}, so it rejected the request. Send it again in a few seconds.`,
    );
    expect(toSluiceError(cause).code).toBe('resources_exhausted');
  });

  it.each([
    failed('EADDRNOTAVAIL', ipv6),
    new AggregateError([failed('ECONNREFUSED', ipv4), failed('EADDRNOTAVAIL', ipv6)]),
  ])('is not that a machine has no IPv6: %s', (cause) => {
    expect(unreachable({ provider: 'openai', cause }).code).toBe('provider_unreachable');
  });

  it('is not one that is already known, whatever its cause', () => {
    const known = new SluiceError('storage_unavailable', { cause: failed('EMFILE') });
    expect(toSluiceError(known)).toBe(known);
  });
});
