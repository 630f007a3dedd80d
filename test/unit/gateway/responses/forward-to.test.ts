import { beforeEach, describe, expect, it } from 'vitest';
import { forwardTo, type ForwardedRequest } from '../../../../src/gateway/capabilities/responses/forward-to.ts';
import type { Connection, UpstreamReceiver } from '../../../../src/providers/contract.ts';
import { FakeClock } from '../../../harness/fake-clock.ts';

let clock: FakeClock;
let receiver: UpstreamReceiver;
let forwarded: ForwardedRequest;
let told: string[];
let isFull: boolean;

beforeEach(() => {
  clock = new FakeClock();
  told = [];
  isFull = false;
  const connection: Pick<Connection, 'provider' | 'sendObject'> = {
    provider: 'openai',
    sendObject(_request, given) {
      receiver = given;
      given.onConnecting({
        abort: () => void told.push('abort'),
        pause: () => void told.push('pause'),
        resume: () => void told.push('resume'),
      });
    },
  };
  forwarded = forwardTo(
    connection as Connection,
    { method: 'GET', path: '/responses/resp_1' },
    {
      head: (status) => void told.push(`head ${status}`),
      write: () => {
        told.push('write');
        return !isFull;
      },
      end: () => void told.push('end'),
      fail: ({ code, message }) => void told.push(`${code}: ${message}`),
      destroy: () => void told.push('destroy'),
    },
    clock,
  );
});

describe('a request about an object that a provider holds', () => {
  it('ends where the provider sends no response', () => {
    clock.advance(119_999);
    expect(told).toEqual([]);
    clock.advance(1);
    expect(told).toEqual(['abort', 'provider_timeout: The provider openai sent no response headers within 120 s.']);
    receiver.onHead(200, {});
    expect(told).toHaveLength(2);
  });

  it('ends where the provider stops in between', () => {
    receiver.onHead(200, {});
    clock.advance(599_000);
    receiver.onData(Buffer.from('x'));
    clock.advance(599_000);
    expect(told).toEqual(['head 200', 'write']);
    clock.advance(1_000);
    expect(told.slice(2)).toEqual(['abort', 'provider_timeout: The provider openai sent no data within 600 s.']);
  });

  it('waits for a client that reads slowly, and not for one that does not read', () => {
    receiver.onHead(200, {});
    isFull = true;
    receiver.onData(Buffer.from('x'));
    clock.advance(299_000);
    forwarded.resume();
    receiver.onData(Buffer.from('x'));
    expect(told).toEqual(['head 200', 'write', 'pause', 'resume', 'write', 'pause']);
    clock.advance(300_000);
    expect(told.slice(6)).toEqual(['abort', 'destroy']);
  });

  it('leaves no timer behind', () => {
    receiver.onHead(200, {});
    receiver.onEnd();
    clock.advance(3_600_000);
    expect(told).toEqual(['head 200', 'end']);
  });
});
