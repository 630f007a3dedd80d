import { setFlagsFromString } from 'node:v8';
import { PGlite, type PGliteOptions } from '@electric-sql/pglite';
import { collectGarbage } from './collect-garbage.ts';

/** An index of a function. V8 takes -1 for all functions. */
const [NO_FUNCTION, ALL_FUNCTIONS] = [-2, -1];

/** Calls `pg_backend_pid()` without SQL. Source: PostgreSQL's documentation, "Message Formats", FunctionCall. */
const FUNCTION_CALL = Buffer.from('460000000e000007ea000000000000', 'hex');

/** PGlite reads the types of arrays by SQL when it opens. Only its own parser of results uses them. */
class UnqueriedEngine extends PGlite {
  override async _initArrayTypes(): Promise<void> {
    // Reads nothing.
  }
}

/**
 * Opens an engine whose SQL parser stays in V8's first tier: optimising that one function takes 600 MB of memory for seconds.
 * V8 decides whether a function may be optimised later when it first compiles it, which is at its first call.
 * @param isNew whether the database is created: that parses SQL
 */
export async function openWithBaselineParser(options: PGliteOptions, isNew: boolean): Promise<PGlite> {
  if (isNew) {
    setFlagsFromString('--flush-liftoff-code');
    optimise(NO_FUNCTION);
  }
  try {
    const pglite = new UnqueriedEngine(options);
    await pglite.waitReady;
    // Removes the code of the first tier. The call compiles what all statements share, the parser excepted.
    if (isNew) collectGarbage({ type: 'major', flavor: 'last-resort' });
    optimise(ALL_FUNCTIONS);
    await pglite.execProtocolRaw(FUNCTION_CALL);
    optimise(NO_FUNCTION);
    // A syntax error: only the parser, its scanner and the path of errors run.
    await pglite.exec('(').catch(() => undefined);
    return pglite;
  } finally {
    optimise(ALL_FUNCTIONS);
    // A later collection would have the parser compiled anew, without the restriction.
    setFlagsFromString('--no-flush-liftoff-code');
  }
}

function optimise(functionIndex: number): void {
  setFlagsFromString(`--wasm-tier-up-filter=${functionIndex}`);
}
