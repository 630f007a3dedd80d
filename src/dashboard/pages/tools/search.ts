import { oneOf, type UntrustedSearch } from '../../data/search.ts';
import { setUps, type SetUp } from './set-ups.ts';

export interface ToolsSearch {
  readonly tool?: string;
  readonly model?: string;
}

/** A tool in URLs: `claude-code`. */
export function toolId({ name }: Pick<SetUp, 'name'>): string {
  return name.toLowerCase().replaceAll(' ', '-');
}

const ids = setUps.map(toolId);

export function toolsSearch(input: UntrustedSearch): ToolsSearch {
  const { model } = input;
  return { tool: oneOf(ids, input.tool), model: typeof model === 'string' && model !== '' ? model : undefined };
}
