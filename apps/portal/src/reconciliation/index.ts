export * from './reconciliation.module';
