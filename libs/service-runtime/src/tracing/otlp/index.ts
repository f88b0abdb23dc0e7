export { startOtlpTracing } from './start-otlp-tracing';
