import { Writable } from 'node:stream';
import { inspect } from 'node:util';
import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { redactError, serializeError } from '../../../src/database/error-serializer.ts';
import { describeError } from '../../../src/cli/errors/describe-error.ts';
import { SluiceError } from '../../../src/errors/index.ts';

const canary = 'canary-of-a-caller';

function logged(err: unknown): string {
  let text = '';
  const lines = new Writable({
    write: (chunk, _encoding, done) => {
      text += String(chunk);
      done();
    },
  });
  pino({ serializers: { err: serializeError } }, lines).error({ err }, 'a request failed');
  return text;
}

/** As created by `pg`. */
function databaseError(members: Readonly<Record<string, string>>, message: string): Error {
  return Object.assign(new Error(message), { severity: 'ERROR', routine: 'exec', ...members });
}

describe('a logged database error', () => {
  const duplicate = databaseError(
    {
      code: '23505',
      detail: `Key (email)=(${canary}) already exists.`,
      where: `unnamed portal parameter $1 = '${canary}'`,
      hint: canary,
      internalQuery: `select '${canary}'`,
      table: 'users',
      constraint: 'users_email_unique',
    },
    'duplicate key value violates unique constraint "users_email_unique"',
  );
  const invalid = databaseError({ code: '22P02' }, `invalid input syntax for type uuid: "${canary}"`);

  it.each([
    ['itself', duplicate],
    ['its cause', new SluiceError('internal_error', { cause: duplicate })],
    ['a value in its message', invalid],
    ['a value in the message of its cause', new Error(invalid.message, { cause: invalid })],
  ])('contains no client value: %s', (_what, error) => {
    expect(logged(error)).not.toContain(canary);
    // Neither stored for a failed job nor printed by a command.
    expect(inspect(redactError(error), { depth: 10 })).not.toContain(canary);
    expect(describeError(error)).not.toContain(canary);
  });

  it('contains what failed, and where', () => {
    const { err } = JSON.parse(logged(duplicate));
    expect(err).toMatchObject({ code: '23505', table: 'users', constraint: 'users_email_unique' });
    expect(err.message).toContain('users_email_unique');
    expect(err.stack).toMatch(/^\s+at /);
  });

  it('leaves other errors unchanged', () => {
    const other = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED', address: '127.0.0.1' });
    expect(redactError(other)).toBe(other);
    expect(JSON.parse(logged(other)).err).toMatchObject({ message: 'connect ECONNREFUSED', address: '127.0.0.1' });
  });
});
