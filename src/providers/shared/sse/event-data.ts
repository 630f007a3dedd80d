const LINE_FEED = 0x0a;
const DATA = Buffer.from('data:');

/**
 * Changes the data of complete events; the rest stays as it was written.
 * @param change gets the data of an event, or a line of it; it returns the same bytes for what it does not change
 * @returns the same buffer where nothing is changed
 */
export function withEventData(events: Buffer, change: (data: Buffer) => Buffer): Buffer {
  const pieces: Buffer[] = [];
  let copied = 0;
  for (let start = 0; start < events.length;) {
    const lineFeed = events.indexOf(LINE_FEED, start);
    const end = lineFeed < 0 ? events.length : lineFeed;
    const from = start + DATA.length;
    if (from < end && events.compare(DATA, 0, DATA.length, start, from) === 0) {
      const data = events.subarray(from, end);
      const changed = change(data);
      if (changed !== data) {
        pieces.push(events.subarray(copied, from), changed);
        copied = end;
      }
    }
    start = end + 1;
  }
  return pieces.length === 0 ? events : Buffer.concat([...pieces, events.subarray(copied)]);
}
