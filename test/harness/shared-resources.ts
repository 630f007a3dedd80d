import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { inject } from 'vitest';
import type { OpenDatabaseOptions } from '../../src/database/database.ts';
import type { FirstOwner } from './product-template.ts';

/** What all test files of a run share, by name; made when it is first asked for. */
export interface SharedResources {
  /** `dist` is up to date. */
  readonly build: object;
  /** A PostgreSQL server; the URL is of its maintenance database. */
  readonly postgres: { readonly adminUrl: string };
  /** A migrated database to copy, never to connect to: PostgreSQL copies only what nobody uses. */
  readonly migratedDatabase: { readonly adminUrl: string; readonly template: string };
  /** A migrated, closed data folder to copy. */
  readonly migratedFolder: { readonly dataDir: string };
  /** The data folder of a product after its first start, to copy. */
  readonly productFolder: { readonly dataDir: string; readonly owner: FirstOwner };
  /** The database of a product after its first start, to copy. */
  readonly productDatabase: { readonly adminUrl: string; readonly template: string; readonly owner: FirstOwner };
  /** A running product: one for each worker, environment and configuration. */
  readonly server: { readonly url: string; readonly database: OpenDatabaseOptions; readonly pid: number };
}

export type SharedName = keyof SharedResources;

export type GetShared = <Name extends SharedName>(name: Name, argument?: string) => Promise<SharedResources[Name]>;

/** @param argument one line; each has a resource of its own */
export const shared: GetShared = async <Name extends SharedName>(name: Name, argument = '') => {
  const socket = connect(inject('sharedResourcesSocket'));
  socket.write(`${name} ${argument}\n`);
  const answer: { value: SharedResources[Name]; error?: string } = JSON.parse(await text(socket));
  if (answer.error !== undefined) throw new Error(answer.error);
  return answer.value;
};
