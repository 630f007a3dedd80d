import { EventEmitter, once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { gunzipSync } from 'node:zlib';
import type protobufTypes from 'protobufjs';

// Its CommonJS modules share their state only if they are loaded as such.
const require = createRequire(import.meta.url);
const protobuf = require('protobufjs') as typeof protobufTypes;
const { FileDescriptorSet } = require('protobufjs/ext/descriptor') as {
  readonly FileDescriptorSet: protobufTypes.Type;
};

const definitionsFile = new URL('../fixtures/otlp/opentelemetry-proto.binpb', import.meta.url);
const root = descriptorsOf(readFileSync(definitionsFile));

export type AttributeValue = string | number | boolean | null | readonly AttributeValue[];
export type AttributeMap = Readonly<Record<string, AttributeValue>>;

/** A span as a collector has it. */
export interface ReceivedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string;
  readonly traceState: string;
  readonly name: string;
  readonly kind: 'INTERNAL' | 'SERVER' | 'CLIENT';
  /** Nanoseconds since 1970. */
  readonly start: bigint;
  readonly end: bigint;
  readonly isError: boolean;
  /** Each as `<trace ID> <span ID>`. */
  readonly links: readonly string[];
  readonly attributes: AttributeMap;
  readonly resource: AttributeMap;
  readonly schemaUrl: string;
}

export interface ReceivedLog {
  readonly body: string;
  readonly severityText: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly attributes: AttributeMap;
}

export interface ReceivedPoint {
  readonly attributes: AttributeMap;
  /** Of a sum or a gauge. */
  readonly value: number;
  /** Of a histogram. */
  readonly count: number;
  readonly sum: number;
}

export interface OtlpReceiver {
  readonly url: string;
  readonly spans: readonly ReceivedSpan[];
  readonly logs: readonly ReceivedLog[];
  /** The last values, by name. */
  readonly metrics: ReadonlyMap<string, readonly ReceivedPoint[]>;
  /** Of each export. */
  readonly headers: readonly IncomingHttpHeaders[];
  /** All that was received, decoded: what is searched for secrets. */
  readonly text: string;
  /** Answers exports with this status from now on; `0` does not answer. */
  respondWith(status: number): void;
  /** Resolves once a condition holds; it is checked after each export. */
  when(condition: () => boolean): Promise<void>;
  close(): Promise<void>;
}

