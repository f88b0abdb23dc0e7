export * from './rate-limits.service';
