import { memberValue, replaceMember } from '../../../../providers/shared/http/request-body.ts';
import { withEventData } from '../../../../providers/shared/sse/event-data.ts';

const OPEN_BRACE = Buffer.from('{');

/** The id that clients name a stored completion by. Ids of providers are not unique: Ollama has a thousand. @param id a UUID */
export function completionIdOf(id: string): string {
  return `chatcmpl-${id.replaceAll('-', '')}`;
}

/** A completion, or complete events of one, with another id; all else stays as it was written. */
export function withCompletionId(output: Buffer, isStream: boolean, completionId: string): Buffer {
  const value = Buffer.from(JSON.stringify(completionId));
  const named = (json: Buffer): Buffer => {
    const replaced = replaceMember(json, 'id', () => value);
    // An event of an error has neither.
    if (replaced !== json || memberValue(json, 'choices') === null) return replaced;
    const start = json.indexOf(OPEN_BRACE) + 1;
    return Buffer.concat([json.subarray(0, start), Buffer.from(`"id":${value.toString()},`), json.subarray(start)]);
  };
  return isStream ? withEventData(output, named) : named(output);
}
