import type { ProviderDeclaration } from '../../providers/contract.ts';
import { dataPolicyOf } from '../../providers/shared/terms/data-policy.ts';
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

/** The data policies that providers document, as a table in Markdown. */
export function dataPolicyReference(): string {
  const rows = [...providers]
    .sort((a, b) => (a.id < b.id ? -1 : 1))
    .flatMap(({ id, name }) => {
      const { trainsOnData, retentionDays, source } = dataPolicyOf(id, undefined);
      if (source === null) return [];
      const trains = trainsOnData === null ? 'unknown' : trainsOnData ? 'yes' : 'no';
      const retention = retentionDays === null ? 'unknown' : retentionDays === 0 ? 'zero' : `${retentionDays} days`;
      return [[name, trains, retention, `[read ${source.readOn}](${source.url})`].join(' | ')];
    });
  return `| Provider | Trains on API data | Maximum retention | Source |
|---|---|---|---|
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
