import { parametersOf } from '../capabilities.ts';
import type { Draft } from '../draft.ts';

/** Parameters of a chat as the fields show them, and the others as JSON. */
export function parametersOfReplay(
  parameters: Readonly<Record<string, unknown>>,
): Pick<Draft, 'parameters' | 'tools' | 'others'> {
  const { tools, max_tokens: maxTokens, ...rest } = parameters;
  const given = { ...(maxTokens !== undefined && { max_completion_tokens: maxTokens }), ...rest };
  const fields: Record<string, string> = {};
  const others: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(given)) {
    const text = fieldText(name, value);
    if (text === null) others[name] = value;
    else fields[name] = text;
  }
  return { parameters: fields, tools: jsonText(tools), others: Object.keys(others).length > 0 ? jsonText(others) : '' };
}

/** Null for what no field can hold. */
function fieldText(name: string, value: unknown): string | null {
  const field = parametersOf.chat.find((each) => each.name === name);
  if (field?.kind === 'number') return typeof value === 'number' ? String(value) : null;
  const text = Array.isArray(value) && value.length === 1 ? (value[0] as unknown) : value;
  if (field === undefined || typeof text !== 'string' || text.trim() !== text || text === '') return null;
  return field.choices === undefined || field.choices.includes(text) ? text : null;
}

function jsonText(value: unknown): string {
  return value === undefined || value === null ? '' : JSON.stringify(value, null, 2);
}
