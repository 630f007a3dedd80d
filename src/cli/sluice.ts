#!/usr/bin/env node
import 'reflect-metadata';
import { tellFault } from './tell-fault.ts';

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
    summary: 'create, list and revoke API keys',
    run: async (args) => (await import('./keys.command.ts')).keysCommand(args),
    takesArguments: true,
  },
  catalogue: {
    summary: 'show models and their prices, and bring them up to date',
    run: async (args) => (await import('./catalogue.command.ts')).catalogueCommand(args),
    takesArguments: true,
  },
};

const usage = `Usage: sluice <command>\n\n${Object.entries(commands)
  .map(([name, { summary }]) => `  ${name.padEnd(12)}${summary}`)
  .join('\n')}\n\nThe environment configures every command: see README.md. \`sluice <command> --help\` tells more.\n`;

const [name = '', ...args] = process.argv.slice(2);
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
    // The embedded database may be open: it would keep the process alive.
    process.stderr.write(`${tellFault(error)}\n`, () => process.exit(1));
  }
}
