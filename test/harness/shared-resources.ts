import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { inject } from 'vitest';

export interface SharedResources {
  /** A migrated database to copy, never to connect to: PostgreSQL copies only what nobody uses. */
  readonly serverTemplate: { readonly adminUrl: string; readonly template: string };
  /** A migrated, closed data folder to copy. */
  readonly embeddedTemplate: { readonly dataDir: string };
}

export type SharedName = keyof SharedResources;

/** What all test files of a run share; made when first asked for. */
export async function shared<Name extends SharedName>(name: Name): Promise<SharedResources[Name]> {
  const socket = connect(inject('sharedResourcesSocket'));
  socket.write(name);
  const answer: { value: SharedResources[Name]; error?: string } = JSON.parse(await text(socket));
  if (answer.error !== undefined) throw new Error(answer.error);
  return answer.value;
}
