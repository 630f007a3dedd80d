import type { ProviderDeclaration } from '../../providers/contract.ts';

/** The reference page `docs/provider-list.md`, in Markdown. */
export function describeProviders(providers: readonly ProviderDeclaration[]): string {
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
  return `# List of providers

Generated from the declarations in \`src/providers\` by \`npm run generate\`.

A model is named \`<id>/<model>\`; the aliases work as prefixes too. [Providers](providers.md) explains how a provider is enabled.

| Provider | id | Aliases | Variable | Base URL |
|---|---|---|---|---|
${rows.map((row) => `| ${row} |\n`).join('')}`;
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
