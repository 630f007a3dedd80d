import { parseArgs } from 'node:util';
import { loadConfiguration, type Configuration } from '../../config/configuration.ts';
import { ConfigurationError } from '../../config/environment.ts';
import { knownProviders, providerAliases } from '../../providers/registry.ts';
import { checkDataFolder } from './check-data-folder.ts';
import { checkDatabase } from './check-database.ts';
import { checkDescriptors } from './check-descriptors.ts';
import { checkMail } from './check-mail.ts';
import { checkProviders } from './check-providers.ts';
import { checkReadReplica } from './check-read-replica.ts';
import { checkRedis } from './check-redis.ts';
import { checkStorage } from './check-storage.ts';
import { fault, found, type Finding, type FindingState } from './finding.ts';
import { within } from './within.ts';
import { describeError } from '../errors/describe-error.ts';

const usage = `Usage: sluice doctor [--json]

  Checks what the server depends on, and prints what to do: configuration, data folder, master key, file descriptors,
  database, migrations, read replica, clocks, object storage, Redis, mail, and the providers of the operator. It changes nothing and works while the server
  runs.

Options:
  --json    print JSON

It exits with 1 if a check failed. Warnings do not count.
`;

const CHECK_TIMEOUT_MS = 60_000;

type Check = readonly [subject: string, run: () => Promise<readonly Finding[]>];

const shownStates: Readonly<Record<FindingState, string>> = {
  ok: 'ok',
  warning: 'WARNING',
  failed: 'FAILED',
  unused: '-',
};

/** @returns the exit code */
export async function doctorCommand(args: readonly string[]): Promise<number> {
  const { values } = parseArgs({
    args: [...args],
    options: { help: { type: 'boolean', default: false }, json: { type: 'boolean', default: false } },
  });
  if (values.help) {
    process.stdout.write(usage);
    return 0;
  }
  const findings: Finding[] = [];
  for await (const finding of allFindings()) {
    findings.push(finding);
    if (!values.json) process.stdout.write(lines(finding));
  }
  if (values.json) process.stdout.write(`${JSON.stringify(findings, null, 2)}\n`);
  else process.stdout.write(`\n${summary(findings)}\n`);
  return findings.some(({ state }) => state === 'failed') ? 1 : 0;
}

/** One after another, so that each is printed when it is known. */
async function* allFindings(): AsyncGenerator<Finding> {
  const configuration = await readConfiguration();
  if (Array.isArray(configuration)) return yield* configuration;
  const { environment } = configuration;
  const text = 'the environment and sluice.yaml are valid';
  yield found('Configuration', 'ok', text);
  for (const warning of environment.warnings)
    yield fault('Configuration', 'warning', warning, 'See docs/configuration.md.');
  const checks: readonly Check[] = [
    ['Data folder', () => checkDataFolder(environment)],
    ['Descriptors', () => checkDescriptors()],
    ['Database', () => checkDatabase(environment)],
    ['Read replica', () => checkReadReplica(environment)],
    ['Storage', () => checkStorage(environment)],
    ['Redis', () => checkRedis(environment)],
    ['Mail', () => checkMail(environment)],
    ['Provider', () => checkProviders(configuration)],
  ];
  for (const check of checks) yield* await findingsOf(check);
}

async function readConfiguration(): Promise<Configuration | Finding[]> {
  try {
    return await loadConfiguration({ ids: knownProviders, aliases: providerAliases.keys() });
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    return error.faults.map((text) => fault('Configuration', 'failed', text, 'See docs/configuration.md.'));
  }
}

async function findingsOf([subject, run]: Check): Promise<readonly Finding[]> {
  try {
    return await within(CHECK_TIMEOUT_MS, run());
  } catch (error) {
    return [fault(subject, 'failed', describeError(error), 'Correct this, and run the command again.')];
  }
}

function lines({ subject, state, text, advice }: Finding): string {
  const line = `${shownStates[state].padEnd(9)}${subject.padEnd(15)}${text}\n`;
  return advice === null ? line : `${line}${' '.repeat(24)}-> ${advice}\n`;
}

function summary(findings: readonly Finding[]): string {
  const count = (state: FindingState): number => findings.filter((finding) => finding.state === state).length;
  const [failed, warnings] = [count('failed'), count('warning')];
  if (failed + warnings === 0) return 'Everything that is configured works.';
  return `${failed} failed, ${warnings} ${warnings === 1 ? 'warning' : 'warnings'}.`;
}