/** A collector on loopback: it decodes OTLP by the official protocol definitions, and refuses what does not conform. */
export async function startOtlpReceiver(): Promise<OtlpReceiver> {
  const received = { spans: [] as ReceivedSpan[], logs: [] as ReceivedLog[] };
  const metrics = new Map<string, readonly ReceivedPoint[]>();
  const headers: IncomingHttpHeaders[] = [];
  const arrivals = new EventEmitter();
  let [status, text] = [200, ''];
  const receive = (path: string, type: string, body: Buffer): void => {
    const signal = /\/v1\/(traces|metrics|logs)$/.exec(path)?.[1] ?? '';
    const request = decoded(signal, type, body);
    text += JSON.stringify(request);
    received.spans.push(...spansIn(request));
    received.logs.push(...logsIn(request));
    for (const [name, points] of metricsIn(request)) metrics.set(name, points);
  };
  const server = createServer((incoming, response) => {
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.on('end', () => {
      headers.push(incoming.headers);
      if (status === 0) return;
      const { 'content-encoding': encoding, 'content-type': type = '' } = incoming.headers;
      const body = Buffer.concat(chunks);
      try {
        if (status === 200) receive(incoming.url ?? '', type, encoding === 'gzip' ? gunzipSync(body) : body);
        response.writeHead(status, { 'content-type': type }).end(type === 'application/json' ? '{}' : '');
      } catch (error) {
        text += String(error);
        response.writeHead(400).end();
      }
      arrivals.emit('export');
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    ...received,
    metrics,
    headers,
    get text() {
      return text;
    },
    respondWith: (given) => (status = given),
    when: async (condition) => {
      while (!condition()) await once(arrivals, 'export');
    },
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

function descriptorsOf(bytes: Buffer): protobufTypes.Root {
  const roots = protobuf.Root as unknown as { fromDescriptor(set: protobufTypes.Message): protobufTypes.Root };
  const definitions = roots.fromDescriptor(FileDescriptorSet.decode(bytes));
  definitions.resolveAll();
  return definitions;
}

/** A decoded message: its members are those of the protocol definitions. */
// oxlint-disable-next-line typescript/no-explicit-any
type Json = any;

const serviceNames: Readonly<Record<string, string>> = { traces: 'Trace', metrics: 'Metrics', logs: 'Logs' };

/** In the form of OTLP's JSON, but with bytes as hexadecimal text. @throws where it does not conform */
function decoded(signal: string, type: string, body: Buffer): Json {
  if (type === 'application/json') return JSON.parse(body.toString());
  if (type !== 'application/x-protobuf') throw new Error(`unknown content type ${type}`);
  const packageName = signal === 'traces' ? 'trace' : signal;
  const message = root.lookupType(
    `opentelemetry.proto.collector.${packageName}.v1.Export${serviceNames[signal]}ServiceRequest`,
  );
  const value = message.toObject(message.decode(body), {
    longs: String,
    enums: Number,
    bytes: Buffer,
    defaults: false,
  });
  return camelCased(value);
}

/** OTLP's JSON has names in camel case. */
function camelCased(value: Json): Json {
  if (Buffer.isBuffer(value)) return value.toString('hex');
  if (Array.isArray(value)) return value.map(camelCased);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [
      name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()),
      camelCased(each),
    ]),
  );
}

const kinds: readonly ReceivedSpan['kind'][] = ['INTERNAL', 'INTERNAL', 'SERVER', 'CLIENT'];
const ERROR_STATUS = 2;

function spansIn({ resourceSpans = [] }: Json): ReceivedSpan[] {
  return resourceSpans.flatMap(({ resource, scopeSpans }: Json) =>
    scopeSpans.flatMap(({ spans, schemaUrl, scope }: Json) =>
      spans.map((span: Json) => ({
        traceId: span.traceId,
        spanId: span.spanId,
        parentSpanId: span.parentSpanId ?? '',
        traceState: span.traceState ?? '',
        name: span.name,
        kind: kinds[span.kind] ?? 'INTERNAL',
        start: BigInt(span.startTimeUnixNano),
        end: BigInt(span.endTimeUnixNano),
        isError: span.status?.code === ERROR_STATUS,
        links: (span.links ?? []).map((link: Json) => `${link.traceId} ${link.spanId}`),
        attributes: attributesOf(span.attributes),
        resource: attributesOf(resource.attributes),
        schemaUrl: schemaUrl ?? scope?.schemaUrl ?? '',
      })),
    ),
  );
}

function logsIn({ resourceLogs = [] }: Json): ReceivedLog[] {
  return resourceLogs.flatMap(({ scopeLogs }: Json) =>
    scopeLogs.flatMap(({ logRecords }: Json) =>
      logRecords.map((record: Json) => ({
        body: record.body?.stringValue ?? '',
        severityText: record.severityText ?? '',
        traceId: record.traceId ?? '',
        spanId: record.spanId ?? '',
        attributes: attributesOf(record.attributes),
      })),
    ),
  );
}

function metricsIn({ resourceMetrics = [] }: Json): [string, ReceivedPoint[]][] {
  return resourceMetrics.flatMap(({ scopeMetrics }: Json) =>
    scopeMetrics.flatMap(({ metrics }: Json) =>
      metrics.map(({ name, sum, gauge, histogram }: Json) => [
        name,
        (sum ?? gauge ?? histogram).dataPoints.map((point: Json) => ({
          attributes: attributesOf(point.attributes),
          value: Number(point.asDouble ?? point.asInt ?? 0),
          count: Number(point.count ?? 0),
          sum: Number(point.sum ?? 0),
        })),
      ]),
    ),
  );
}

function attributesOf(list: Json = []): AttributeMap {
  return Object.fromEntries(list.map(({ key, value }: Json) => [key, valueOf(value ?? {})]));
}

function valueOf({ stringValue, boolValue, intValue, doubleValue, arrayValue, kvlistValue }: Json): AttributeValue {
  if (arrayValue !== undefined) return (arrayValue.values ?? []).map(valueOf);
  if (kvlistValue !== undefined) return JSON.stringify(attributesOf(kvlistValue.values));
  return stringValue ?? boolValue ?? (intValue === undefined ? (doubleValue ?? null) : Number(intValue));
}
