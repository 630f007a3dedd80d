import { setFlagsFromString } from 'node:v8';

/** More requests than this at once are mostly streams, which wait. */
const MANY_REQUESTS = 200;
const LOOK_EVERY_MS = 500;
/** At how many percent of the space for it young garbage is collected. */
const [DEFAULT_PERCENT, SPARING_PERCENT] = [80, 33];

/** For a process whose requests leave nothing behind when they end. */
export function tuneMemory(): void {
  // After a burst of long streams V8 concludes that what requests allocate lives long, and allocates it as old from then on:
  // each dead request keeps what it refers to until a full collection, at a third of all CPU.
  setFlagsFromString('--no-allocation-site-pretenuring');
  // Young garbage is quickly collected then: threads that wait for each other to do it cost more than they save.
  setFlagsFromString('--no-parallel-scavenge');
  // After the collection at the start V8 would take a fifth of more memory for a reason to collect all.
  setFlagsFromString('--heap-growing-percent=100');
}

/**
 * Has young garbage collected early while many requests are open: streams that wait allocate little each, and a thousand of them
 * would fill 20 MB of space with it. While few are open it is let lie, for each collection costs: a tenth of a small request.
 */
export function followLoad(openRequests: () => number): NodeJS.Timeout {
  let isSparing = false;
  return setInterval(() => {
    const hasMany = openRequests() > MANY_REQUESTS;
    if (hasMany === isSparing) return;
    isSparing = hasMany;
    setFlagsFromString(`--minor-gc-task-trigger=${isSparing ? SPARING_PERCENT : DEFAULT_PERCENT}`);
  }, LOOK_EVERY_MS).unref();
}
