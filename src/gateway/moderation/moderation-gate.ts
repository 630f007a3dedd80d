import type { GateOutput, UpdatePublisher } from './gate-output.ts';
import type { SluiceError } from '../../errors/index.ts';
import { toSluiceError } from '../../errors/index.ts';
import type { CompletionUpdate } from '../../live/events.ts';
import type { ModerationSettings } from '../keys/moderation-settings.ts';
import { AnswerTexts, type Finding, type ModerationInput } from '../capabilities/moderation-support.ts';
import type { RelayedOutput } from '../relayed-output.ts';
import { findCategories, formatFinding, joinFindings, requirePass } from './checks.ts';
import type { Moderator } from './moderator.ts';
import { PendingOutput } from './pending-output.ts';

/** A stream is moderated each time it has grown by this much. */
const WINDOW_CHARACTERS = 1_000;
/** The same where nothing is withheld. */
const ANNOTATE_WINDOW_CHARACTERS = 8_000;

const noImages: readonly string[] = [];

/**
 * Moderates one chat: the user's messages before the request is sent, and the output before it is shown, where the
 * action is `block`. For `annotate` both run in parallel, and only the response head waits for the result of the input.
 */
export class ModerationGate {
  readonly #settings: readonly ModerationSettings[];
  readonly #moderator: Moderator;
  readonly #input: ModerationInput;
  readonly #annotation: (first: Buffer, output: Finding) => Buffer;
  readonly #isBlocking: boolean;
  #terminate: (error: SluiceError) => void = () => undefined;
  /** Results of annotating checks; undefined where none ran. */
  #inputFound: Finding | undefined;
  #outputFound: Finding | undefined;
  #inputPending = false;
  #texts = new AnswerTexts();
  #pending = new PendingOutput(null);
  #checking = false;
  /** The number of the attempt: results for an earlier one are ignored. */
  #try = 0;
  #first: RelayedOutput | null = null;
  #finish: ((last: RelayedOutput | null) => void) | null = null;
  #hasEnded = false;

  constructor(
    settings: readonly ModerationSettings[],
    moderator: Moderator,
    input: ModerationInput,
    annotation: (first: Buffer, output: Finding) => Buffer,
  ) {
    this.#settings = settings;
    this.#moderator = moderator;
    this.#input = input;
    this.#annotation = annotation;
    this.#isBlocking = settings.some(({ output, action }) => output && action === 'block');
  }

  /** Whether the current attempt has produced output, sent to the client or withheld. */
  get hasOutput(): boolean {
    return this.#first !== null;
  }

  /** Whether the output is moderated. */
  get moderatesOutput(): boolean {
    return this.#settings.some(({ output }) => output);
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
   * Moderates the input, unless a provider has received it already.
   * @param terminate ends the request, where a check fails while it runs
   * @returns a promise to await before sending, where the action is `block`; it rejects where the request is blocked
   */
  moderateInput(terminate: (error: SluiceError) => void, isSent: boolean): Promise<void> | undefined {
    this.#terminate = terminate;
    if (isSent) return undefined;
    const [annotating, blocking] = [this.#settingsFor('input', 'annotate'), this.#settingsFor('input', 'block')];
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
  restart(output: GateOutput): void {
    this.#try++;
    this.#texts = new AnswerTexts();
    this.#pending = new PendingOutput(output);
    this.#checking = false;
    this.#first = null;
    this.#outputFound = undefined;
  }

  /** Handles an update of the response; live subscribers get it when the client may. */
  onUpdate(update: CompletionUpdate, publisher: UpdatePublisher): void {
    if (this.moderatesOutput) this.#texts.add(update);
    if (!publisher.isWatched) return;
    if (this.#isBlocking) this.#pending.addUpdate(() => publisher.publish(update));
    else publisher.publish(update);
  }

  /** Complete events for the client. */
  relayed(output: RelayedOutput): void {
    this.#first ??= output;
    this.#pending.add(output);
    this.#advance();
    // The provider may have resumed at the client's pace.
    this.#pending.pauseIfFull();
  }

  /** The stream has ended. Resolves once its output has passed, with the output to send before the closing bytes. */
  finish(last: RelayedOutput | null): Promise<RelayedOutput | null> {
    if (last !== null) {
      this.#first ??= last;
      this.#pending.add(last);
    }
    return new Promise((resolve) => {
      this.#finish = resolve;
      this.#advance();
    });
  }

  /** An unstreamed response: publishes its updates. Resolves once it may be sent. */
  async onResponse(updates: readonly CompletionUpdate[], publisher: UpdatePublisher): Promise<void> {
    for (const update of updates) this.onUpdate(update, publisher);
    await this.finish(null);
  }

  /** Cancels pending checks. */
  end(): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#pending.clear();
    this.#moderator.end();
  }

  #settingsFor(what: 'input' | 'output', action: ModerationSettings['action']): ModerationSettings[] {
    return this.#settings.filter((each) => each[what] && each.action === action);
  }

  #advance(): void {
    if (this.#hasEnded) return;
    const window = this.#isBlocking ? WINDOW_CHARACTERS : ANNOTATE_WINDOW_CHARACTERS;
    const due = this.#texts.length >= (this.#finish === null ? window : 1);
    if (this.moderatesOutput && due && !this.#checking) this.#check();
    if (this.#inputPending) return;
    if (!this.#isBlocking) this.#pending.showAll();
    // The client may have disconnected during the write.
    if (this.#hasEnded || this.#finish === null || this.#checking) return;
    this.#end(this.#finish);
  }

  #check(): void {
    this.#checking = true;
    const [checked, current] = [this.#pending.count, this.#try];
    const input = { texts: this.#texts.take(), images: noImages };
    const [annotating, blocking] = [this.#settingsFor('output', 'annotate'), this.#settingsFor('output', 'block')];
    const finding = findCategories(this.#moderator, annotating, input);
    requirePass(this.#moderator, 'output', blocking, input)
      .then(async () => {
        const found = await finding;
        if (this.#hasEnded || this.#try !== current) return;
        if (annotating.length > 0) this.#outputFound = joinFindings(this.#outputFound, found);
        this.#checking = false;
        if (this.#isBlocking) this.#pending.show(checked);
        this.#advance();
      })
      .catch((error: unknown) => {
        if (this.#hasEnded || this.#try !== current) return;
        this.#terminate(toSluiceError(error));
      });
  }

  #end(finish: (last: RelayedOutput | null) => void): void {
    this.#finish = null;
    const annotates = this.#settingsFor('output', 'annotate').length > 0;
    // A response without text is not flagged.
    if (annotates && this.#outputFound === undefined) this.#outputFound = [];
    // The protocols that are encoded from parts have no annotation.
    if (annotates && Buffer.isBuffer(this.#first))
      this.#pending.add(this.#annotation(this.#first, this.#outputFound ?? null));
    finish(this.#pending.take());
  }
}
