import { existsSync, readFileSync } from 'node:fs';

/**
 * - `killed`: a test fails.
 * - `timeout`: the tests do not end in time.
 * - `survived`: all tests that reach it pass.
 * - `unreached`: no test reaches it.
 * - `unplaced`: its lines are not in the checkout.
 * - `error`: the tests could not be run.
 */
export type Outcome = 'killed' | 'timeout' | 'survived' | 'unreached' | 'unplaced' | 'error';

export interface FaultResult {
  readonly id: string;
  readonly outcome: Outcome;
  /** `<test file> > <test name>`. */
  readonly by?: string;
  readonly detail?: string;
  readonly seconds: number;
}

/** By id. Of a fault that was run again, the last result counts. */
export function readResults(path: string): Map<string, FaultResult> {
  if (!existsSync(path)) return new Map();
  const lines = readFileSync(path, 'utf8').split('\n').filter(Boolean);
  return new Map(lines.map((line) => JSON.parse(line) as FaultResult).map((result) => [result.id, result]));
}

export function isDetected({ outcome }: FaultResult): boolean {
  return outcome === 'killed' || outcome === 'timeout';
}
