import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv, type ErrorObject } from 'ajv';
import { parse } from 'yaml';
import { z } from 'zod';
import { moduleOf } from './go-tools.ts';

const manifestSchema = z.looseObject({ apiVersion: z.string(), kind: z.string() });
export type Manifest = z.infer<typeof manifestSchema>;

type Json = Readonly<Record<string, unknown>>;
const json = z.record(z.string(), z.unknown());
const kindSchema = z.object({ group: z.string(), version: z.string(), kind: z.string() });
const crdSchema = z.object({
  spec: z.object({
    group: z.string(),
    names: z.object({ kind: z.string() }),
    versions: z.array(z.object({ name: z.string(), schema: z.object({ openAPIV3Schema: json }) })),
  }),
});

const nameOf = (group: string, version: string, kind: string): string =>
  `${group === '' ? version : `${group}/${version}`} ${kind}`;

/** Validates manifests as strictly as an API server does with `fieldValidation=Strict`: an unknown field is a fault. */
export class KubernetesSchemas {
  /** Schemas by API version and kind. */
  readonly #schemas = new Map<string, Json>();
  readonly #ajv = new Ajv({ strict: false, validateFormats: false, allErrors: true });

  constructor() {
    const swagger = join(moduleOf('kubernetes'), 'api/openapi-spec/swagger.json');
    const { definitions } = z.object({ definitions: z.record(z.string(), json) }).parse(read(swagger));
    this.#ajv.addSchema({ $id: 'kubernetes', definitions: strict(definitions) });
    for (const [name, definition] of Object.entries(definitions))
      for (const each of z.array(kindSchema).catch([]).parse(definition['x-kubernetes-group-version-kind']))
        this.#schemas.set(nameOf(each.group, each.version, each.kind), { $ref: `kubernetes#/definitions/${name}` });
    const crds = join(moduleOf('prometheusOperator'), 'example/prometheus-operator-crd/*servicemonitors.yaml');
    for (const path of globSync(crds)) this.#addCrd(crdSchema.parse(read(path)));
  }

  /** @returns faults, one line each */
  faultsOf(manifest: Manifest): string[] {
    const schema = this.#schemas.get(`${manifest.apiVersion} ${manifest.kind}`);
    if (schema === undefined) return [`no schema of ${manifest.apiVersion} ${manifest.kind}`];
    // Compiled once: the same object is the same schema.
    const validate = this.#ajv.compile(schema);
    return validate(manifest) ? [] : (validate.errors ?? []).map(faultLine);
  }

  #addCrd({ spec }: z.infer<typeof crdSchema>): void {
    for (const { name, schema } of spec.versions)
      this.#schemas.set(nameOf(spec.group, name, spec.names.kind), json.parse(strict(schema.openAPIV3Schema)));
  }
}

export function parseManifests(text: string): Manifest[] {
  return text
    .split(/^---$/m)
    .map((document): unknown => parse(document))
    .filter((value) => value !== null)
    .map((value) => manifestSchema.parse(value));
}

export function faultLine({ instancePath, message, params }: ErrorObject): string {
  return `${instancePath} ${message ?? ''} ${JSON.stringify(params)}`;
}

function read(path: string): unknown {
  const text = readFileSync(path, 'utf8');
  return path.endsWith('.json') ? JSON.parse(text) : parse(text);
}

/** Objects allow only the properties that they list, and numbers stand for texts where Kubernetes reads both. */
function strict(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(strict);
  const parsed = json.safeParse(value);
  if (!parsed.success) return value;
  const changed: Json = Object.fromEntries(Object.entries(parsed.data).map(([name, each]) => [name, strict(each)]));
  if (isTextOrNumber(parsed.data)) return { ...changed, type: ['string', 'number'], format: undefined };
  const isOpen = changed.additionalProperties !== undefined || changed['x-kubernetes-preserve-unknown-fields'] === true;
  const isObject = changed.type === 'object' && json.safeParse(changed.properties).success;
  if (!isObject || isOpen) return changed;
  return { ...changed, additionalProperties: false };
}

function isTextOrNumber({ type, format, description }: Json): boolean {
  const isQuantity = typeof description === 'string' && description.startsWith('Quantity is a fixed-point');
  return type === 'string' && (format === 'int-or-string' || isQuantity);
}
