import { SluiceError, toSluiceError } from '../../errors/index.ts';
import type { CompletionUpdate } from '../../live/events.ts';
import type { LivePublisher } from '../live-publisher.ts';
import type { GuardSettings } from './guard-settings.ts';
import { AnswerTexts, type Finding, type ModerationInput } from './moderation-support.ts';
import type { Moderator } from './moderator.ts';

/** A streamed answer is judged each time that so much more of it has come. */
const WINDOW_CHARACTERS = 1_000;
/** The same where nothing waits for it. */
const LOOSE_WINDOW_CHARACTERS = 8_000;
/** Above this the provider waits until what it sent is judged. */
const MAX_HELD_BYTES = 1024 * 1024;

const noImages: readonly string[] = [];

/** The exchange that a guard belongs to. */
export interface GuardOwner {
  /** Sends to the caller. @returns false when the caller reads slowly */
  show(bytes: Buffer): boolean;
  /** The provider is to wait until `callerDrained`. */
  pause(): void;
  callerDrained(): void;
  terminate(error: SluiceError): void;
}

/**
 * Stands between one chat and its caller: has the user's part judged before it is sent where that may block it, and the
 * answer before it is shown. What only annotates is judged beside; the answer's head alone waits for what was found of the input.
 */
export class Guard {
  /** Whether it kept from the caller what the provider had made. */
  withheld = false;
  readonly #guards: readonly GuardSettings[];
  readonly #moderator: Moderator;
  readonly #input: ModerationInput;
  readonly #annotation: (first: Buffer, output: Finding) => Buffer;
  readonly #holds: boolean;
  #owner: GuardOwner | null = null;
  /** What was found by those that annotate; undefined where none of them looked. */
  #inputFound: Finding | undefined;
  #outputFound: Finding | undefined;
  #inputPending = false;
  #texts = new AnswerTexts();
  /** What came and was not shown yet, and how much of it is being judged. */
  #held: Buffer[] = [];
  #heldBytes = 0;
  #heldUpdates: (() => void)[] = [];
  #checking = false;
  /** Counts tries: what is found of an earlier one says nothing of this. */
  #try = 0;
  #paused = false;
  #first: Buffer | null = null;
  #finish: ((last: Buffer | null) => void) | null = null;
  #over = false;

  constructor(
    guards: readonly GuardSettings[],
    moderator: Moderator,
    input: ModerationInput,
    annotation: (first: Buffer, output: Finding) => Buffer,
  ) {
    this.#guards = guards;
    this.#moderator = moderator;
    this.#input = input;
    this.#annotation = annotation;
    this.#holds = guards.some(({ output, action }) => output && action === 'block');
  }

  /** Whether answers are judged. */
  get moderatesOutput(): boolean {
    return this.#guards.some(({ output }) => output);
  }

