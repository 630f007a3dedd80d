import type { Fault, FaultContext } from './fault.ts';

export interface Place {
  /** Offsets of the span in the file. */
  readonly start: number;
  readonly end: number;
  /** Counted from 1, both included. */
  readonly firstLine: number;
  readonly lastLine: number;
}

/** The context of a span, by which `findPlace` finds it again. */
export function contextOf(text: string, start: number, end: number): FaultContext {
  const lines = text.split('\n');
  const first = lineAt(text, start);
  const last = lineAt(text, end);
  const lineStart = text.lastIndexOf('\n', start - 1) + 1;
  const found = {
    before: lines[first - 2] ?? '',
    text: lines.slice(first - 1, last).join('\n'),
    after: lines[last] ?? '',
  };
  const occurrence = 1 + placesOf(text, found).filter((place) => place < lineStart).length;
  return { ...found, occurrence, from: start - lineStart, to: end - lineStart };
}

/** Null where the lines are not in the file, or where it is not clear which of several places is meant. */
export function findPlace(text: string, { context, original }: Fault): Place | null {
  const equal = placesOf(text, context);
  const lineStart = equal[context.occurrence - 1] ?? onlyNeighbour(text, context);
  if (lineStart === null) return null;
  const start = lineStart + context.from;
  const end = lineStart + context.to;
  if (text.slice(start, end) !== original) return null;
  return { start, end, firstLine: lineAt(text, start), lastLine: lineAt(text, Math.max(start, end - 1)) };
}

type Lines = Pick<FaultContext, 'before' | 'text' | 'after'>;

/** Offsets at which the lines begin, between the same neighbours. */
function placesOf(text: string, { before, text: wanted, after }: Lines): number[] {
  return linePlaces(text, wanted).filter((start) => {
    const neighbours = neighboursOf(text, start, wanted);
    return neighbours.before === before && neighbours.after === after;
  });
}

/** The lines' only place, or the only one that still has one of its neighbours. */
function onlyNeighbour(text: string, { before, text: wanted, after }: Lines): number | null {
  const all = linePlaces(text, wanted);
  if (all.length === 1) return all[0] ?? null;
  const near = all.filter((start) => {
    const neighbours = neighboursOf(text, start, wanted);
    return neighbours.before === before || neighbours.after === after;
  });
  return near.length === 1 ? (near[0] ?? null) : null;
}

function linePlaces(text: string, wanted: string): number[] {
  const framed = `\n${text}\n`;
  const places: number[] = [];
  for (let at = framed.indexOf(`\n${wanted}\n`); at >= 0; at = framed.indexOf(`\n${wanted}\n`, at + 1)) places.push(at);
  return places;
}

function neighboursOf(text: string, start: number, wanted: string): { before: string; after: string } {
  const before = text.slice(0, Math.max(0, start - 1));
  const after = text.slice(start + wanted.length + 1);
  return { before: before.slice(before.lastIndexOf('\n') + 1), after: after.split('\n', 1)[0] ?? '' };
}

function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length;
}
