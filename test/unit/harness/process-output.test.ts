import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { FakeClock } from '../../harness/fake-clock.ts';
import { ProcessOutput, START_PATIENCE_MS } from '../../harness/process-output.ts';

const readyAt = (text: string): string | null => /ready at (\S+)\n/.exec(text)?.[1] ?? null;

function program(source: string) {
  const child = spawn(process.execPath, ['-e', source], { stdio: ['ignore', 'pipe', 'pipe'] });
  return { child, output: new ProcessOutput(child) };
}

describe('the output of a process that starts', () => {
  it('says that it has started', async () => {
    const { child, output } = program(
      'console.error("warming up"); console.log("ready at here"); process.stdin.read()',
    );
    const exited = once(child, 'exit');
    expect(await output.whenStarted('It', readyAt)).toBe('here');
    expect(await output.whenStarted('It', readyAt)).toBe('here');
    await exited;
  });

  it('is in the error where the process ends before', async () => {
    const { output } = program('console.log("half way"); process.exitCode = 3;');
    await expect(output.whenStarted('It', readyAt)).rejects.toThrow(/^It ended with 3:\nhalf way/);
  });

  it('is in the error where the process takes too long, which is killed', async () => {
    const { child, output } = program('console.log("half way"); setInterval(() => undefined, 60_000);');
    const clock = new FakeClock();
    const exited = once(child, 'exit');
    const starting = output.whenStarted('It', readyAt, clock);
    await output.whenStarted('It', (text) => (text.includes('half way') ? text : null));
    clock.advance(START_PATIENCE_MS);
    await expect(starting).rejects.toThrow(/^It did not start within 240 s:\nhalf way/);
    expect(await exited).toEqual([null, 'SIGKILL']);
  });
});
