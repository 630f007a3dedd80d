import { searchesUsed, type Usage } from '../canonical/usage.ts';
import { countIn, isObject, listOf, membersOf, type JsonObject } from '../canonical/json-members.ts';

/** Bounded, because the runs are added up again at each report. */
const MAX_RUNS = 1_000;

interface Counts {
  readonly input: number;
  readonly cached: number;
  readonly written: number;
  readonly written1h: number;
  readonly output: number;
}

/**
 * Anthropic counts cache reads and writes in addition to the input; OpenAI counts them as input. If a response needed
 * several runs of the model (`iterations`: with a compaction before it), the totals omit some of them, and the runs are
 * added up; a fallback run of another model is included in the totals. Source:
 * platform.claude.com/docs/en/api/messages, Usage; "Compaction", "Understanding usage".
 */
export function chatUsage(usage: JsonObject): Usage {
  const { input, cached, written, written1h, output } = runsOf(usage) ?? countsOf(usage);
  const details = membersOf(usage.output_tokens_details);
  return {
    inputTokens: input + cached + written,
    outputTokens: output,
    cachedTokens: cached,
    cacheWriteTokens: written,
    cacheWrite1hTokens: written1h,
    reasoningTokens: countIn(details, 'thinking_tokens'),
    hostedTools: searchesUsed(countIn(membersOf(usage.server_tool_use), 'web_search_requests')),
  };
}

/**
 * Null where the totals are complete. The runs of an advisor use another model at its own price: they are not included.
 */
function runsOf(usage: JsonObject): Counts | null {
  const iterations = listOf(usage.iterations).slice(0, MAX_RUNS).filter(isObject);
  if (iterations.some(({ type }) => type === 'fallback_message')) return null;
  const runs = iterations.filter(({ type }) => type === 'compaction' || type === 'message').map(countsOf);
  if (runs.length === 0) return null;
  return runs.reduce((total, run) => ({
    input: total.input + run.input,
    cached: total.cached + run.cached,
    written: total.written + run.written,
    written1h: total.written1h + run.written1h,
    output: total.output + run.output,
  }));
}

function countsOf(usage: JsonObject): Counts {
  const creation = membersOf(usage.cache_creation);
  return {
    input: countIn(usage, 'input_tokens'),
    cached: countIn(usage, 'cache_read_input_tokens'),
    written: countIn(usage, 'cache_creation_input_tokens'),
    written1h: countIn(creation, 'ephemeral_1h_input_tokens'),
    output: countIn(usage, 'output_tokens'),
  };
}
