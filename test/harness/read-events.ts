import { createParser, type EventSourceMessage } from 'eventsource-parser';

/** The complete events of a response that was read to its end. */
export function readEvents(text: string): EventSourceMessage[] {
  const events: EventSourceMessage[] = [];
  createParser({ onEvent: (event) => events.push(event) }).feed(text);
  return events;
}

/** The JSON in the `data` of each event, without the end mark `[DONE]`. */
export function readEventData(text: string): ReturnType<typeof JSON.parse>[] {
  return readEvents(text)
    .filter(({ data }) => data !== '[DONE]')
    .map(({ data }) => JSON.parse(data));
}
