import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { metricsReference } from '../../../src/cli/docs/metrics-reference.ts';

interface Family {
  readonly type: string;
  readonly labels: readonly string[];
}

/** What `/metrics` has, by name. */
const families: ReadonlyMap<string, Family> = new Map(
  [...metricsReference().matchAll(/^\| `(\w+)` \| (\w+) \| (.*?) \|/gm)].map(
    ([, name = '', type = '', labels = '']) => [
      name,
      { type, labels: [...labels.matchAll(/`(\w+)`/g)].map(([, label = '']) => label) },
    ],
  ),
);

const targetSchema = z.object({ expr: z.string(), legendFormat: z.string() });
const panelSchema = z.object({
  id: z.number(),
  title: z.string(),
  type: z.string(),
  description: z.string().optional(),
  gridPos: z.object({ x: z.number(), y: z.number(), w: z.number(), h: z.number() }),
  targets: z.array(targetSchema).default([]),
});
const dashboardSchema = z.object({ uid: z.string(), title: z.string(), panels: z.array(panelSchema) });
const dashboard = dashboardSchema.parse(JSON.parse(readFileSync('deploy/grafana/sluice.json', 'utf8')));
const ruleSchema = z.object({ alert: z.string(), expr: z.string(), annotations: z.object({ summary: z.string() }) });
const rulesSchema = z.object({ groups: z.array(z.object({ rules: z.array(ruleSchema) })) });
const rules = rulesSchema
  .parse(parse(readFileSync('deploy/prometheus/rules.yaml', 'utf8')))
  .groups.flatMap((group) => group.rules);

/** What Prometheus adds to each sample. */
const ADDED = ['instance', 'job', 'le'];

/** The faults of an expression: metrics and labels that no page has, and parentheses that do not match. */
function faultsOf(expression: string): string[] {
  const names = [...expression.matchAll(/\bsluice_\w+/g)].map(([name]) => name);
  const known = names.map((name) => [name, families.get(name) ?? histogram(name)] as const);
  const unknown = known.filter(([, family]) => family === undefined).map(([name]) => `no metric ${name}`);
  const labels = new Set([...known.flatMap(([, family]) => family?.labels ?? []), ...ADDED]);
  const used = [
    ...[...expression.matchAll(/(\w+)\s*(?:=~|!~|!=|=)\s*"/g)].map(([, label = '']) => label),
    ...[...expression.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, list = '']) => list.split(/,\s*/)),
  ];
  const open = [...expression].reduce((depth, char) => depth + Number(char === '(') - Number(char === ')'), 0);
  return [
    ...unknown,
    ...used.filter((label) => !labels.has(label)).map((label) => `no label ${label} in ${expression}`),
    ...(open === 0 ? [] : [`parentheses do not match in ${expression}`]),
  ];
}

function histogram(name: string): Family | undefined {
  const family = families.get(name.replace(/_(?:bucket|sum|count)$/, ''));
  return family?.type === 'histogram' ? family : undefined;
}

describe('the metrics that dashboards and alerts use', () => {
  it('are checked against the page of the server', () => {
    expect(families.get('sluice_requests_total')).toEqual({ type: 'counter', labels: ['capability', 'status'] });
    expect(faultsOf('sum by (model) (rate(sluice_requests_totals[5m]))')).toHaveLength(2);
    expect(faultsOf('rate(sluice_requests_total_bucket{status="5xx"}[5m]')).toHaveLength(3);
  });

  it.each(dashboard.panels.flatMap(({ title, targets }) => targets.map(({ expr }) => [title, expr])))(
    'exist for the panel %s',
    (_title, expression) => expect(faultsOf(expression)).toEqual([]),
  );

  it.each(rules.map(({ alert, expr }) => [alert, expr]))('exist for the alert %s', (_alert, expression) =>
    expect(faultsOf(expression)).toEqual([]),
  );

  it('have labels in legends that the expression keeps', () => {
    for (const { targets } of dashboard.panels)
      for (const { expr, legendFormat } of targets)
        for (const [, label = ''] of legendFormat.matchAll(/\{\{(\w+)\}\}/g))
          expect([expr, /\bby \(/.test(expr) ? expr.includes(label) : label === 'instance']).toEqual([expr, true]);
  });
});

describe('the dashboard', () => {
  it('explains each panel, and no two overlap', () => {
    const cells = new Map<string, string>();
    for (const { type, title, description, gridPos } of dashboard.panels) {
      if (type !== 'row') expect([title, description]).toEqual([title, expect.stringMatching(/\.$/)]);
      for (let x = gridPos.x; x < gridPos.x + gridPos.w; x++)
        for (let y = gridPos.y; y < gridPos.y + gridPos.h; y++) {
          expect([title, cells.get(`${x},${y}`)]).toEqual([title, undefined]);
          cells.set(`${x},${y}`, title);
        }
    }
    expect(new Set(dashboard.panels.map(({ id }) => id)).size).toBe(dashboard.panels.length);
  });
});
