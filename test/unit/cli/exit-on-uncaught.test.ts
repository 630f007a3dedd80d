import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';

const module = new URL('../../../src/cli/errors/exit-on-uncaught.ts', import.meta.url).href;

function run(statement: string): { status: number | null; stderr: string } {
  const script = `
    import { exitOnUncaught } from ${JSON.stringify(module)};
    exitOnUncaught();
    const error = Object.assign(new Error('duplicate key value violates unique constraint "k"'), {
      code: '23505',
      detail: 'Key (email)=(canary) already exists.',
    });
    ${statement}
    setTimeout(() => process.exit(0), 60_000);`;
  const { status, stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', script], {
    encoding: 'utf8',
  });
  return { status, stderr };
}

describe('an unhandled error', () => {
  it.each(['setTimeout(() => { throw error; });', 'void Promise.reject(error);'])(
    'exits the process and is printed without values from the database: %s',
    (statement) => {
      const { status, stderr } = run(statement);
      expect(status).toBe(1);
      expect(stderr).toContain('duplicate key value');
      expect(stderr).not.toContain('canary');
    },
  );
});
