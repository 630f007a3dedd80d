import type { BegunRecord } from '../usage-record.ts';
import { tokenUsage } from '../../capabilities/capability.ts';
import { compileRates, costNano, type CompiledRates } from '../../../catalogue/prices/price.ts';
/**
 * The settle line of an interrupted request: its usage is its estimated input. Null for one that is run again, which settles it.
 * One that was appended by `checkpoint` is settled as it is.
 * @param commons shared members of its segment as JSON, by number
 * @throws where a part of it is corrupt
 */
export function interruptedLine(begunJson: string, commons: ReadonlyMap<number, string>): string | null {
  const { of_key, of_route, rerun, ...own }: BegunLine = JSON.parse(begunJson);
  if (rerun === true) return null;
  if ('status' in own) return begunJson;
  const numbers = [of_key, of_route].filter((number) => number !== undefined);
  const begun: BegunRecord = Object.assign(own, ...numbers.map((number) => readCommon(commons.get(number))));
  const rates: CompiledRates | null = begun.rates && compileRates(begun.rates);
  const cost = rates ? costNano(rates, tokenUsage(begun.input_tokens, 0), begun.markup_ppm ?? 0) : 0n;
  return JSON.stringify({
    ...begun,
    status: 'interrupted',
    http_status: 0,
    error_code: null,
    estimated: true,
    output_tokens: 0,
    cached_tokens: 0,
    reasoning_tokens: 0,
    units: null,
    cost_nano: String(cost),
    finish_reason: null,
    duration_ms: 0,
    first_token_ms: null,
    attempts: [],
  });
}

type BegunLine = BegunRecord & { readonly of_key?: number; readonly of_route?: number };

function readCommon(json: string | undefined): object {
  if (json === undefined) throw new Error('the shared members of the record are lost');
  const { common: _number, ...members } = JSON.parse(json);
  return members;
}
