#!/usr/bin/env node
import 'reflect-metadata';
import { readFileSync } from 'node:fs';
import { exitOnUncaught } from './exit-on-uncaught.ts';
import { tellBadArgument } from './tell-bad-argument.ts';
import { describeError } from './describe-error.ts';

interface Command {
  readonly summary: string;
  /** It reads its own arguments, `--help` too. */
  readonly takesArguments?: boolean;
  /** @returns the exit code */
  run(args: readonly string[]): Promise<number>;
}

/** Loaded when asked for: `--help` needs none of them. */
const commands: Readonly<Record<string, Command>> = {
  serve: { summary: 'start the server', run: async () => (await import('./serve.command.ts')).serveCommand() },
  migrate: {
    summary: 'bring the database up to date',
    run: async () => (await import('./migrate.command.ts')).migrateCommand(),
  },
  keys: {
    summary: 'list, create, change, rotate and revoke API keys',
    run: async (args) => (await import('./keys.command.ts')).keysCommand(args),
    takesArguments: true,
  },
  accounts: {
    summary: 'list accounts that wait for approval, and approve them',
    run: async (args) => (await import('./accounts.command.ts')).accountsCommand(args),
    takesArguments: true,
  },
  catalogue: {
    summary: 'show models and their prices, and bring them up to date',
    run: async (args) => (await import('./catalogue.command.ts')).catalogueCommand(args),
    takesArguments: true,
  },
  export: {
    summary: 'write the usage log, the audit log, or all that an account has',
    run: async (args) => (await import('./export.command.ts')).exportCommand(args),
    takesArguments: true,
  },
  invoices: {
    summary: 'list invoices, and book that they were paid or are void',
    run: async (args) => (await import('./invoices.command.ts')).invoicesCommand(args),
    takesArguments: true,
  },
  ledger: {
    summary: 'book money by hand, list what was booked, and prove that the ledger balances',
    run: async (args) => (await import('./ledger.command.ts')).ledgerCommand(args),
    takesArguments: true,
  },
};

const usage = `Usage: sluice <command>\n\n${Object.entries(commands)
  .map(([name, { summary }]) => `  ${name.padEnd(12)}${summary}`)
  .join(
    '\n',
  )}\n  ${'--version'.padEnd(12)}tell which version this is\n\nThe environment configures every command: see README.md. \`sluice <command> --help\` tells more.\n`;

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
  const asked = name === '' || name === '--help' || name === 'help';
  (asked ? process.stdout : process.stderr).write(asked ? usage : `There is no command ${name}.\n\n${usage}`);
  process.exit(asked ? 0 : 2);
}
if (args.length > 0 && !args.includes('--help') && !command.takesArguments) {
  process.stderr.write(`sluice ${name} takes no arguments: the environment configures it. See README.md.\n`);
  process.exitCode = 2;
} else if (args.includes('--help') && !command.takesArguments)
  process.stdout.write(`Usage: sluice ${name}\n\n  ${command.summary}\n`);
else {
  try {
    process.exitCode = await command.run(args);
  } catch (error) {
    const badArgument = tellBadArgument(name, error);
    // The embedded database may be open: it would keep the process alive.
    process.stderr.write(`${badArgument ?? describeError(error)}\n`, () => process.exit(badArgument === null ? 1 : 2));
  }
}
