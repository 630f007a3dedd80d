import { listOf, membersOf, textOf } from '../canonical/json-members.ts';
import type { HostedTool } from '../canonical/protocol.ts';

/** By type. Sources: OpenAI's API document, Tool; docs.x.ai/developers/pricing, "Tool Invocation Costs". */
const units: ReadonlyMap<string, HostedTool> = new Map([
  ['web_search', 'search'],
  ['web_search_preview', 'search'],
  ['file_search', 'file_search'],
  ['collections_search', 'file_search'],
  ['x_search', 'x_search'],
  ['code_interpreter', 'code_execution'],
  ['code_execution', 'code_execution'],
]);

/** The tools of a request that its provider runs and may bill by the call, once each. */
export function hostedToolsOf(request: unknown): readonly HostedTool[] {
  const found = new Set<HostedTool>();
  for (const tool of listOf(membersOf(request).tools)) {
    // With a date: `web_search_2025_08_26`.
    const type = (textOf(membersOf(tool).type) ?? '').replace(/_\d{4}_\d{2}_\d{2}$/, '');
    const unit = units.get(type);
    if (unit !== undefined) found.add(unit);
  }
  return [...found];
}
