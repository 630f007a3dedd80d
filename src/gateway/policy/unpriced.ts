import { SluiceError } from '../../errors/index.ts';
import type { KeyRecord } from '../keys/key-directory.ts';
import type { Target } from '../routing/target.ts';

/** Example prices for capabilities that are not priced by tokens. */
const unitPriceExamples: Readonly<Record<string, string>> = {
  images: 'units: [{ unit: image, price: "0.04" }]',
  speech: 'units: [{ unit: character, price: "15" }]',
  transcription: 'units: [{ unit: audio_second, price: "0.006" }]',
  video: 'units: [{ unit: video_second, price: "0.10" }]',
};

/**
 * Whether a target without a known price is ruled out because the key's spending is limited. A plan limits what the
 * operator would pay; with its own provider key, only the account pays.
 */
export function mustBePriced(key: KeyRecord, { isUnpriced, connection }: Target): boolean {
  if (!isUnpriced) return false;
  return connection.id === connection.provider ? spendingBound(key) !== null : isBudgeted(key);
}

/** The error of a request that `mustBePriced` rules out, with the configuration that sets a price. */
export function notPricedError(key: KeyRecord, { model }: Target, capability: string): SluiceError {
  const units = unitPriceExamples[capability];
  const tokens = units === undefined ? 'input: "2.50", output: "10.00"' : `input: "0", output: "0", ${units}`;
  const lines = `models: { ${JSON.stringify(model)}: { ${tokens} } }`;
  return new SluiceError('model_not_priced', {
    values: { model, bound: String(spendingBound(key)), lines },
    param: 'model',
  });
}

/** What limits a key's spending, in words; null for nothing. */
export function spendingBound(key: KeyRecord): string | null {
  if (isBudgeted(key)) return 'this key has a budget';
  return key.plan.overage === 'refuse' ? `the plan ${key.plan.id} does not allow overage` : null;
}

function isBudgeted({ budgets }: KeyRecord): boolean {
  return budgets.some(({ subject }) => subject !== 'allowance');
}
