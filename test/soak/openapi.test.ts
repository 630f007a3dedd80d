import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openapiTypescript, pythonTool } from '../harness/openapi-tools.ts';
import { startServer, type ServerProcess } from '../harness/server-process.ts';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../../', import.meta.url));
const document = join(root, 'schema', 'openapi.json');
const configuration = join(root, 'test', 'openapi');
const folder = mkdtempSync(join(tmpdir(), 'sluice-openapi-'));

afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Runs a program. What it printed is in the error of one that fails. */
async function outputOf(command: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<string> {
  const path = `${dirname(command)}:${process.env.PATH}`;
  // The same order of sets in Python at each run.
  const fixed = { PATH: path, HOME: folder, PYTHONHASHSEED: '0', ...env };
  try {
    return (await run(command, args, { cwd: folder, env: fixed, maxBuffer: 64 * 1024 * 1024 })).stdout;
  } catch (error) {
    const stdout = error instanceof Error && 'stdout' in error ? String(error.stdout) : '';
    throw new Error(`${command} failed:\n${stdout}`, { cause: error });
  }
}

describe.skipIf(openapiTypescript === null)('openapi-typescript', () => {
  it('makes types of the document, which compile', async () => {
    const types = join(folder, 'api.d.ts');
    await outputOf(process.execPath, [openapiTypescript ?? '', document, '-o', types]);
    await outputOf(join(root, 'node_modules', '.bin', 'tsc'), ['--noEmit', '--strict', types]);
  });
});

const [clientGenerator, schemathesis] = [pythonTool('openapi-python-client'), pythonTool('schemathesis')];

describe.skipIf(clientGenerator === null || schemathesis === null)('with a running server', () => {
  let server: ServerProcess;

  beforeAll(async () => {
    server = await startServer({ LOG_LEVEL: 'silent' });
  });

  afterAll(() => server.dispose());

  it('openapi-python-client makes a client of the document without a warning, and it reads the models', async () => {
    const client = join(folder, 'client');
    const given = ['--path', document, '--config', join(configuration, 'python-client.yaml'), '--output-path', client];
    await outputOf(clientGenerator ?? '', ['generate', '--fail-on-warning', ...given]);
    const python = join(dirname(clientGenerator ?? ''), 'python');
    await outputOf(python, ['-m', 'compileall', '-q', client]);
    const program = `
from sluice_client import AuthenticatedClient
from sluice_client.api.models import list_models
client = AuthenticatedClient(base_url="${server.url}", token="${server.apiKey}")
print("\\n".join(model.id for model in list_models.sync(client=client).data))`;
    expect((await outputOf(python, ['-c', program], { PYTHONPATH: client })).split('\n')).toContain('sandbox/chat');
  });

  it('schemathesis finds nothing in the answers that the document does not say', async () => {
    const given = ['--config-file', join(configuration, 'schemathesis.toml'), 'run', document, '--url', server.url];
    const output = await outputOf(schemathesis ?? '', [...given, '--checks', 'all'], {
      SLUICE_API_KEY: server.apiKey,
    });
    expect(output).toContain('No issues found');
    expect(output).not.toContain('❌');
  });
});