  /** `input=violence; output=none`; null where nothing annotates. */
  get annotation(): string | null {
    const told = [
      ...(this.#inputFound === undefined ? [] : [`input=${formatFinding(this.#inputFound)}`]),
      ...(this.#outputFound === undefined ? [] : [`output=${formatFinding(this.#outputFound)}`]),
    ];
    return told.length === 0 ? null : told.join('; ');
  }

  /** Has the input judged. @returns a promise where nothing may be sent before; it rejects where nothing may be sent at all */
  begin(owner: GuardOwner): Promise<void> | undefined {
    this.#owner = owner;
    const of = (action: GuardSettings['action']): GuardSettings[] =>
      this.#guards.filter((guard) => guard.input && guard.action === action);
    const [annotating, blocking] = [of('annotate'), of('block')];
    if (annotating.length > 0) {
      this.#inputPending = true;
      this.#find(annotating, this.#input)
        .then((found) => {
          this.#inputFound = found;
          this.#inputPending = false;
          this.#goOn();
        })
        .catch((error: unknown) => owner.terminate(toSluiceError(error)));
    }
    return blocking.length === 0 ? undefined : this.#pass('input', blocking, this.#input);
  }

  /** A try begins: what an earlier one brought was not shown. */
  restart(): void {
    this.#try++;
    this.#texts = new AnswerTexts();
    this.#held = [];
    this.#heldBytes = 0;
    this.#heldUpdates = [];
    this.#checking = false;
    this.#first = null;
    if (this.#paused) this.#owner?.callerDrained();
    this.#paused = false;
    this.#outputFound = undefined;
  }

  /** What the answer says; watchers hear of it when the caller may. */
  onUpdate(update: CompletionUpdate, watchers: LivePublisher): void {
    if (this.moderatesOutput) this.#texts.add(update);
    if (!watchers.isWatched) return;
    if (this.#holds) this.#heldUpdates.push(() => watchers.publish(update));
    else watchers.publish(update);
  }

  /** Whole events for the caller. */
  relayed(bytes: Buffer): void {
    this.#first ??= bytes;
    this.#held.push(bytes);
    this.#heldBytes += bytes.length;
    this.#goOn();
    // The caller's own pace may have let the provider go on meanwhile.
    if (this.#heldBytes <= MAX_HELD_BYTES) return;
    this.#paused = true;
    this.#owner?.pause();
  }

  /** The stream has come to its end. `then` is given what may go before its closing bytes. */
  done(last: Buffer | null, then: (last: Buffer | null) => void): void {
    if (last !== null) {
      this.#first ??= last;
      this.#held.push(last);
    }
    this.#finish = then;
    this.#goOn();
  }

  /** A whole, unstreamed answer: `then` is called where it may go, with what it says told to its watchers. */
  onAnswer(updates: readonly CompletionUpdate[], watchers: LivePublisher, then: () => void): void {
    for (const update of updates) this.onUpdate(update, watchers);
    this.#finish = () => then();
    this.#goOn();
  }

  /** Nothing more is to be found out. */
  end(): void {
    if (this.#over) return;
    this.#over = true;
    this.#held = [];
    this.#heldUpdates = [];
    this.#moderator.end();
  }

  #goOn(): void {
    if (this.#over) return;
    const window = this.#holds ? WINDOW_CHARACTERS : LOOSE_WINDOW_CHARACTERS;
    const due = this.#texts.length >= (this.#finish === null ? window : 1);
    if (this.moderatesOutput && due && !this.#checking) this.#check();
    if (this.#inputPending) return;
    if (!this.#holds && this.#held.length > 0) this.#show(this.#held.length, this.#heldUpdates.length);
    // Whoever was shown something may have left.
    if (this.#over || this.#finish === null || this.#checking) return;
    this.#end(this.#finish);
  }

  #check(): void {
    this.#checking = true;
    const [events, updates, current] = [this.#held.length, this.#heldUpdates.length, this.#try];
    const judged = { texts: this.#texts.take(), images: noImages };
    const of = (action: GuardSettings['action']): GuardSettings[] =>
      this.#guards.filter((guard) => guard.output && guard.action === action);
    const finding = this.#find(of('annotate'), judged);
    this.#pass('output', of('block'), judged)
      .then(async () => {
        const found = await finding;
        if (this.#over || this.#try !== current) return;
        if (of('annotate').length > 0) this.#outputFound = joined(this.#outputFound, found);
        this.#checking = false;
        if (this.#holds) this.#show(events, updates);
        this.#goOn();
      })
      .catch((error: unknown) => {
        if (this.#over || this.#try !== current) return;
        this.withheld = true;
        this.#owner?.terminate(toSluiceError(error));
      });
  }

  #end(finish: (last: Buffer | null) => void): void {
    this.#finish = null;
    const annotates = this.#guards.some(({ output, action }) => output && action === 'annotate');
    // An answer without a text has nothing to be flagged for.
    if (annotates && this.#outputFound === undefined) this.#outputFound = [];
    if (annotates && this.#first !== null) this.#held.push(this.#annotation(this.#first, this.#outputFound ?? null));
    for (const tell of this.#heldUpdates.splice(0)) tell();
    finish(this.#held.length === 0 ? null : Buffer.concat(this.#held.splice(0)));
  }

  #show(events: number, updates: number): void {
    for (const tell of this.#heldUpdates.splice(0, updates)) tell();
    const bytes = Buffer.concat(this.#held.splice(0, events));
    this.#heldBytes -= bytes.length;
    const taken = bytes.length === 0 || this.#owner?.show(bytes) === true;
    if (!this.#paused || this.#heldBytes > MAX_HELD_BYTES) return;
    this.#paused = false;
    if (taken) this.#owner?.callerDrained();
  }

  /** @throws SluiceError content_flagged | moderation_unavailable, or the limit of the key that is reached */
  async #pass(what: 'input' | 'output', guards: readonly GuardSettings[], judged: ModerationInput): Promise<void> {
    await Promise.all(
      guards.map(async (settings) => {
        const found = await this.#moderator.moderate(settings, judged);
        if (found.length === 0) return;
        const values = { what, model: settings.model, categories: found.join(', ') };
        throw new SluiceError('content_flagged', { values, ...(what === 'input' && { param: 'messages' }) });
      }),
    );
  }

  /** Null where one of them could not be asked. */
  async #find(guards: readonly GuardSettings[], judged: ModerationInput): Promise<Finding> {
    try {
      const found = await Promise.all(guards.map((settings) => this.#moderator.moderate(settings, judged)));
      return [...new Set(found.flat())];
    } catch {
      return null;
    }
  }
}

/** What was not looked at in part was not looked at. */
function joined(before: Finding | undefined, found: Finding): Finding {
  return before === null || found === null ? null : [...new Set([...(before ?? []), ...found])];
}

export function formatFinding(found: Finding): string {
  return found === null ? 'unavailable' : found.length === 0 ? 'none' : found.join(',');
}
