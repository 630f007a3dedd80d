import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const modules = fileURLToPath(new URL('../agents/node_modules/', import.meta.url));

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

/** Whether the packages of `test/agents` are installed. */
export const hasAgents = [codexScript, claudeProgram, geminiScript, openCodeProgram].every((path) => existsSync(path));
