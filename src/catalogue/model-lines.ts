import type { ModelRecord } from './model-record.ts';

/**
 * The format of a catalogue file: JSON lines. The first lists the sources, each other one is a model, sorted by ID, so that the
 * models of one provider are read without parsing the rest.
 */
export interface CatalogueHead {
  readonly sources: readonly CatalogueSource[];
}

export interface CatalogueSource {
  readonly name: string;
  readonly licence: string;
  /** `YYYY-MM-DD`: when it was read. */
  readonly date: string;
  readonly commit?: string;
}

export function writeModelLines(head: CatalogueHead, models: Iterable<ModelRecord>): string {
  const sorted = [...models].sort((a, b) => (a.id < b.id ? -1 : 1));
  return [head, ...sorted].map((line) => `${JSON.stringify(line)}\n`).join('');
}

export function readHead(text: string): CatalogueHead {
  return JSON.parse(text.slice(0, text.indexOf('\n')));
}

export function readModels(text: string, provider: string): ModelRecord[] {
  const mark = `\n{"id":${JSON.stringify(`${provider}/`).slice(0, -1)}`;
  const models: ModelRecord[] = [];
  for (let at = text.indexOf(mark); at !== -1 && text.startsWith(mark, at);) {
    const end = text.indexOf('\n', at + 1);
    models.push(JSON.parse(text.slice(at + 1, end)));
    at = end;
  }
  return models;
}

/** The IDs of all models, without parsing their records. */
export function readIds(text: string): string[] {
  return [...text.matchAll(/^\{"id":("(?:[^"\\]|\\.)*")/gm)].map(([, id = '""']) => JSON.parse(id));
}

export function readAllModels(text: string): ModelRecord[] {
  return text
    .split('\n')
    .slice(1)
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
}

/** The date of its first source, which `sluice catalogue update` replaces. */
export function dateOf({ sources }: CatalogueHead): string {
  return sources[0]?.date ?? '';
}
