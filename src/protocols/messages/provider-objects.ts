import { isObject } from '../canonical/json-members.ts';
import type { NamedObject } from '../canonical/protocol.ts';
import { pathOf, visitObjects } from '../canonical/request/visit-objects.ts';

/** Members whose content is the client's or the model's own. */
const free: ReadonlySet<string> = new Set(['input', 'input_schema', 'schema', 'metadata']);
/** Blocks of a tool's output are part of a replayed conversation: what they name is not read again. */
const output = /_output$/;

/**
 * The objects at the provider that a request names: files, a container and its custom skills. A request that is no chat can name
 * them, too. Sources: platform.claude.com/docs/en/build-with-claude/files and /agents-and-tools/agent-skills.
 */
export function namedObjects(body: unknown): NamedObject[] {
  const found: NamedObject[] = [];
  const add = (path: string, id: unknown): void => void (typeof id === 'string' && found.push({ path, id }));
  visitObjects(body, free, (object, path) => {
    if (path === '') add('container', object.container);
    else if (path === 'container') add('container.id', object.id);
    const isOutput = typeof object.type === 'string' && output.test(object.type);
    if (!isOutput) add(pathOf(path, 'file_id'), object.file_id);
    if (object.type === 'custom') add(pathOf(path, 'skill_id'), object.skill_id);
  });
  return isObject(body) ? found : [];
}
