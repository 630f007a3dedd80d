import { globSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { GARBAGE_COLLECTION, NODE, phases, phaseOfPath } from '../../bench/profile/phases.ts';
import { renderSummary, summarize } from '../../bench/profile/summarize.ts';
import type { Profile } from '../../bench/profile/take-profile.ts';

const frame = (functionName: string, url = ''): Profile['nodes'][number]['callFrame'] => ({
  functionName,
  url,
  lineNumber: 9,
});
const built = 'file:///srv/sluice/dist';
const profile: Profile = {
  nodes: [
    { id: 1, callFrame: frame('(root)'), children: [2, 5, 6, 7] },
    { id: 2, callFrame: frame('onread', 'node:net'), children: [3] },
    { id: 3, callFrame: frame('readBody', `${built}/rest/body/read-body.js`), children: [4] },
    { id: 4, callFrame: frame('concat', 'node:buffer') },
    { id: 5, callFrame: frame('(garbage collector)') },
    { id: 6, callFrame: frame('(idle)') },
    { id: 7, callFrame: frame('onData', 'file:///srv/sluice/node_modules/undici/dist/client.js') },
  ],
  startTime: 0,
  endTime: 1_000,
  samples: [2, 3, 4, 6, 5, 7],
  timeDeltas: [100, 100, 200, 300, 100, 50],
};

describe('a profile of the benchmark', () => {
  it('counts what Node does for the part of the server that called it, and leaves out waiting', () => {
    const { busyMicros, phases: costs, functions } = summarize([profile]);
    expect(Object.fromEntries(costs.map(({ phase, micros }) => [phase, micros]))).toEqual({
      'reading the body': 200 + 300,
      [NODE]: 100,
      [GARBAGE_COLLECTION]: 50,
      upstream: 150,
    });
    expect(busyMicros).toBe(800);
    expect(functions[0]).toEqual({ name: 'concat node:buffer:10', phase: 'reading the body', micros: 300 });
  });

  it('is printed with shares and costs per request', () => {
    const text = renderSummary('small request', 10, summarize([profile]));
    expect(text).toContain('small request: 80.0 µs per request');
    expect(text).toMatch(/reading the body\s+62\.5 %\s+50\.0/);
    expect(text).toContain('onData undici/dist/client.js:10 (upstream)');
  });

  it('has phases for all of the data plane, and none for files that no longer exist', () => {
    const files = globSync('**/*.ts', { cwd: fileURLToPath(new URL('../../../src', import.meta.url)) });
    for (const [pattern, phase] of phases) {
      const first = files.filter((file) => phaseOfPath(file) === phase && pattern.test(file));
      expect(first.length, phase).toBeGreaterThan(0);
    }
    const named = new Set(phases.map(([, phase]) => phase));
    const dataPlane = files.filter((file) => /^(gateway|protocols|providers|rest|live)\//.test(file));
    expect(dataPlane.filter((file) => !named.has(phaseOfPath(file)))).toEqual([]);
  });
});
