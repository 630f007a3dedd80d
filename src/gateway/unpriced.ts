import { SluiceError } from '../errors/index.ts';
import type { KeyRecord } from './key-directory.ts';
import type { Target } from './routing/target.ts';

/** What a capability's requests are sold by where that is not tokens, and a price in its form. */
const soldBy: Readonly<Record<string, string>> = {
  images: 'units: [{ unit: image, price: "0.04" }]',
  speech: 'units: [{ unit: character, price: "15" }]',
  transcription: 'units: [{ unit: audio_second, price: "0.006" }]',
  video: 'units: [{ unit: video_second, price: "0.10" }]',
};

/**
 * Whether a key's requests must not go there: what they would cost is not known, and something bounds what it may spend. What a
 * plan refuses is what the operator would pay: under an account's own provider key nobody but the account pays.
 */
export function mustBePriced(key: KeyRecord, { isUnpriced, connection }: Target): boolean {
  if (!isUnpriced) return false;
  return connection.id === connection.provider ? spendingBound(key) !== null : isBudgeted(key);
}

/** What a caller is told whose request `mustBePriced`, with the lines that set a price. */
export function notPriced(key: KeyRecord, { model }: Target, capability: string): SluiceError {
  const units = soldBy[capability];
  const tokens = units === undefined ? 'input: "2.50", output: "10.00"' : `input: "0", output: "0", ${units}`;
  const lines = `models: { ${JSON.stringify(model)}: { ${tokens} } }`;
  return new SluiceError('model_not_priced', {
    values: { model, bound: String(spendingBound(key)), lines },
    param: 'model',
  });
}

/** What bounds a key's spending, in words; null for nothing. */
export function spendingBound(key: KeyRecord): string | null {
  if (isBudgeted(key)) return 'a budget bounds what this key may spend';
  return key.plan.overage === 'refuse' ? `the plan ${key.plan.id} refuses what goes beyond it` : null;
}

function isBudgeted({ budgets }: KeyRecord): boolean {
  return budgets.some(({ subject }) => subject !== 'allowance');
}
