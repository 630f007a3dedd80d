/** Message for an error of Node's `parseArgs`; null for any other error. */
export function describeBadArgument(command: string, fault: unknown): string | null {
  if (!(fault instanceof Error && 'code' in fault && typeof fault.code === 'string')) return null;
  if (!fault.code.startsWith('ERR_PARSE_ARGS_')) return null;
  // Without Node's advice about positionals that begin with a dash, which does not apply here.
  const [what = ''] = fault.message.split(/\. |\n/);
  return `sluice ${command}: ${what.replace(/\.$/, '')}. \`sluice ${command} --help\` lists the options.`;
}
