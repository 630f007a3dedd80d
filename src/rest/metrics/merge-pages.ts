import { splitExemplar, type RenderedExemplar } from './exemplars.ts';
import { renderNumber } from './render-metrics.ts';

/** Values that say something about each process; of several processes the highest is reported. All others are added up. */
const MAXIMA: ReadonlySet<string> = new Set([
  'sluice_process_uptime_seconds',
  'sluice_event_loop_delay_p99_seconds',
  'sluice_event_loop_delay_max_seconds',
]);

interface Family {
  /** The lines before its samples. */
  readonly head: string[];
  isGauge: boolean;
  /** By name with labels. */
  readonly samples: Map<string, number>;
  /** Likewise. */
  readonly exemplars: Map<string, RenderedExemplar>;
}

type Page = Map<string, Family>;

/** One page for several processes, from theirs: each is an output of `renderMetrics`. */
export function mergePages(pages: readonly string[]): string {
  const merged: Page = new Map();
  for (const page of pages)
    for (const [name, { head, isGauge, samples, exemplars }] of parse(page)) {
      const family = merged.get(name) ?? { ...newFamily(), head, isGauge };
      merged.set(name, family);
      for (const [series, exemplar] of exemplars)
        if (exemplar.at >= (family.exemplars.get(series)?.at ?? 0)) family.exemplars.set(series, exemplar);
      for (const [series, value] of samples)
        family.samples.set(series, mergeValues(name, family.samples.get(series), value));
    }
  return render(merged);
}

/** Only what never decreases: counters and histograms. */
export function countersIn(page: string): string {
  return render(new Map([...parse(page)].filter(([, { isGauge }]) => !isGauge)));
}

function mergeValues(name: string, before: number | undefined, value: number): number {
  if (before === undefined || Number.isNaN(before)) return value;
  if (Number.isNaN(value)) return before;
  return MAXIMA.has(name) ? Math.max(before, value) : before + value;
}

function parse(text: string): Page {
  const page: Page = new Map();
  let family: Family | undefined;
  for (const line of text.split('\n')) {
    const [, kind = '', name = '', rest = ''] = /^# (HELP|TYPE) (\S+) (.*)$/.exec(line) ?? [];
    if (kind !== '') {
      family = page.get(name) ?? newFamily();
      page.set(name, family);
      family.head.push(line);
      if (kind === 'TYPE') family.isGauge = rest === 'gauge';
      continue;
    }
    const { sample, exemplar } = splitExemplar(line);
    const end = sample.lastIndexOf(' ');
    if (end <= 0) continue;
    const series = sample.slice(0, end);
    family?.samples.set(series, Number(sample.slice(end + 1).replace('Inf', 'Infinity')));
    if (exemplar !== null) family?.exemplars.set(series, exemplar);
  }
  return page;
}

function newFamily(): Family {
  return { head: [], isGauge: false, samples: new Map(), exemplars: new Map() };
}

function render(page: Page): string {
  return [...page.values()]
    .map(({ head, samples, exemplars }) => {
      const lines = [...samples].map(
        ([series, value]) => `${series} ${renderNumber(value)}${exemplars.get(series)?.text ?? ''}`,
      );
      return [...head, ...lines, ''].join('\n');
    })
    .join('');
}
