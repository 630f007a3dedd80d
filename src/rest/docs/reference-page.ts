import { z } from 'zod';
import { rolesTable } from '../../services/authorization/roles-table.ts';
import type { OpenApiDocument } from '../openapi/document.ts';
import type { Operation } from '../openapi/parts.ts';
import { curlLine, escapeHtml, page, prose } from './html.ts';

/** The members of a JSON schema that the page uses. */
const schemaForm = z.looseObject({
  $ref: z.string().optional(),
  type: z.unknown().optional(),
  description: z.string().optional(),
  deprecated: z.boolean().optional(),
  enum: z.array(z.unknown()).optional(),
  const: z.unknown().optional(),
  properties: z.record(z.string(), z.unknown()).optional(),
  required: z.array(z.string()).optional(),
  anyOf: z.array(z.unknown()).optional(),
  oneOf: z.array(z.unknown()).optional(),
});
const contentForm = z.looseObject({
  content: z.record(z.string(), z.looseObject({ schema: z.unknown() })).optional(),
  description: z.string().optional(),
});

interface Listed {
  readonly path: string;
  readonly method: string;
  readonly operation: Operation;
}

/**
 * The API reference as one page: endpoints on the left; parameters, responses and samples on the right.
 * @param hasGuide whether the server has the documentation under `/docs/guide`
 */
export function renderReferencePage(document: OpenApiDocument, address: string, hasGuide: boolean): string {
  const listed = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): Listed => ({ path, method, operation })),
  );
  const tags = [...new Set(listed.flatMap(({ operation }) => operation.tags))];
  const links = tags.map(
    (tag) =>
      `<strong>${escapeHtml(tag)}</strong><ul>${listed
        .filter(({ operation }) => operation.tags.includes(tag))
        .map(({ operation }) => `<li><a href="#${operation.operationId}">${escapeHtml(operation.summary)}</a></li>`)
        .join('')}</ul>`,
  );
  return page(
    'Sluice API reference',
    `<div class="reference"><nav aria-label="Endpoints"><p><a href="/">Sluice</a></p><ul>${hasGuide ? '<li><a href="/docs/guide">Guide</a></li>' : ''}<li><a href="#roles">Roles</a></li></ul>${links.join('')}</nav><main><h1>API reference</h1><p class="lead">OpenAI-compatible API at <code>${escapeHtml(address)}/v1</code>.</p>${samples(address)}${roles()}${listed.map((each) => section(each, document)).join('')}</main></div>`,
  );
}

function samples(address: string): string {
  const typescript = `import OpenAI from 'openai';

const client = new OpenAI({ baseURL: '${address}/v1', apiKey: 'sk-sluice-…' });
const stream = await client.chat.completions.create({
  model: 'sandbox/chat',
  messages: [{ role: 'user', content: 'Hello!' }],
  stream: true,
});
for await (const chunk of stream) process.stdout.write(chunk.choices[0]?.delta?.content ?? '');`;
  const python = `import os
from openai import OpenAI

client = OpenAI(base_url="${address}/v1", api_key=os.environ["SLUICE_API_KEY"])
answer = client.chat.completions.create(
    model="sandbox/chat",
    messages=[{"role": "user", "content": "Hello!"}],
)
print(answer.choices[0].message.content)`;
  return [
    ['curl', curlLine(address)],
    ['TypeScript', typescript],
    ['Python', python],
  ]
    .map(([name = '', code = '']) => `<h3>${name}</h3><pre>${escapeHtml(code)}</pre>`)
    .join('');
}

/** Permissions by role, from the authorization table. */
function roles(): string {
  const { head, rows } = rolesTable();
  const cells = (tag: 'th' | 'td', row: readonly string[]): string =>
    `<tr>${row.map((cell) => `<${tag}>${prose(cell)}</${tag}>`).join('')}</tr>`;
  return `<section id="roles"><h2>Roles</h2><p>${prose('Permissions of signed-in members by role. An API key needs the scope, and with the scope `manage` a role that has the permission.')}</p><table>${cells('th', head)}${rows.map((row) => cells('td', row)).join('')}</table></section>`;
}

function section({ path, method, operation }: Listed, document: OpenApiDocument): string {
  const body = contentForm.safeParse(operation.requestBody).data?.content?.['application/json']?.schema;
  const answers = Object.entries(operation.responses).map(
    ([status, answer]) =>
      `<tr><td><code>${status}</code></td><td>${prose(contentForm.parse(answer).description ?? '')}</td></tr>`,
  );
  return `<section id="${operation.operationId}"><h2>${escapeHtml(operation.summary)}</h2><p><span class="method ${method}">${method}</span><code>${escapeHtml(path)}</code></p>${operation.description ? `<p>${prose(operation.description)}</p>` : ''}${body === undefined ? '' : `<h3>Body</h3>${members(body, document)}`}<h3>Responses</h3><table>${answers.join('')}</table></section>`;
}

function members(given: unknown, document: OpenApiDocument): string {
  const schema = resolve(given, document);
  const rows = Object.entries(schema.properties ?? {}).map(([name, member]) => {
    const resolved = resolve(member, document);
    const needed = schema.required?.includes(name)
      ? ' <span class="need">required</span>'
      : resolved.deprecated
        ? ' <span class="type">deprecated</span>'
        : '';
    return `<tr><td><code>${escapeHtml(name)}</code>${needed}<br><span class="type">${escapeHtml(typeName(resolved, document))}</span></td><td>${prose(resolved.description ?? '')}</td></tr>`;
  });
  return `<table>${rows.join('')}</table>`;
}

function resolve(given: unknown, document: OpenApiDocument): z.infer<typeof schemaForm> {
  const schema = schemaForm.parse(given);
  if (schema.$ref === undefined) return schema;
  const schemas = z.record(z.string(), z.unknown()).parse(document.components.schemas);
  return schemaForm.parse(schemas[schema.$ref.split('/').at(-1) ?? ''] ?? {});
}

/** Short name of a type: `string`, `"low" | "high"`, `object or string`. */
function typeName(schema: z.infer<typeof schemaForm>, document: OpenApiDocument): string {
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(' | ');
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices)
    return [...new Set(choices.map((choice) => typeName(resolve(choice, document), document)))]
      .filter((name) => name !== 'null')
      .join(' or ');
  return typeof schema.type === 'string' ? schema.type : Array.isArray(schema.type) ? schema.type.join(' or ') : 'any';
}
