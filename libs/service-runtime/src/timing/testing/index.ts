export * from './manual-clock';
