import { expect, it } from 'vitest';
import { FailureLog } from '../../../src/jobs/failure-log.ts';
import { FakeClock } from '../../harness/fake-clock.ts';

interface Line {
  readonly level: string;
  readonly fields: unknown;
  readonly text: unknown;
}

function newLog(): { readonly failures: FailureLog; readonly clock: FakeClock; readonly lines: Line[] } {
  const lines: Line[] = [];
  const at =
    (level: string) =>
    (fields: unknown, text?: unknown): void =>
      void lines.push({ level, fields, text });
  const clock = new FakeClock();
  const log = { debug: () => undefined, info: at('info'), warn: at('warn'), error: at('error') };
  return { failures: new FailureLog(log, clock), clock, lines };
}

const attempt = { job: 'send-mail', id: '1', error: new Error('the server is away'), isLast: false };

it('logs the first failure of a kind of job and its next success only', () => {
  const { failures, clock, lines } = newLog();
  for (let minute = 0; minute < 3 * 24 * 60; minute++) {
    failures.failed(attempt);
    clock.advance(60_000);
  }
  failures.failed({ ...attempt, job: 'sweep-videos' });
  failures.succeeded('send-mail');
  failures.succeeded('send-mail');
  expect(lines).toMatchObject([
    { level: 'warn', fields: { job: 'send-mail', id: '1', err: { message: 'the server is away' } } },
    { level: 'warn', fields: { job: 'sweep-videos' } },
    { level: 'info', fields: { job: 'send-mail', failures: 3 * 24 * 60 } },
  ]);
});

it('logs a kind that fails and succeeds alternately once an hour', () => {
  const { failures, clock, lines } = newLog();
  for (let minute = 0; minute < 121; minute++) {
    failures.failed(attempt);
    failures.succeeded('send-mail');
    clock.advance(60_000);
  }
  expect(lines.map(({ level }) => level)).toEqual(['warn', 'info', 'warn', 'info', 'warn', 'info']);
});

it('logs given-up jobs once an hour, with their number and without a stack', () => {
  const { failures, clock, lines } = newLog();
  for (let minute = 0; minute < 61; minute++) {
    failures.failed({ ...attempt, isLast: true });
    clock.advance(60_000);
  }
  expect(lines.slice(1)).toEqual([
    {
      level: 'warn',
      fields: { job: 'send-mail', id: '1', reason: 'the server is away', jobs: 1 },
      text: lines[1]?.text,
    },
    {
      level: 'warn',
      fields: { job: 'send-mail', id: '1', reason: 'the server is away', jobs: 60 },
      text: lines[1]?.text,
    },
  ]);
});
