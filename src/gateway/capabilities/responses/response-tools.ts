import type { ResponsesRequest } from './schema.ts';

type Tool = NonNullable<ResponsesRequest['tools']>[number];

/** A tool as a response repeats it, with all required members and null only where the reference allows it. */
export function shownTool(tool: Tool): object {
  const given = withoutNulls(tool);
  switch (tool.type) {
    case 'function':
      return { ...given, parameters: tool.parameters ?? null, strict: tool.strict ?? null };
    case 'custom':
      return given;
    default: {
      const { user_location: place } = tool;
      return { ...given, ...(place && { user_location: { ...place, type: 'approximate' } }) };
    }
  }
}

/** Removes top-level members that are null. */
export function withoutNulls(given: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== null));
}
