import { spawnSync } from 'node:child_process';
import { aiderProgram, hasAgents } from './agent-programs.ts';
import { openapiTypescript, pythonTool } from './openapi-tools.ts';
import { serverPostgres } from './postgres.ts';
import { hasGo } from './go-tools.ts';
import { chromiumPath, hasCurl, hasFfmpeg, hasSystemd, redisPath, seaweedPath } from './tool-paths.ts';

/** A program that tests use where the machine has it. */
export interface TestTool {
  readonly name: string;
  /** A command; for a program of the system, that of Debian's packages. */
  readonly install: string;
  /** Files and folders of tests, by their path from `test`, and what is left out of them, or done in another way, without it. */
  readonly usedBy: readonly (readonly [path: string, consequence: string])[];
  isInstalled(): boolean;
}

/** A program that is not installed, with what that means for the tests that ran. */
export interface MissingTool {
  readonly name: string;
  readonly install: string;
  readonly consequences: readonly string[];
}

const PYTHON_PACKAGES =
  'python3 -m venv .venv && .venv/bin/pip install -r test/requirements.txt, then SLUICE_TEST_PYTHON=$PWD/.venv/bin/python';

const isServerBackend = process.env.SLUICE_TEST_BACKEND === 'server';

/** For a program that the product of the api and browser lanes stands on with `SLUICE_TEST_BACKEND=server`. */
function backendOf(lanes: readonly string[], program: string): [string, string][] {
  return isServerBackend ? lanes.map((lane) => [lane, `no product could start on ${program}`]) : [];
}

