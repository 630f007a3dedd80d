import { z } from 'zod';
import { environmentSchema, secretSettings } from '../../config/environment-schema.ts';
import { fileVariable } from '../../config/secret-files.ts';
import { table } from './table.ts';

const metaForm = z.looseObject({ description: z.string(), defaultText: z.string().optional() });

/** The environment variables with their defaults. */
export function environmentReference(): string {
  const rows = Object.entries(environmentSchema.shape).map(([name, schema]) => {
    const { description, defaultText } = metaForm.parse(schema.meta());
    const { data } = schema.safeParse(undefined);
    const names = secretSettings.includes(name) ? [name, fileVariable(name)] : [name];
    return [names.map((each) => `\`${each}\``).join(' or '), defaultText ?? defaultOf(data), description];
  });
  const provider = [
    '`<PROVIDER>_API_KEY` or `<PROVIDER>_API_KEY_FILE`, `<PROVIDER>_BASE_URL`',
    'none',
    'A [provider](providers.md).',
  ];
  return table(['variable', 'default', 'meaning'], [...rows, provider]);
}

function defaultOf(value: unknown): string {
  if (value === undefined || value === '' || (Array.isArray(value) && value.length === 0)) return 'none';
  if (typeof value === 'boolean') return value ? 'on' : 'off';
  return `\`${String(value)}\``;
}
