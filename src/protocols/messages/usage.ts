import { searchesUsed, type Usage } from '../canonical/usage.ts';
import { countIn, isObject, listOf, membersOf, type JsonObject } from '../canonical/json-members.ts';

/** They are counted anew with each usage. */
const MAX_RUNS = 1_000;

interface Counts {
  readonly input: number;
  readonly cached: number;
  readonly written: number;
  readonly writtenForAnHour: number;
  readonly output: number;
}

/**
 * Anthropic counts what it read from its cache and what it wrote to it beside the input; OpenAI counts all of it as input.
 * Where an answer took several runs of the model (`iterations`: a compaction before it), the totals leave some out, and the
 * sum is taken; a run of another model that served in its place is in the totals already.
 * Source: platform.claude.com/docs/en/api/messages, Usage; "Compaction", "Understanding usage".
 */
export function chatUsage(usage: JsonObject): Usage {
  const { input, cached, written, writtenForAnHour, output } = runsOf(usage) ?? countsOf(usage);
  const details = membersOf(usage.output_tokens_details);
  return {
    inputTokens: input + cached + written,
    outputTokens: output,
    cachedTokens: cached,
    cacheWriteTokens: written,
    cacheWrite1hTokens: writtenForAnHour,
    reasoningTokens: countIn(details, 'thinking_tokens'),
    searches: searchesUsed(countIn(membersOf(usage.server_tool_use), 'web_search_requests')),
  };
}

/** Null where the totals are complete. An adviser's runs are another model's, at its own price: they are in neither. */
function runsOf(usage: JsonObject): Counts | null {
  const iterations = listOf(usage.iterations).slice(0, MAX_RUNS).filter(isObject);
  if (iterations.some(({ type }) => type === 'fallback_message')) return null;
  const runs = iterations.filter(({ type }) => type === 'compaction' || type === 'message').map(countsOf);
  if (runs.length === 0) return null;
  return runs.reduce((total, run) => ({
    input: total.input + run.input,
    cached: total.cached + run.cached,
    written: total.written + run.written,
    writtenForAnHour: total.writtenForAnHour + run.writtenForAnHour,
    output: total.output + run.output,
  }));
}

function countsOf(usage: JsonObject): Counts {
  const creation = membersOf(usage.cache_creation);
  return {
    input: countIn(usage, 'input_tokens'),
    cached: countIn(usage, 'cache_read_input_tokens'),
    written: countIn(usage, 'cache_creation_input_tokens'),
    writtenForAnHour: countIn(creation, 'ephemeral_1h_input_tokens'),
    output: countIn(usage, 'output_tokens'),
  };
}
