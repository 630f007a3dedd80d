import type { Connection } from '../../contract.ts';
import { combinedDataPolicy, UNKNOWN_DATA_POLICY, type DataPolicy } from './data-policy.ts';

/** Where a connection's requests go, and what happens to their data there. */
export interface ConnectionTerms {
  /** Null if unknown. */
  readonly region: string | null;
  readonly dataPolicy: DataPolicy;
}

const UNKNOWN_TERMS: ConnectionTerms = { region: null, dataPolicy: UNKNOWN_DATA_POLICY };

const terms = new WeakMap<Connection, ConnectionTerms>();

export function rememberTerms(connection: Connection, known: ConnectionTerms): void {
  terms.set(connection, known);
}

export function termsOf(connection: Connection): ConnectionTerms {
  return terms.get(connection) ?? UNKNOWN_TERMS;
}

/** What holds whichever of the connections serves a request. */
export function combinedTerms(connections: readonly Connection[]): ConnectionTerms {
  const all = connections.map(termsOf);
  const [first] = all;
  if (first === undefined) return UNKNOWN_TERMS;
  return {
    region: all.every(({ region }) => region === first.region) ? first.region : null,
    dataPolicy: combinedDataPolicy(all.map(({ dataPolicy }) => dataPolicy)),
  };
}
