import { z } from 'zod';
import { docs, flag, integer, secret, url } from './variable-types.ts';

const page = '[Tracing](operations/tracing.md)';
const endpoint = (signal: string) =>
  url('http:', 'https:')
    .optional()
    .meta(docs(`Complete URL for ${signal}.`, `\`OTEL_EXPORTER_OTLP_ENDPOINT\` and \`/v1/${signal}\``));
const headers = (signal: string) =>
  z
    .string()
    .optional()
    .meta(secret(`The same for ${signal} alone, beside the others.`, 'none'));
const exporter = (signal: string) =>
  z
    .enum(['otlp', 'none'])
    .default('otlp')
    .meta(docs(`\`otlp\`, or \`none\` for no ${signal}.`));

/** Variables of OpenTelemetry, as its specification names them: opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables. */
export const telemetryVariables = {
  OTEL_EXPORTER_OTLP_ENDPOINT: url('http:', 'https:')
    .optional()
    .meta(
      docs(
        `Base URL of an OpenTelemetry collector or backend for traces, metrics and logs, such as \`http://127.0.0.1:4318\`. See ${page}.`,
        'none: nothing is exported',
      ),
    ),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: endpoint('traces'),
  OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: endpoint('metrics'),
  OTEL_EXPORTER_OTLP_LOGS_ENDPOINT: endpoint('logs'),
  OTEL_EXPORTER_OTLP_PROTOCOL: z
    .enum(['http/protobuf', 'http/json'], { error: 'must be http/protobuf or http/json; grpc is not supported' })
    .default('http/protobuf')
    .meta(docs('`http/protobuf` or `http/json`.')),
  OTEL_EXPORTER_OTLP_HEADERS: z
    .string()
    .optional()
    .meta(
      secret(
        'Headers of requests to it, such as credentials: `name=value` pairs, separated by commas. A secret.',
        'none',
      ),
    ),
  OTEL_EXPORTER_OTLP_TRACES_HEADERS: headers('traces'),
  OTEL_EXPORTER_OTLP_METRICS_HEADERS: headers('metrics'),
  OTEL_EXPORTER_OTLP_LOGS_HEADERS: headers('logs'),
  OTEL_EXPORTER_OTLP_TIMEOUT: integer(600_000, 1).default(10_000).meta(docs('How long an export may take, in ms.')),
  OTEL_EXPORTER_OTLP_COMPRESSION: z.enum(['gzip', 'none']).default('none').meta(docs('`gzip` or `none`.')),
  OTEL_TRACES_EXPORTER: exporter('traces'),
  OTEL_METRICS_EXPORTER: exporter('metrics'),
  OTEL_LOGS_EXPORTER: exporter('logs'),
  OTEL_TRACES_SAMPLER: z
    .enum([
      'always_on',
      'always_off',
      'traceidratio',
      'parentbased_always_on',
      'parentbased_always_off',
      'parentbased_traceidratio',
    ])
    .default('parentbased_always_on')
    .meta(
      docs(
        'Which requests have spans: `always_on`, `always_off`, `traceidratio`, or with the prefix `parentbased_` as the `traceparent` of the client says, where it sends one.',
      ),
    ),
  OTEL_TRACES_SAMPLER_ARG: z.coerce
    .number('must be a number from 0 to 1')
    .min(0)
    .max(1)
    .default(1)
    .meta(docs('Share of requests for the samplers by ratio, from 0 to 1.')),
  OTEL_SERVICE_NAME: z
    .string()
    .optional()
    .meta(docs('Name of this service.', '`service.name` of the resource, else `sluice`')),
  OTEL_RESOURCE_ATTRIBUTES: z
    .string()
    .optional()
    .meta(docs('Further attributes of this service: `name=value` pairs, separated by commas.', 'none')),
  OTEL_METRIC_EXPORT_INTERVAL: integer(86_400_000, 100)
    .default(60_000)
    .meta(docs('How often metrics are exported, in ms.')),
  OTEL_SDK_DISABLED: flag.default(false).meta(docs('Whether nothing is exported, whatever else is set.')),
  OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: flag
    .default(false)
    .meta(
      docs(
        'Whether spans contain messages. Only of requests whose content is logged (`full`), as it is stored: redacted.',
      ),
    ),
  SLUICE_TRACING_OPENINFERENCE: flag
    .default(false)
    .meta(docs('Whether spans have the attributes of OpenInference too, which Arize Phoenix reads.')),
};
