import { useCallback, useState } from 'react';
import { useViewer } from '../../shell/viewer.ts';
import { isObject } from '../../data/json.ts';
import { readDraft, type PlacedDraft } from './draft.ts';

export interface Remembered {
  readonly at: string;
  readonly draft: PlacedDraft;
}

export interface History {
  readonly entries: readonly Remembered[];
  readonly isKept: boolean;
  add(draft: PlacedDraft): void;
  clear(): void;
  /** Whether prompts are kept from now on; what was kept until then goes when they are not. */
  keep(isKept: boolean): void;
}

const MOST = 50;
/** Longer prompts are not kept: a browser's storage is small. */
const LONGEST = 20_000;

/** What was sent, in this browser alone, for each user and account apart. Neither answers nor pictures are kept. */
export function useHistory(): History {
  const { user, currentAccount } = useViewer();
  const place = `sluice.playground.${user?.id ?? ''}.${currentAccount.id}`;
  const [entries, setEntries] = useState(() => read(place));
  const [isKept, setKept] = useState(() => localStorage.getItem(`${place}.off`) === null);
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
    setEntries([]);
  }, [place]);
  const keep = useCallback(
    (next: boolean) => {
      if (next) localStorage.removeItem(`${place}.off`);
      else {
        localStorage.setItem(`${place}.off`, '1');
        clear();
      }
      setKept(next);
    },
    [place, clear],
  );
  return { entries, isKept, add, clear, keep };
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
    // A full storage forgets: what is on the page stays.
  }
}
