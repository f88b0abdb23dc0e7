export * from './collectors';
export * from './read-for-scrape';
export { collectProcessMetricsOnce, metricsContentType, scrape } from './registry';
export * from './several-services';
