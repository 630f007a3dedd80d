import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Fault } from './fault.ts';
import { findPlace, type Place } from './place.ts';

export interface FaultPlace extends Place {
  /** Where the fault's lines are in this checkout: not its own file where that was renamed. */
  readonly file: string;
}

/** Null where the fault's lines are not in the checkout, or in several files. */
export function findInTree(tree: string, fault: Fault): FaultPlace | null {
  const placeIn = (file: string): FaultPlace[] => {
    const place = findPlace(readFileSync(join(tree, file), 'utf8'), fault);
    return place === null ? [] : [{ ...place, file }];
  };
  if (existsSync(join(tree, fault.file))) {
    const [place] = placeIn(fault.file);
    if (place !== undefined) return place;
  }
  const listed = execFileSync('git', ['ls-files', 'src/*.ts', 'src/*.tsx'], { cwd: tree, encoding: 'utf8' });
  const places = listed.split('\n').filter(Boolean).flatMap(placeIn);
  const [place] = places;
  return places.length === 1 && place !== undefined ? place : null;
}

/** Writes a fault into a checkout. @returns what restores the file */
export function applyFault(tree: string, { file, start, end }: FaultPlace, { replacement }: Fault): () => void {
  const path = join(tree, file);
  const text = readFileSync(path, 'utf8');
  writeFileSync(path, text.slice(0, start) + replacement + text.slice(end));
  return () => writeFileSync(path, text);
}

/** @throws where src has changes that are not committed: they would be taken for faults, or lost */
export function assertClean(tree: string): void {
  const changes = execFileSync('git', ['status', '--porcelain', '--', 'src'], { cwd: tree, encoding: 'utf8' });
  if (changes !== '') throw new Error(`${tree} has uncommitted changes in src:\n${changes}Commit or discard them.`);
}
