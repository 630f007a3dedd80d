import { describe, expect, it } from 'vitest';
import { Catalogue } from '../../../src/catalogue/catalogue.ts';
import { knownModels, nothingServed } from '../../../src/gateway/routing/models/known-models.ts';
import { ModelNames } from '../../../src/services/model-names.ts';

const known = knownModels(nothingServed, new Catalogue(), new Set());
const given = (name: string, at: number) => ({ name, param: `allowedModels.${at}`, acceptsRoutes: true });
const unchecked = { held: new Set<string>(), saveAnyway: false };

describe('model names that are checked together', () => {
  it('are compared with all others only for the first invalid one', async () => {
    let compared = 0;
    const modelIds = () => {
      compared++;
      return known.modelIds();
    };
    const names = new ModelNames(() => Promise.resolve({ ...known, modelIds }));
    const many = ['openai/gpt-4o', ...Array.from({ length: 499 }, (_, at) => `opnai/gpt-4o-${at}`)].map(given);
    await expect(names.check('a', many, unchecked)).rejects.toMatchObject({
      code: 'unknown_model_name',
      param: 'allowedModels.1',
    });
    expect(compared).toBe(1);
  });

  it('are all listed if they must be confirmed', async () => {
    const names = new ModelNames(() => Promise.resolve(known));
    const many = ['gpt-4o', 'openai/of-tomorrow', 'openai/of-later', 'openai/of-tomorrow', 'groq/of-tomorrow'].map(
      given,
    );
    await expect(names.check('a', many, unchecked)).rejects.toMatchObject({
      code: 'unlisted_model_name',
      param: 'allowedModels.1',
      message: expect.stringContaining(
        'does not list the model `openai/of-tomorrow`. Other unlisted names: `openai/of-later`, `groq/of-tomorrow`. If the name is correct',
      ),
    });
  });

  it('wait for the models of connections only if a name is unknown', async () => {
    const waited: boolean[] = [];
    const names = new ModelNames((_accountId, isComplete) => {
      waited.push(isComplete);
      return Promise.resolve(isComplete ? { ...known, bareName: () => 'served' as const } : known);
    });
    expect(await names.check('a', ['openai/GPT-4o'].map(given), unchecked)).toEqual(
      new Map([['openai/GPT-4o', 'openai/gpt-4o']]),
    );
    expect(waited).toEqual([false]);
    expect(await names.check('a', ['house-model'].map(given), unchecked)).toEqual(
      new Map([['house-model', 'house-model']]),
    );
    expect(waited).toEqual([false, false, true]);
    expect(await names.check('a', ['gone'].map(given), { ...unchecked, held: new Set(['gone']) })).toEqual(new Map());
    expect(waited).toHaveLength(3);
  });
});
