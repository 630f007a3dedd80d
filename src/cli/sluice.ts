#!/usr/bin/env node
import 'reflect-metadata';
import { readFileSync } from 'node:fs';
import { exitOnUncaught } from './errors/exit-on-uncaught.ts';
import { describeBadArgument } from './errors/describe-bad-argument.ts';
import { describeError } from './errors/describe-error.ts';

interface Command {
  readonly summary: string;
  /** Whether the command parses arguments, including `--help`. */
  readonly acceptsArguments?: boolean;
  /** @returns the exit code */
  run(args: readonly string[]): Promise<number>;
}

/** Loaded lazily: `--help` needs none of them. */
const commands: Readonly<Record<string, Command>> = {
  serve: { summary: 'start the server', run: async () => (await import('./serve.command.ts')).serveCommand() },
  migrate: {
    summary: 'apply database migrations',
    run: async () => (await import('./migrate.command.ts')).migrateCommand(),
  },
  doctor: {
    summary: 'check what the server depends on, and print what to do',
    run: async (args) => (await import('./doctor/doctor.command.ts')).doctorCommand(args),
    acceptsArguments: true,
  },
  keys: {
    summary: 'list, create, change, rotate and revoke API keys',
    run: async (args) => (await import('./keys.command.ts')).keysCommand(args),
    acceptsArguments: true,
  },
  accounts: {
    summary: 'list and approve accounts that wait for approval',
    run: async (args) => (await import('./accounts.command.ts')).accountsCommand(args),
    acceptsArguments: true,
  },
  connections: {
    summary: 'list the provider connections of accounts, and state their region and data policy',
    run: async (args) => (await import('./connections.command.ts')).connectionsCommand(args),
    acceptsArguments: true,
  },
  catalogue: {
    summary: 'show and update models and their prices',
    run: async (args) => (await import('./catalogue.command.ts')).catalogueCommand(args),
    acceptsArguments: true,
  },
  export: {
    summary: 'export the usage log, the audit log, or all data of an account',
    run: async (args) => (await import('./export.command.ts')).exportCommand(args),
    acceptsArguments: true,
  },
  usage: {
    summary: 'archive closed months of the usage log as Parquet files',
    run: async (args) => (await import('./usage/usage.command.ts')).usageCommand(args),
    acceptsArguments: true,
  },
  storage: {
    summary: 'move files between the data folder and a bucket',
    run: async (args) => (await import('./storage/storage.command.ts')).storageCommand(args),
    acceptsArguments: true,
  },
  secrets: {
    summary: 'rotate the master key, and discard what a lost one encrypted',
    run: async (args) => (await import('./secrets/secrets.command.ts')).secretsCommand(args),
    acceptsArguments: true,
  },
  journal: {
    summary: 'store the usage that an instance left when it ended for good',
    run: async (args) => (await import('./journal/journal.command.ts')).journalCommand(args),
    acceptsArguments: true,
  },
  invoices: {
    summary: 'list, show, pay and void invoices',
    run: async (args) => (await import('./invoices.command.ts')).invoicesCommand(args),
    acceptsArguments: true,
  },
  ledger: {
    summary: 'record manual postings, list postings, and verify the ledger',
    run: async (args) => (await import('./ledger.command.ts')).ledgerCommand(args),
    acceptsArguments: true,
  },
};

const usage = `Usage: sluice <command>\n\n${Object.entries(commands)
  .map(([name, { summary }]) => `  ${name.padEnd(13)}${summary}`)
  .join(
    '\n',
  )}\n  ${'--version'.padEnd(13)}print the version\n\nCommands are configured by the environment: see docs/configuration.md. \`sluice <command> --help\` prints the options of a command.\n`;

function version(): string {
  const text: unknown = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
  return typeof text === 'object' && text !== null && 'version' in text ? String(text.version) : 'unknown';
}

exitOnUncaught();
const [name = '', ...args] = process.argv.slice(2);
if (name === '--version') {
  process.stdout.write(`${version()}\n`);
  process.exit(0);
}
const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
if (command === undefined) {
  const isHelp = name === '' || name === '--help' || name === 'help';
  (isHelp ? process.stdout : process.stderr).write(isHelp ? usage : `Unknown command: ${name}\n\n${usage}`);
  process.exit(isHelp ? 0 : 2);
}
if (args.length > 0 && !args.includes('--help') && !command.acceptsArguments) {
  process.stderr.write(
    `sluice ${name} does not accept arguments. It is configured by the environment: see docs/configuration.md.\n`,
  );
  process.exitCode = 2;
} else if (args.includes('--help') && !command.acceptsArguments)
  process.stdout.write(`Usage: sluice ${name}\n\n  ${command.summary}\n`);
else {
  try {
    process.exitCode = await command.run(args);
  } catch (error) {
    const badArgument = describeBadArgument(name, error);
    // An open embedded database would keep the process alive.
    process.stderr.write(`${badArgument ?? describeError(error)}\n`, () => process.exit(badArgument === null ? 1 : 2));
  }
}
