import { useEffect, useState } from 'react';
import { MemberNamesDocument } from '../../generated/graphql.ts';
import { usePermissions } from '../../shell/permissions.ts';
import { useFetchQuery } from '../graphql/hooks.ts';
import type { MemberName } from './member-name.ts';

/** The number of users that the server finds at once. */
const MAX_USERS = 100;

interface Loaded {
  readonly ids: ReadonlySet<string>;
  readonly names: ReadonlyMap<string, MemberName>;
}

const none: Loaded['names'] = new Map();

/** The names of members by user ID; null while loading. Former members have none, nor has anyone after a failure. */
export function useMemberNames(ids: readonly string[]): ReadonlyMap<string, MemberName> | null {
  const isAllowed = usePermissions().can('members.read');
  const fetchNames = useFetchQuery(MemberNamesDocument);
  const [loaded, setLoaded] = useState<Loaded | null>(null);
  const key = isAllowed ? ids.toSorted().join(' ') : '';
  useEffect(() => {
    if (key === '') return;
    const users = key.split(' ');
    let isCurrent = true;
    const show = (names: Loaded['names']): void => {
      if (isCurrent) setLoaded({ ids: new Set(users), names });
    };
    Promise.all(chunksOf(users, MAX_USERS).map((chunk) => fetchNames({ users: chunk }))).then(
      (results) => show(namesOf(results.flatMap(({ account }) => account.members.nodes.map(({ user }) => user)))),
      () => show(none),
    );
    return () => {
      isCurrent = false;
    };
  }, [key, fetchNames]);
  if (key === '') return none;
  return loaded !== null && ids.every((id) => loaded.ids.has(id)) ? loaded.names : null;
}

/** The name of the member that a filter is for. */
export function filteredMemberText(names: ReadonlyMap<string, MemberName> | null, id: string): string {
  return names === null ? 'Member' : `Member: ${names.get(id)?.name ?? 'Former member'}`;
}

function namesOf(
  users: readonly { readonly id: string; readonly name: string; readonly email: string }[],
): ReadonlyMap<string, MemberName> {
  return new Map(users.map(({ id, name, email }) => [id, { name: name || email, email }]));
}

function chunksOf<T>(all: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(all.length / size) }, (_, index) =>
    all.slice(index * size, (index + 1) * size),
  );
}
