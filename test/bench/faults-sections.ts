import type { RedisKind } from '../harness/cluster/shared-redis.ts';

const titles: Readonly<Record<RedisKind, string>> = {
  standalone: 'One Redis server',
  cluster: 'Redis Cluster with three primaries',
};
const MARK = '\n## ';

/**
 * A report in which one kind of Redis has a new section, and the other one, if it has any, the section of before.
 * @param intro what is before the sections
 */
export function withSection(report: string, intro: string, kind: RedisKind, section: string): string {
  const [, ...before] = report.split(MARK);
  const sections = Object.entries(titles).map(([each, title]) => {
    if (each === kind) return `${title}\n\n${section}`;
    return before.find((text) => text.startsWith(`${title}\n`)) ?? null;
  });
  return [intro, ...sections.filter((text) => text !== null)].map((text) => text.trimEnd()).join(`\n${MARK}`) + '\n';
}
