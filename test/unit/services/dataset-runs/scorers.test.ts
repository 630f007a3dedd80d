import { describe, expect, it } from 'vitest';
import { scorerNames, scoresOf, type ScorerName } from '../../../../src/services/dataset-runs/scorers.ts';

const says = (content: unknown): Record<string, unknown> => ({ role: 'assistant', content });
const calls = (...functions: readonly (readonly [name: string, args: unknown])[]): Record<string, unknown> => ({
  role: 'assistant',
  content: null,
  tool_calls: functions.map(([name, args], at) => ({
    id: `call-${Math.random()}-${at}`,
    type: 'function',
    function: { name, arguments: args },
  })),
});

function score(scorer: ScorerName, output: Record<string, unknown>, expected: Record<string, unknown> | null) {
  return scoresOf([scorer], output, expected)[0];
}

describe('scorers', () => {
  it.each([
    ['EXACT_MATCH', says(' A  gate.\n'), says('A gate.'), 1],
    ['EXACT_MATCH', says([{ type: 'text', text: 'A gate.' }]), says('A gate.'), 1],
    ['EXACT_MATCH', says('a gate.'), says('A gate.'), 0],
    ['CONTAINS', says('It is a\ngate of water.'), says('a gate'), 1],
    ['CONTAINS', says('a gate'), says('It is a gate.'), 0],
    ['JSON_VALID', says('{"a": 1}'), null, 1],
    ['JSON_VALID', says('```json\n{}\n```'), null, 0],
    ['JSON_VALID', says(null), null, 0],
    ['JSON_MATCH', says('{"a":[1,{"b":2}],"c":null}'), says(' {"c": null, "a": [1.0, {"b": 2}]}'), 1],
    ['JSON_MATCH', says('{"a":[2,1]}'), says('{"a":[1,2]}'), 0],
    ['JSON_MATCH', says('none'), says('{}'), 0],
    ['TOOL_CALLS_MATCH', calls(['f', '{"a":1,"b":{"d":1,"c":2}}']), calls(['f', '{"b":{"c":2,"d":1}, "a":1}']), 1],
    ['TOOL_CALLS_MATCH', calls(['f', '{}'], ['g', '{}']), calls(['g', '{}'], ['f', '{}']), 1],
    ['TOOL_CALLS_MATCH', calls(['f', '{}'], ['f', '{}']), calls(['f', '{}']), 0],
    ['TOOL_CALLS_MATCH', calls(['f', '{"a":1}']), calls(['f', '{"a":2}']), 0],
    ['TOOL_CALLS_MATCH', calls(['f', 'not JSON']), calls(['f', 'not JSON']), 1],
    ['TOOL_CALLS_MATCH', says('Hello'), says('Hi'), 1],
    ['TOOL_CALLS_MATCH', calls(['f', '{}']), says('Hi'), 0],
  ] as const)('%s of %j with %j expected is %d', (scorer, output, expected, value) => {
    expect(score(scorer, output, expected)).toBe(value);
  });

  it('scores 0 where values are nested too deep to be compared', () => {
    const nested = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
    expect(score('JSON_MATCH', says(nested), says(nested))).toBe(0);
    expect(score('TOOL_CALLS_MATCH', calls(['f', nested]), calls(['f', nested]))).toBe(0);
  });

  it('does not score what has nothing to compare with', () => {
    const comparing = scorerNames.filter((name) => name !== 'JSON_VALID');
    expect(scoresOf(comparing, says('{}'), null)).toEqual(comparing.map(() => null));
    const texts = ['EXACT_MATCH', 'CONTAINS', 'JSON_MATCH'] as const;
    expect(scoresOf(texts, says('{}'), calls(['f', '{}']))).toEqual([null, null, null]);
    expect(score('JSON_MATCH', says('{}'), says('A gate.'))).toBeNull();
  });
});
