import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const sluice = fileURLToPath(new URL('../sluice.js', import.meta.url));

/** The help of each command, as it is printed. */
export function commandReference(): string {
  const overview = help();
  const commands = [...overview.matchAll(/^ {2}([a-z]+) {2}/gm)].map(([, name = '']) => name);
  return [overview, ...commands.map((name) => help(name))]
    .map((text, index) => {
      const heading = index === 0 ? '' : `### sluice ${commands[index - 1]}\n\n`;
      return `${heading}\`\`\`text\n${text.trimEnd()}\n\`\`\``;
    })
    .join('\n\n');
}

function help(...command: string[]): string {
  return execFileSync(process.execPath, [sluice, ...command, '--help'], { encoding: 'utf8' });
}
