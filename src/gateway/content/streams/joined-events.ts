import { isObject, type JsonObject } from '../../../protocols/canonical/json-members.ts';

type Members = Record<string, unknown>;

/** Members whose texts continue in further events of the same kind and place. */
const continued: ReadonlySet<string> = new Set(['delta', 'text', 'partial_json', 'arguments', 'refusal', 'audio']);
/** Members by which an event continues another. */
const places = ['type', 'object', 'item_id', 'output_index', 'content_index', 'summary_index', 'index'] as const;
/** Members that differ in each event, and say nothing of its content. */
const ofEvents: ReadonlySet<string> = new Set(['sequence_number', 'obfuscation', 'event_id']);

/**
 * Events of a stream whose form has no joined document, or that ended before there was one: texts that continue each other are
 * joined, so that no text is divided.
 */
export function joinedEvents(events: readonly unknown[]): unknown[] {
  const joined: unknown[] = [];
  const open = new Map<string, Members>();
  for (const event of events) {
    if (!isObject(event)) {
      joined.push(event);
      continue;
    }
    const place = placeOf(event);
    const known = open.get(place);
    if (known !== undefined && continues(known, event)) extend(known, event);
    else {
      const added = withoutNumber(event);
      open.set(place, added);
      joined.push(added);
    }
  }
  return joined;
}

function placeOf(event: JsonObject): string {
  return JSON.stringify(places.map((name) => event[name] ?? null));
}

/** Whether both have a text that can continue. */
function continues(known: JsonObject, event: JsonObject): boolean {
  const isDelta = typeof event.type === 'string' && event.type.endsWith('delta');
  return isDelta && Object.keys(event).some((name) => continued.has(name) && typeof known[name] === typeof event[name]);
}

function extend(known: Members, event: JsonObject): void {
  for (const [name, value] of Object.entries(event)) {
    if (ofEvents.has(name)) continue;
    const before = known[name];
    if (continued.has(name) && typeof before === 'string' && typeof value === 'string') known[name] = before + value;
    else if (Array.isArray(before) && Array.isArray(value)) known[name] = [...(before as unknown[]), ...value];
    else known[name] = value;
  }
}

function withoutNumber(event: JsonObject): Members {
  return Object.fromEntries(Object.entries(event).filter(([name]) => !ofEvents.has(name)));
}
