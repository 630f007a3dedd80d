import { withoutExemplars } from './exemplars.ts';

/** How a page of `renderMetrics` is sent. */
export interface PageFormat {
  readonly contentType: string;
  of(page: string): string;
}

const COUNTER_SUFFIX = '_total';
/** `le` is the last label. Source: OpenMetrics 1.0, Numbers: bounds are written as floating-point numbers. */
const wholeBound = /(?<=[{,]le="\d+)(?="\} )/;

/** Prometheus' text format, version 0.0.4, which has no exemplars. */
const text: PageFormat = { contentType: 'text/plain; version=0.0.4; charset=utf-8', of: withoutExemplars };

const openMetrics: PageFormat = {
  contentType: 'application/openmetrics-text; version=1.0.0; charset=utf-8',
  of: (page) => `${page.split('\n').map(openMetricsLine).join('\n')}# EOF\n`,
};

/**
 * The format that a client prefers; OpenMetrics only for one that names it.
 * @param accept the header as it was sent
 */
export function formatFor(accept: string | undefined): PageFormat {
  const ranges = (accept ?? '').split(',').map(rangeOf);
  const wanted = highestQuality(ranges.filter(isOpenMetrics)) ?? 0;
  const ofText = ['text/plain', 'text/*', '*/*'].map((name) => ranges.filter(({ type }) => type === name));
  const plain = ofText.map(highestQuality).find((quality) => quality !== null) ?? 0;
  return wanted > 0 && wanted >= plain ? openMetrics : text;
}

function highestQuality(ranges: readonly MediaRange[]): number | null {
  return ranges.length === 0 ? null : Math.max(...ranges.map(({ quality }) => quality));
}

interface MediaRange {
  readonly type: string;
  readonly parameters: ReadonlyMap<string, string>;
  readonly quality: number;
}

function rangeOf(range: string): MediaRange {
  const [type = '', ...list] = range.split(';').map((part) => part.trim().toLowerCase());
  const parameters = new Map(
    list.map((pair) => {
      const [name = '', value = ''] = pair.split('=').map((part) => part.trim());
      return [name, value.replaceAll('"', '')];
    }),
  );
  const quality = Number(parameters.get('q') ?? 1);
  return { type, parameters, quality: quality >= 0 && quality <= 1 ? quality : 0 };
}

function isOpenMetrics({ type, parameters }: MediaRange): boolean {
  const version = parameters.get('version') ?? '1.0.0';
  return type === 'application/openmetrics-text' && (version === '1.0.0' || version === '0.0.1');
}

/** The name of a counter's family has no suffix there, and quotation marks in its text are escaped. */
function openMetricsLine(line: string): string {
  if (!line.startsWith('# ')) return line.replace(wholeBound, '.0');
  const [, kind = '', name = '', rest = ''] = /^# (HELP|TYPE) (\S+) (.*)$/.exec(line) ?? [];
  const family = name.endsWith(COUNTER_SUFFIX) ? name.slice(0, -COUNTER_SUFFIX.length) : name;
  return `# ${kind} ${family} ${kind === 'HELP' ? rest.replaceAll('"', '\\"') : rest}`;
}
