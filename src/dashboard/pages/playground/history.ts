import { useCallback, useEffect, useState } from 'react';
import { useViewer } from '../../shell/viewer.ts';
import { isObject } from '../../data/json.ts';
import { removeResults } from '../../data/stored-results.ts';
import { readDraft, type TargetedDraft } from './draft.ts';

export interface HistoryEntry {
  readonly at: string;
  readonly draft: TargetedDraft;
}

export interface History {
  readonly entries: readonly HistoryEntry[];
  readonly isStored: boolean;
  /** False in an account with zero retention. */
  readonly canStore: boolean;
  add(draft: TargetedDraft): void;
  clear(): void;
  /** Turns storage of prompts and media on or off. Turning it off deletes everything stored. */
  setStored(isStored: boolean): void;
}

const MAX_ENTRIES = 50;
/** Longer prompts are not stored, because a browser's storage is small. */
const MAX_DRAFT_LENGTH = 20_000;

/** The storage key of this user in this account. */
export function useStorageKey(): string {
  const { user, currentAccount } = useViewer();
  return `sluice.playground.${user?.id ?? ''}.${currentAccount.id}`;
}

export function storesPrompts(storageKey: string): boolean {
  return localStorage.getItem(`${storageKey}.off`) === null;
}

/**
 * The prompts sent from this browser, separate for each user and account, without attached images. Clearing it also removes the
 * stored results.
 */
export function useHistory(): History {
  const storageKey = useStorageKey();
  const canStore = !useViewer().currentAccount.zeroRetention;
  const [entries, setEntries] = useState(() => (canStore ? read(storageKey) : []));
  const [isStorageEnabled, setStorageEnabled] = useState(() => storesPrompts(storageKey));
  const isStored = isStorageEnabled && canStore;
  useEffect(() => {
    // Removes entries from before zero retention was turned on.
    if (!canStore) localStorage.removeItem(storageKey);
  }, [canStore, storageKey]);
  const add = useCallback(
    (draft: TargetedDraft) => {
      if (!isStored || JSON.stringify(draft).length > MAX_DRAFT_LENGTH) return;
      const others = read(storageKey).filter((each) => JSON.stringify(each.draft) !== JSON.stringify(draft));
      const next = [{ at: new Date().toISOString(), draft }, ...others].slice(0, MAX_ENTRIES);
      write(storageKey, next);
      setEntries(next);
    },
    [storageKey, isStored],
  );
  const clear = useCallback(() => {
    localStorage.removeItem(storageKey);
    void removeResults(storageKey);
    setEntries([]);
  }, [storageKey]);
  const setStored = useCallback(
    (next: boolean) => {
      if (next) localStorage.removeItem(`${storageKey}.off`);
      else {
        localStorage.setItem(`${storageKey}.off`, '1');
        clear();
      }
      setStorageEnabled(next);
    },
    [storageKey, clear],
  );
  return { entries, isStored, canStore, add, clear, setStored };
}

function read(storageKey: string): readonly HistoryEntry[] {
  try {
    const parsed: unknown = JSON.parse(localStorage.getItem(storageKey) ?? '[]');
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

function write(storageKey: string, entries: readonly HistoryEntry[]): void {
  try {
    localStorage.setItem(storageKey, JSON.stringify(entries));
  } catch {
    // The storage is full. The entry stays on the page only.
  }
}
