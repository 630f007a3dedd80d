import type { GuardOutput, UpdatePublisher } from './guard-output.ts';
import type { SluiceError } from '../../errors/index.ts';
import { toSluiceError } from '../../errors/index.ts';
import type { CompletionUpdate } from '../../live/events.ts';
import type { GuardSettings } from '../keys/guard-settings.ts';
import { AnswerTexts, type Finding, type ModerationInput } from '../capabilities/moderation-support.ts';
import { joinOutput, outputSize, type RelayedOutput } from '../relayed-output.ts';
import { findCategories, formatFinding, joinFindings, requirePass } from './checks.ts';
import type { Moderator } from './moderator.ts';

/** A stream is moderated each time it has grown by this much. */
const WINDOW_CHARACTERS = 1_000;
/** The same where nothing is withheld. */
const ANNOTATE_WINDOW_CHARACTERS = 8_000;
/** Above this the provider is paused until the pending output is moderated. */
const MAX_PENDING_BYTES = 1024 * 1024;

const noImages: readonly string[] = [];

/**
 * Moderates one chat: the user's messages before the request is sent, and the output before it is shown, where the
 * action is `block`. For `annotate` both run in parallel, and only the response head waits for the result of the input.
 */
export class Guard {
  /** Whether output of the provider was withheld from the client. */
  withheld = false;
  readonly #guards: readonly GuardSettings[];
  readonly #moderator: Moderator;
  readonly #input: ModerationInput;
  readonly #annotation: (first: Buffer, output: Finding) => Buffer;
  readonly #isBlocking: boolean;
  #output: GuardOutput | null = null;
  #terminate: (error: SluiceError) => void = () => undefined;
  /** Results of annotating checks; undefined where none ran. */
  #inputFound: Finding | undefined;
  #outputFound: Finding | undefined;
  #inputPending = false;
  #texts = new AnswerTexts();
  /** Pending output and its size. */
  #pending: RelayedOutput[] = [];
  #pendingBytes = 0;
  #pendingUpdates: (() => void)[] = [];
  #checking = false;
  /** The number of the attempt: results for an earlier one are ignored. */
  #try = 0;
  #paused = false;
  #first: RelayedOutput | null = null;
  #finish: ((last: RelayedOutput | null) => void) | null = null;
  #hasEnded = false;

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
    this.#isBlocking = guards.some(({ output, action }) => output && action === 'block');
  }

  /** Whether the output is moderated. */
  get moderatesOutput(): boolean {
    return this.#guards.some(({ output }) => output);
  }

  /** `input=violence; output=none`; null without annotating checks. */
  get annotation(): string | null {
    const parts = [
      ...(this.#inputFound === undefined ? [] : [`input=${formatFinding(this.#inputFound)}`]),
      ...(this.#outputFound === undefined ? [] : [`output=${formatFinding(this.#outputFound)}`]),
    ];
    return parts.length === 0 ? null : parts.join('; ');
  }

  /**
   * Moderates the input.
   * @param terminate ends the request, where a check fails while it runs
   * @returns a promise to await before sending, where the action is `block`; it rejects where the request is blocked
   */
  moderateInput(terminate: (error: SluiceError) => void): Promise<void> | undefined {
    this.#terminate = terminate;
    const of = (action: GuardSettings['action']): GuardSettings[] =>
      this.#guards.filter((guard) => guard.input && guard.action === action);
    const [annotating, blocking] = [of('annotate'), of('block')];
    if (annotating.length > 0) {
      this.#inputPending = true;
      findCategories(this.#moderator, annotating, this.#input)
        .then((found) => {
          this.#inputFound = found;
          this.#inputPending = false;
          this.#advance();
        })
        .catch((error: unknown) => terminate(toSluiceError(error)));
    }
    return blocking.length === 0 ? undefined : requirePass(this.#moderator, 'input', blocking, this.#input);
  }

  /** Starts an attempt; output of an earlier one was not shown. */
  restart(output: GuardOutput): void {
    this.#output = output;
    this.#try++;
    this.#texts = new AnswerTexts();
    this.#pending = [];
    this.#pendingBytes = 0;
    this.#pendingUpdates = [];
    this.#checking = false;
    this.#first = null;
    this.#paused = false;
    this.#outputFound = undefined;
  }

  /** Handles an update of the response; live subscribers get it when the client may. */
  onUpdate(update: CompletionUpdate, publisher: UpdatePublisher): void {
    if (this.moderatesOutput) this.#texts.add(update);
    if (!publisher.isWatched) return;
    if (this.#isBlocking) this.#pendingUpdates.push(() => publisher.publish(update));
    else publisher.publish(update);
  }

  /** Complete events for the client. */
  relayed(output: RelayedOutput): void {
    this.#first ??= output;
    this.#pending.push(output);
    this.#pendingBytes += outputSize(output);
    this.#advance();
    // The provider may have resumed at the client's pace.
    if (this.#pendingBytes <= MAX_PENDING_BYTES) return;
    this.#paused = true;
    this.#output?.pause();
  }

  /** The stream has ended. Resolves once its output has passed, with the output to send before the closing bytes. */
  finish(last: RelayedOutput | null): Promise<RelayedOutput | null> {
    if (last !== null) {
      this.#first ??= last;
      this.#pending.push(last);
    }
    return new Promise((resolve) => {
      this.#finish = resolve;
      this.#advance();
    });
  }

  /** An unstreamed response: publishes its updates. Resolves once it may be sent. */
  async onAnswer(updates: readonly CompletionUpdate[], publisher: UpdatePublisher): Promise<void> {
    for (const update of updates) this.onUpdate(update, publisher);
    await this.finish(null);
  }

  /** Cancels pending checks. */
  end(): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#pending = [];
    this.#pendingUpdates = [];
    this.#moderator.end();
  }

  #advance(): void {
    if (this.#hasEnded) return;
    const window = this.#isBlocking ? WINDOW_CHARACTERS : ANNOTATE_WINDOW_CHARACTERS;
    const due = this.#texts.length >= (this.#finish === null ? window : 1);
    if (this.moderatesOutput && due && !this.#checking) this.#check();
    if (this.#inputPending) return;
    if (!this.#isBlocking && this.#pending.length > 0) this.#show(this.#pending.length, this.#pendingUpdates.length);
    // The client may have disconnected during the write.
    if (this.#hasEnded || this.#finish === null || this.#checking) return;
    this.#end(this.#finish);
  }

  #check(): void {
    this.#checking = true;
    const [events, updates, current] = [this.#pending.length, this.#pendingUpdates.length, this.#try];
    const input = { texts: this.#texts.take(), images: noImages };
    const of = (action: GuardSettings['action']): GuardSettings[] =>
      this.#guards.filter((guard) => guard.output && guard.action === action);
    const finding = findCategories(this.#moderator, of('annotate'), input);
    requirePass(this.#moderator, 'output', of('block'), input)
      .then(async () => {
        const found = await finding;
        if (this.#hasEnded || this.#try !== current) return;
        if (of('annotate').length > 0) this.#outputFound = joinFindings(this.#outputFound, found);
        this.#checking = false;
        if (this.#isBlocking) this.#show(events, updates);
        this.#advance();
      })
      .catch((error: unknown) => {
        if (this.#hasEnded || this.#try !== current) return;
        this.withheld = true;
        this.#terminate(toSluiceError(error));
      });
  }

  #end(finish: (last: RelayedOutput | null) => void): void {
    this.#finish = null;
    const annotates = this.#guards.some(({ output, action }) => output && action === 'annotate');
    // A response without text is not flagged.
    if (annotates && this.#outputFound === undefined) this.#outputFound = [];
    // The protocols that are encoded from parts have no annotation.
    if (annotates && Buffer.isBuffer(this.#first))
      this.#pending.push(this.#annotation(this.#first, this.#outputFound ?? null));
    for (const publish of this.#pendingUpdates.splice(0)) publish();
    finish(joinOutput(this.#pending.splice(0)));
  }

  #show(events: number, updates: number): void {
    for (const publish of this.#pendingUpdates.splice(0, updates)) publish();
    const released = this.#pending.splice(0, events);
    for (const output of released) this.#pendingBytes -= outputSize(output);
    const output = joinOutput(released);
    const isAccepted = output === null || this.#output?.show(output) === true;
    if (!this.#paused || this.#pendingBytes > MAX_PENDING_BYTES) return;
    this.#paused = false;
    if (isAccepted) this.#output?.resume();
  }
}
