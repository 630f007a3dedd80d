import type { Exemplar } from '../../gateway/metrics/histogram.ts';

/** The end of a sample's line. Quotation marks of labels are escaped, so none of their values looks like it. */
const pattern = / # \{trace_id="[0-9a-f]{32}",span_id="[0-9a-f]{16}"\} \S+ (\S+)$/;
const all = new RegExp(pattern, 'gm');

export interface RenderedExemplar {
  readonly text: string;
  /** Seconds since 1970. */
  readonly at: number;
}

/** Source: OpenMetrics 1.0, Exemplars. */
export function renderExemplar({ traceId, spanId, value, at }: Exemplar): string {
  return ` # {trace_id="${traceId}",span_id="${spanId}"} ${value} ${at / 1_000}`;
}

export function splitExemplar(line: string): { readonly sample: string; readonly exemplar: RenderedExemplar | null } {
  const found = pattern.exec(line);
  if (found === null) return { sample: line, exemplar: null };
  return { sample: line.slice(0, found.index), exemplar: { text: found[0], at: Number(found[1]) } };
}

export function withoutExemplars(page: string): string {
  return page.replace(all, '');
}
