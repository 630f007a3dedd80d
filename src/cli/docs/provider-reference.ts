import type { ProviderDeclaration } from '../../providers/contract.ts';
import { providers } from '../../providers/registry.ts';

/** The providers known by name, as a table in Markdown. */
export function providerReference(): string {
  const rows = [...providers]
    .sort((a, b) => (a.id < b.id ? -1 : 1))
    .map((provider) =>
      [
        documentationLink(provider),
        code(provider.id),
        (provider.providerAliases ?? []).map(code).join(', '),
        code(variableOf(provider)),
        provider.baseUrl === null ? 'from its options' : code(provider.baseUrl),
      ].join(' | '),
    );
  return `| Provider | id | Aliases | Variable | Base URL |
|---|---|---|---|---|
${rows.map((row) => `| ${row} |`).join('\n')}`;
}

function documentationLink({ name, documentation }: ProviderDeclaration): string {
  return documentation === 'unverified' ? name : `[${name}](${documentation})`;
}

/** A server that needs no key is enabled by its base URL. */
function variableOf({ id, needsKey, selfHosted }: ProviderDeclaration): string {
  const prefix = id.toUpperCase().replaceAll('-', '_');
  return needsKey || !selfHosted ? `${prefix}_API_KEY` : `${prefix}_BASE_URL`;
}

function code(text: string): string {
  return `\`${text}\``;
}
