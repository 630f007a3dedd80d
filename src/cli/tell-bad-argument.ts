/** What is wrong with a command's arguments, as Node's `parseArgs` finds it; null for any other fault. */
export function tellBadArgument(command: string, fault: unknown): string | null {
  if (!(fault instanceof Error && 'code' in fault && typeof fault.code === 'string')) return null;
  if (!fault.code.startsWith('ERR_PARSE_ARGS_')) return null;
  // Node's advice how to write a positional that begins with a dash helps nobody here.
  const [what = ''] = fault.message.split(/\. |\n/);
  return `sluice ${command}: ${what.replace(/\.$/, '')}. \`sluice ${command} --help\` tells which options there are.`;
}
