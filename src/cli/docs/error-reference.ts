import { STATUS_CODES } from 'node:http';
import { catalogue } from '../../errors/catalogue.ts';
import type { CatalogueEntry } from '../../errors/catalogue-entry.ts';
import { table } from './table.ts';

/** The errors of the catalogue, by HTTP status. */
export function errorReference(): string {
  const entries = Object.entries<CatalogueEntry>(catalogue);
  const statuses = [...new Set(entries.map(([, { status }]) => status))].sort((one, other) => one - other);
  return statuses
    .map((status) => {
      const rows = entries
        .filter(([, entry]) => entry.status === status)
        .map(([code, { type, wireCode, message }]) => [
          `\`${code}\`${wireCode === undefined ? '' : `, sent as \`${wireCode}\``}`,
          `\`${type}\``,
          message.replaceAll('<', '&lt;'),
        ]);
      return `### ${status} ${STATUS_CODES[status] ?? ''}\n\n${table(['code', 'type', 'message'], rows)}`;
    })
    .join('\n\n');
}
