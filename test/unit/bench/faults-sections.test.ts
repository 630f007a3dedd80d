import { describe, expect, it } from 'vitest';
import { withSection } from '../../bench/faults-sections.ts';

const [standalone, cluster] = ['## One Redis server\n\n', '## Redis Cluster with three primaries\n\n'];

describe('the report of faults', () => {
  it('begins with the section that is measured first', () => {
    expect(withSection('', '# Faults', 'cluster', 'new\n')).toBe(`# Faults\n\n${cluster}new\n`);
  });

  it('keeps the section of the other kind of Redis, whichever is measured', () => {
    const both = `# Old\n\n${standalone}one\n\n| a |\n\n${cluster}other\n`;
    expect(withSection(both, '# Faults', 'cluster', 'new')).toBe(
      `# Faults\n\n${standalone}one\n\n| a |\n\n${cluster}new\n`,
    );
    expect(withSection(both, '# Faults', 'standalone', 'new')).toBe(
      `# Faults\n\n${standalone}new\n\n${cluster}other\n`,
    );
  });

  it('has the sections in one order', () => {
    const first = withSection('', '# Faults', 'cluster', 'c');
    expect(withSection(first, '# Faults', 'standalone', 's')).toBe(`# Faults\n\n${standalone}s\n\n${cluster}c\n`);
  });
});
