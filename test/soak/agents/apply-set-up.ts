import { execFile } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'vitest';
import { setUps, type SetUp } from '../../../src/dashboard/pages/tools/set-ups.ts';

const run = promisify(execFile);

export function setUpOf(tool: string): SetUp {
  return setUps.find(({ name }) => name === tool) ?? expect.unreachable();
}

/** The code of a set-up, filled as the page fills it. */
export function codeOf(tool: string, origin: string, model: string): string {
  return setUpOf(tool).code?.({ origin, model }) ?? expect.unreachable();
}

/** A folder that is removed after use, in which programs are found by their names. */
export interface Home {
  readonly folder: string;
  /** Runs a command line there, without terminal. Only loopback is reached. */
  shell(line: string, apiKey: string): Promise<{ readonly stdout: string; readonly stderr: string }>;
}

/** @param programs commands by name @param files texts by path in the folder */
export async function inHome<T>(
  programs: Readonly<Record<string, readonly string[]>>,
  files: Readonly<Record<string, string>>,
  use: (home: Home) => Promise<T>,
): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-set-up-'));
  try {
    const bin = join(folder, 'bin');
    mkdirSync(bin);
    for (const [name, command] of Object.entries(programs)) {
      const path = join(bin, name);
      writeFileSync(path, `#!/bin/sh\nexec ${command.map((part) => `'${part}'`).join(' ')} "$@"\n`);
      chmodSync(path, 0o755);
    }
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    }
    const env = {
      PATH: `${bin}:${process.env.PATH}`,
      HOME: folder,
      TMPDIR: folder,
      // Where nothing listens: only loopback is reached.
      HTTP_PROXY: 'http://127.0.0.1:9',
      HTTPS_PROXY: 'http://127.0.0.1:9',
      NO_PROXY: '127.0.0.1',
    };
    return await use({
      folder,
      shell(line, apiKey) {
        const shell = run('bash', ['-c', line], { cwd: folder, env: { ...env, SLUICE_API_KEY: apiKey } });
        shell.child.stdin?.end();
        return shell;
      },
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
