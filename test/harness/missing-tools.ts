import { spawnSync } from 'node:child_process';
import { openapiTypescript, pythonTool } from './openapi-tools.ts';
import { serverPostgres } from './postgres.ts';
import { chromiumPath, redisPath } from './tool-paths.ts';

/** A program that tests use where the machine has it. */
export interface TestTool {
  readonly name: string;
  readonly affects: readonly string[];
  /** What is left out, or done in another way, without it. */
  readonly lacks: string;
  /** A command for Debian's packages. */
  readonly install: string;
}

const PYTHON_PACKAGES =
  'python3 -m venv .venv && .venv/bin/pip install -r test/requirements.txt, then SLUICE_TEST_PYTHON=$PWD/.venv/bin/python';

const tools: readonly (TestTool & { isThere(): boolean })[] = [
  {
    name: 'PostgreSQL',
    affects: ['services', 'soak'],
    lacks: 'the services lane ran on the embedded database alone',
    install: 'apt-get install postgresql',
    isThere: () => serverPostgres() !== 'missing',
  },
  {
    name: 'Chromium',
    affects: ['browser'],
    lacks: 'the browser lane was skipped',
    install: 'apt-get install chromium',
    isThere: () => chromiumPath !== null,
  },
  {
    name: 'Redis',
    affects: ['soak'],
    lacks: 'tests with several instances were skipped',
    install: 'apt-get install redis-server',
    isThere: () => redisPath !== null,
  },
  {
    name: 'FFmpeg',
    affects: ['unit', 'api'],
    lacks: 'tests that decode sound and pictures were skipped',
    install: 'apt-get install ffmpeg',
    isThere: () => runs('ffprobe', '-version'),
  },
  {
    name: "OpenAI's SDK for Python",
    affects: ['api'],
    lacks: "the README's example in Python was skipped",
    install: PYTHON_PACKAGES,
    isThere: () => runs(process.env.SLUICE_TEST_PYTHON ?? 'python3', '-c', 'import openai'),
  },
  {
    name: 'openapi-typescript',
    affects: ['soak'],
    lacks: 'no types were made of the OpenAPI document',
    install: 'npm ci --ignore-scripts --prefix test/openapi',
    isThere: () => openapiTypescript !== null,
  },
  {
    name: 'openapi-python-client and schemathesis',
    affects: ['soak'],
    lacks: 'the server was not compared with its OpenAPI document',
    install: PYTHON_PACKAGES,
    isThere: () => pythonTool('openapi-python-client') !== null && pythonTool('schemathesis') !== null,
  },
];

export function missingTools(): TestTool[] {
  return tools.filter(({ isThere }) => !isThere());
}

function runs(command: string, ...args: string[]): boolean {
  return spawnSync(command, args, { stdio: 'ignore' }).status === 0;
}
