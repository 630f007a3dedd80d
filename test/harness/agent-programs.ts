import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const folder = fileURLToPath(new URL('../agents/', import.meta.url));
const modules = join(folder, 'node_modules');

/** A script for Node.js. */
export const codexScript = join(modules, '@openai', 'codex', 'bin', 'codex.js');

/** The package of the platform holds the program: the link to it is made by a script, which is not run. */
export const claudeProgram = join(
  modules,
  '@anthropic-ai',
  `claude-code-${process.platform}-${process.arch}`,
  'claude',
);

/** A script for Node.js. */
export const geminiScript = join(modules, '@google', 'gemini-cli', 'bundle', 'gemini.js');

const openCodePlatform = process.platform === 'win32' ? 'windows' : process.platform;
/** In the package of the platform, as that of Claude Code. */
export const openCodeProgram = join(modules, `opencode-${openCodePlatform}-${process.arch}`, 'bin', 'opencode');

/** A script for Node.js. */
const continueScript = join(modules, '@continuedev', 'cli', 'dist', 'cn.js');

/** In the package of the platform, too. */
const clineProgram = join(modules, '@cline', `cli-${process.platform}-${process.arch}`, 'bin', 'cline');

/** The command that starts each agent, by the name under which its package installs it. */
export const programs: Readonly<Record<string, readonly string[]>> = {
  codex: [process.execPath, codexScript],
  claude: [claudeProgram],
  gemini: [process.execPath, geminiScript],
  opencode: [openCodeProgram],
  cn: [process.execPath, continueScript],
  cline: [clineProgram],
};

/** Whether the packages of `test/agents` are installed. */
export const hasAgents = Object.values(programs).every((command) => command.every((path) => existsSync(path)));

const aider = join(folder, '.venv', 'bin', 'aider');

/** Null where the Python packages of `test/agents` are not installed. */
export const aiderProgram = existsSync(aider) ? aider : null;