export const testTools: readonly TestTool[] = [
  {
    name: 'PostgreSQL',
    install: 'apt-get install postgresql',
    usedBy: [
      ['services/', 'the services lane ran on the embedded database alone'],
      ['soak/', 'soak tests on server PostgreSQL were skipped'],
      ['promises/database-outage', 'the promises about a database outage were skipped'],
      ['promises/revoked-key', 'the promise about revoked keys was skipped'],
      ...backendOf(['api/', 'browser/'], 'server PostgreSQL'),
    ],
    isInstalled: () => serverPostgres() !== 'missing',
  },
  {
    name: 'Chromium',
    install: 'apt-get install chromium-headless-shell',
    usedBy: [
      ['browser/', 'the browser lane was skipped'],
      ['soak/browser/', 'soak tests in a browser were skipped'],
      ['promises/long-tasks', 'the promise about long tasks was skipped'],
    ],
    isInstalled: () => chromiumPath !== null,
  },
  {
    name: 'Redis',
    install: 'apt-get install redis-server',
    usedBy: [
      ['soak/cluster/', 'tests with a cluster were skipped'],
      ['soak/redis/', 'tests with several instances were skipped'],
      ['soak/adopted-journal.test.ts', 'tests of budgets whose journal is adopted were skipped'],
      ['soak/automatic-adoption.test.ts', 'the test of automatic adoption was skipped'],
      ['soak/workers/', 'tests with several workers were skipped'],
      ...backendOf(['api/', 'browser/'], 'Redis'),
    ],
    isInstalled: () => redisPath !== null,
  },
  {
    name: 'SeaweedFS',
    install: PYTHON_PACKAGES,
    usedBy: [
      ['services/storage/', 'tests with a bucket of an S3-compatible store were skipped'],
      ['soak/cluster/', 'tests with a cluster were skipped'],
    ],
    isInstalled: () => seaweedPath !== null,
  },
  {
    name: 'FFmpeg',
    install: 'apt-get install ffmpeg',
    usedBy: [
      ['unit/gateway/media/', 'tests that encode or decode sound and pictures were skipped'],
      ['unit/providers/speech/', 'tests that encode or decode sound and pictures were skipped'],
      ['unit/rest/images/', 'tests that encode or decode sound and pictures were skipped'],
      ['unit/rest/speech/', 'tests that encode or decode sound and pictures were skipped'],
      ['api/rest/videos/', 'the test that decodes videos was skipped'],
    ],
    isInstalled: () => hasFfmpeg,
  },
  {
    name: 'curl',
    install: 'apt-get install curl',
    usedBy: [['api/readme/', "the documentation's examples with curl were skipped"]],
    isInstalled: () => hasCurl,
  },
  {
    name: 'the SDKs for Python',
    install: PYTHON_PACKAGES,
    usedBy: [
      ['api/readme/', "the documentation's example in Python was skipped"],
      ['unit/rest/azure/', 'the Python client for Azure was skipped'],
      ['api/rest/python-sdk.test.ts', 'the Python client was skipped'],
      ['api/rest/frameworks/', "OpenAI's Agents SDK for Python was skipped"],
      ['api/dashboard/sdk-samples.test.ts', "the dashboard's code in Python was skipped"],
    ],
    isInstalled: () =>
      [process.env.SLUICE_TEST_PYTHON, 'python3'].some(
        (python) => !!python && runs(python, '-c', 'import agents, anthropic, openai; from google import genai'),
      ),
  },
  {
    name: 'aiohttp for Python',
    install: PYTHON_PACKAGES,
    usedBy: [['soak/agents/client-libraries.test.ts', 'the requests of Open WebUI were skipped']],
    isInstalled: () =>
      [process.env.SLUICE_TEST_PYTHON, 'python3'].some((python) => !!python && runs(python, '-c', 'import aiohttp')),
  },
  {
    name: 'openapi-typescript',
    install: 'npm ci --ignore-scripts --prefix test/openapi',
    usedBy: [['soak/openapi', 'no types were made of the OpenAPI document']],
    isInstalled: () => openapiTypescript !== null,
  },
  {
    name: 'openapi-python-client and schemathesis',
    install: PYTHON_PACKAGES,
    usedBy: [['soak/openapi', 'the server was not compared with its OpenAPI document']],
    isInstalled: () => pythonTool('openapi-python-client') !== null && pythonTool('schemathesis') !== null,
  },
  {
    name: 'Codex, Claude Code, Gemini CLI and opencode',
    install: 'npm ci --ignore-scripts --prefix test/agents',
    usedBy: [['soak/agents/', 'no agent ran a task through the server']],
    isInstalled: () => hasAgents,
  },
  {
    name: 'Go',
    install: 'a package of go.dev, 1.26 or newer',
    usedBy: [
      ['soak/deploy/manifests.test.ts', 'the Helm chart was not rendered, and no manifest was validated'],
      ['soak/deploy/prometheus.test.ts', 'Prometheus did not read the rules and the page of metrics'],
    ],
    isInstalled: () => hasGo,
  },
  {
    name: 'systemd',
    install: 'apt-get install systemd',
    usedBy: [['soak/deploy/manifests.test.ts', 'the systemd unit was not verified']],
    isInstalled: () => hasSystemd,
  },
  {
    name: 'Aider',
    install:
      'python3 -m venv test/agents/.venv && test/agents/.venv/bin/pip install --require-hashes -r test/agents/requirements.txt',
    usedBy: [['soak/agents/aider.test.ts', 'Aider did not run']],
    isInstalled: () => aiderProgram !== null,
  },
];

/** Looks only for what these files use. @param files their paths from `test` */
export function missingTools(files: readonly string[], tools: readonly TestTool[] = testTools): MissingTool[] {
  return tools.flatMap(({ name, install, usedBy, isInstalled }) => {
    const affected = usedBy.filter(([path]) => files.some((file) => file.startsWith(path)));
    if (affected.length === 0 || isInstalled()) return [];
    return [{ name, install, consequences: [...new Set(affected.map(([, consequence]) => consequence))] }];
  });
}

function runs(command: string, ...args: string[]): boolean {
  return spawnSync(command, args, { stdio: 'ignore' }).status === 0;
}
