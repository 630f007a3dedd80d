import { z } from 'zod';
import type { ModelDeprecation, ModelRecord } from '../model-record.ts';

const deprecationSchema = z.strictObject({
  announcedOn: z.iso.date().optional(),
  shutdownOn: z.iso.date(),
  /** The model that the provider recommends, as `provider/model`; the catalogue need not have it. */
  replacement: z
    .string()
    .regex(/^[a-z0-9-]+\/.+$/)
    .optional(),
});

/** Shutdown dates that providers publish, each with the page that states it. A later entry of a model replaces an earlier one. */
const fileSchema = z.array(
  z.strictObject({
    /** The provider's own page. */
    source: z.url(),
    /** `YYYY-MM-DD`: when it was read. */
    date: z.iso.date(),
    /** The page that quotes it, if the provider's page was not read itself. */
    quotedAt: z.url().optional(),
    /** By `provider/model`. */
    models: z.record(z.string().regex(/^[a-z0-9-]+\/.+$/), deprecationSchema),
  }),
);

/** Adds published shutdown dates to known models. They take precedence over a deprecation without a date. */
export function withPublishedDeprecations(models: readonly ModelRecord[], file: unknown): ModelRecord[] {
  const published = new Map<string, ModelDeprecation>();
  for (const { source, date, models: entries } of fileSchema.parse(file))
    for (const [id, entry] of Object.entries(entries)) published.set(id, { ...entry, source, readOn: date });
  return models.map((model) => {
    const deprecation = published.get(model.id);
    return deprecation === undefined ? model : { ...model, deprecation };
  });
}

/** Copies the dates that the shipped catalogue has of other sources than the new file. */
export function withShippedDeprecations(
  models: readonly ModelRecord[],
  shipped: readonly ModelRecord[],
): ModelRecord[] {
  const dated = new Map(
    shipped.flatMap(({ id, deprecation }) =>
      deprecation?.shutdownOn === undefined ? [] : [[id, deprecation] as const],
    ),
  );
  return models.map((model) => {
    const deprecation = dated.get(model.id);
    return deprecation === undefined ? model : { ...model, deprecation };
  });
}
