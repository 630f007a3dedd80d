import { resourceFromAttributes } from '@opentelemetry/resources';
import { describe, expect, it } from 'vitest';
import { logRecord } from '../../../src/telemetry/logs/log-records.ts';

const context = { traceId: '4bf92f3577b34da6a3ce929d0e0e4736', spanId: '00f067aa0ba902b7', traceFlags: 1 };
const requestId = `req_${'0a'.repeat(16)}`;
const source = {
  resource: resourceFromAttributes({}),
  scope: { name: 'sluice' },
  contextOf: (id: string) => (id === requestId ? context : undefined),
};

function recordOf(members: object): ReturnType<typeof logRecord> {
  return logRecord(
    source,
    `${JSON.stringify({ level: 40, time: 1_795_000_000_123, pid: 1, hostname: 'h', ...members })}\n`,
  );
}

describe('a record of the log', () => {
  it('has the severity, the time, the message and the members of its line', () => {
    expect(
      recordOf({ msg: 'a provider failed a request', code: 'provider_error', requestId: 'req_other' }),
    ).toMatchObject({
      severityNumber: 13,
      severityText: 'WARN',
      body: 'a provider failed a request',
      hrTime: [1_795_000_000, 123_000_000],
      attributes: { code: 'provider_error', requestId: 'req_other' },
    });
  });

  it('has the context of the request that it is about', () => {
    expect(recordOf({ msg: 'x', requestId })).toMatchObject({ spanContext: context, attributes: { requestId } });
    expect(recordOf({ msg: 'x' })).not.toHaveProperty('spanContext');
  });

  it('contains no secret', () => {
    const secret = 'sk-proj-abcdefgh1234567890';
    const record = recordOf({ msg: `rejected ${secret}`, err: { stack: `Bearer ${secret}`, list: [secret] } });
    expect(JSON.stringify(record)).not.toContain(secret);
    expect(record?.body).toBe('rejected [removed]');
  });

  it.each([
    [10, 'TRACE'],
    [20, 'DEBUG'],
    [30, 'INFO'],
    [50, 'ERROR'],
    [60, 'FATAL'],
  ])('of level %i has the severity %s', (level, severity) => {
    expect(recordOf({ level })?.severityText).toBe(severity);
  });

  it('is none for a line that is not JSON', () => {
    expect(logRecord(source, 'plain text\n')).toBeNull();
  });
});
