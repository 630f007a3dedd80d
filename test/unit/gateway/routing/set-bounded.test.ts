import { expect, it } from 'vitest';
import { setBounded } from '../../../../src/gateway/routing/set-bounded.ts';

it('evicts the oldest entry when a full map gets a new key', () => {
  const map = new Map([
    ['first', 1],
    ['second', 2],
  ]);
  setBounded(map, 2, 'third', 3);
  expect([...map]).toEqual([
    ['second', 2],
    ['third', 3],
  ]);
});

it('updates an entry of a full map without evicting another one', () => {
  const map = new Map([
    ['first', 1],
    ['second', 2],
  ]);
  setBounded(map, 2, 'second', 3);
  expect([...map]).toEqual([
    ['first', 1],
    ['second', 3],
  ]);
});

it('evicts nothing while the map has room', () => {
  const map = new Map([['first', 1]]);
  setBounded(map, 2, 'second', 2);
  expect(map.size).toBe(2);
});
