import { useCallback, useEffect, useState } from 'react';
import { useViewer } from '../../shell/viewer.ts';
import { isObject } from '../../data/json.ts';
import { removeResults } from '../../data/stored-results.ts';
import { readDraft, type PlacedDraft } from './draft.ts';

export interface Remembered {
  readonly at: string;
  readonly draft: PlacedDraft;
}

export interface History {
  readonly entries: readonly Remembered[];
  readonly isKept: boolean;
  /** False in an account with zero retention. */
  readonly canKeep: boolean;
  add(draft: PlacedDraft): void;
  clear(): void;
  /** Turns storage of prompts and media on or off. Turning it off deletes everything stored. */
  keep(isKept: boolean): void;
}

const MOST = 50;
/** Longer prompts are not stored, because a browser's storage is small. */
const LONGEST = 20_000;

/** The storage key of this user in this account. */
export function usePlace(): string {
  const { user, currentAccount } = useViewer();
  return `sluice.playground.${user?.id ?? ''}.${currentAccount.id}`;
}

export function keepsPrompts(place: string): boolean {
  return localStorage.getItem(`${place}.off`) === null;
}

/**
 * The prompts sent from this browser, separate for each user and account, without attached images. Clearing it also removes the
 * stored results.
 */
export function useHistory(): History {
  const place = usePlace();
  const canKeep = !useViewer().currentAccount.zeroRetention;
  const [entries, setEntries] = useState(() => (canKeep ? read(place) : []));
  const [isWanted, setWanted] = useState(() => keepsPrompts(place));
  const isKept = isWanted && canKeep;
  useEffect(() => {
    // Removes entries from before zero retention was turned on.
    if (!canKeep) localStorage.removeItem(place);
  }, [canKeep, place]);
  const add = useCallback(
    (draft: PlacedDraft) => {
      if (!isKept || JSON.stringify(draft).length > LONGEST) return;
      const others = read(place).filter((each) => JSON.stringify(each.draft) !== JSON.stringify(draft));
      const next = [{ at: new Date().toISOString(), draft }, ...others].slice(0, MOST);
      write(place, next);
      setEntries(next);
    },
    [place, isKept],
  );
  const clear = useCallback(() => {
    localStorage.removeItem(place);
    void removeResults(place);
    setEntries([]);
  }, [place]);
  const keep = useCallback(
    (next: boolean) => {
      if (next) localStorage.removeItem(`${place}.off`);
      else {
        localStorage.setItem(`${place}.off`, '1');
        clear();
      }
      setWanted(next);
    },
    [place, clear],
  );
  return { entries, isKept, canKeep, add, clear, keep };
}

function read(place: string): readonly Remembered[] {
  try {
    const parsed: unknown = JSON.parse(localStorage.getItem(place) ?? '[]');
    if (!Array.isArray(parsed)) return [];
    return parsed.flatMap((each: unknown) => {
      if (!isObject(each) || typeof each.at !== 'string') return [];
      const draft = readDraft(each.draft);
      return draft ? [{ at: each.at, draft }] : [];
    });
  } catch {
    return [];
  }
}

function write(place: string, entries: readonly Remembered[]): void {
  try {
    localStorage.setItem(place, JSON.stringify(entries));
  } catch {
    // The storage is full. The entry stays on the page only.
  }
}
