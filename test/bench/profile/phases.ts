import type { Profile, ProfileNode } from './take-profile.ts';

export const GARBAGE_COLLECTION = 'garbage collection';
export const NATIVE = 'system calls and other native code';
export const NODE = 'sockets and HTTP of Node';
const OTHER_PACKAGES = 'other packages';

/** Paths of the built server. The first pattern that matches counts. */
export const phases: readonly (readonly [pattern: RegExp, phase: string])[] = [
  [/^rest\/body\/|^gateway\/request\/request-body\./, 'reading the body'],
  [/^rest\/authentication\/|^gateway\/keys\//, 'authentication'],
  [
    /^gateway\/capabilities\/|^gateway\/(request-input|json-text)\.|^protocols\/[^/]+\/decode-request|^protocols\/canonical\/(request|validation)\/|^providers\/shared\/json\//,
    'parsing and validation',
  ],
  [/^gateway\/(policy|moderation)\/|^protocols\/canonical\/parameter-policy\./, 'policy'],
  [/^gateway\/limits\//, 'limits'],
  [/^gateway\/routing\/|^gateway\/request\/(resolution\/|route\.)/, 'routing'],
  [
    /^protocols\/[^/]+\/observe-usage|^protocols\/canonical\/event-observer\.|^gateway\/(received-output|relayed-output|answer-recording|record-answer)\.|^gateway\/request\/attempt\/record-output\./,
    'observing',
  ],
  [/^protocols\//, 'translation'],
  [/^providers\/|^outbound\//, 'upstream'],
  [/^gateway\/usage\/journal\//, 'journal'],
  [/^gateway\/usage\//, 'metering'],
  [/^live\/|^gateway\/completions\//, 'live events'],
  [/^gateway\/content\//, 'content log'],
  [/^telemetry\/|^gateway\/(telemetry|metrics)\/|^rest\/(metrics|tracing)\//, 'metrics and telemetry'],
  [/^gateway\//, 'request execution'],
  [/^rest\/|^app\./, 'HTTP edge'],
  [/^(services|graphql|jobs|database|storage|composition|workers|catalogue|config|calendar)\//, 'control plane'],
];

/**
 * Code of packages and of Node counts for the part of the server that called it: parsing of JSON for what parses, writes to a socket
 * for what writes. What no part of it called is Node's.
 * @returns the phase of each node of the profile, by its id
 */
export function phasesOf({ nodes }: Profile): ReadonlyMap<number, string> {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const found = new Map<number, string>();
  const visit = (node: ProfileNode, caller: string): void => {
    const phase = phaseOf(node, caller);
    found.set(node.id, phase);
    for (const id of node.children ?? []) {
      const child = byId.get(id);
      if (child) visit(child, phase);
    }
  };
  const [root] = nodes;
  if (root) visit(root, NODE);
  return found;
}

function phaseOf({ callFrame: { functionName, url } }: ProfileNode, caller: string): string {
  if (functionName === '(garbage collector)') return GARBAGE_COLLECTION;
  if (functionName === '(program)') return NATIVE;
  const path = pathOf(url);
  if (path !== null && !path.includes('node_modules/')) return phaseOfPath(path);
  if (/node_modules\/undici\/|internal\/deps\/undici/.test(url)) return caller === NODE ? 'upstream' : caller;
  if (path !== null) return caller === NODE ? OTHER_PACKAGES : caller;
  return caller;
}

/** The phase of a file of the built server, by its path in it. */
export function phaseOfPath(path: string): string {
  return phases.find(([pattern]) => pattern.test(path))?.[1] ?? path.split('/')[0] ?? path;
}

/** In the built server, or in `node_modules`; null of Node itself and of native code. */
export function pathOf(url: string): string | null {
  if (!url.startsWith('file:')) return null;
  // Packages may have a folder `dist` of their own.
  return /\/(node_modules\/.+)$/.exec(url)?.[1] ?? /\/dist\/(.+)$/.exec(url)?.[1] ?? url;
}
